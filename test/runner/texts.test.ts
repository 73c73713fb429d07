import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { fitting, logBuffer } from "../../adapters/runner/attempt/LogBuffer.ts"
import { folderOf, read } from "../../adapters/runner/git/Address.ts"
import { environment } from "../../adapters/runner/git/Git.ts"
import { splitter } from "../../adapters/runner/process/Lines.ts"
import { cutWords, redactor } from "../../adapters/runner/SecretRedaction.ts"
import { printable } from "../../domain/value/Text.ts"
import { key } from "./ScriptedService.ts"

describe("a secret is hidden in what is logged", () => {
  const odd = 'Sup3r+Secret/Value=="quoted"xyz'
  const redact = redactor([key, "first line\nsecond line", "ab", odd])
  it.each([
    [`key ${key}!`, "key …!"],
    [`other tk_${"a".repeat(32)}`, "other tk_…"],
    [`run rk_${"a".repeat(32)}`, "run rk_…"],
    [Buffer.from(key).toString("base64"), "…"],
    ["see second line here", "see … here"],
    ["Authorization: Bearer abc.def", "Authorization: …"],
    ['"authorization":"Basic eHg="', '"authorization":"…"'],
    ["https://ana:pass@git.acme.test/x", "https://…@git.acme.test/x"],
    [`ghp_${"x".repeat(36)}`, "ghp_…"],
    [JSON.stringify({ odd }), '{"odd":"…"}'],
    [`?key=${encodeURIComponent(odd)}&x`, "?key=…&x"],
    [`hex ${Buffer.from(key).toString("hex")}!`, "hex …!"],
    [`HEX ${Buffer.from(key).toString("hex").toUpperCase()}`, "HEX …"],
    ["about tables and abacus", "about tables and abacus"]
  ])("%s", (text, shown) => assert.strictEqual(redact(text), shown))

  it.each([0, 1, 2, 3, 4, 5])("in base64 after %s bytes of other text, and before some", (before) => {
    for (const encoding of ["base64", "base64url"] as const)
      for (const after of ["", "\n", "ab", "abc"]) {
        const encoded = Buffer.from(`${"u:pw:".slice(0, before)}${odd}${after}`).toString(encoding)
        const left = redact(encoded)
        assert.include(left, "…")
        // What is left are the other bytes, with at most a part of a character of the secret at each end.
        assert.isBelow(left.length, before * 2 + after.length * 2 + 8)
      }
  })

  it("wherever a long line is cut", () => {
    for (let before = 0; before < odd.length; before++) {
      const buffer = logBuffer(redact)
      buffer.add(`${"z".repeat(before)}${odd.repeat(4000)}`)
      assert.notInclude(buffer.take(100_000), "Sup3r")
    }
  })

  it("and where words are cut", () => {
    for (let before = 1; before < 60; before++)
      assert.notInclude(cutWords(`${"x".repeat(before)} ${odd} end`, 50).replace(odd, ""), "Sup3r")
  })
})

describe("addresses of repositories", () => {
  it.each([
    ["/srv/git/acme.git", null],
    ["file:///srv/git/acme.git", null],
    ["https://github.com/acme/pay.git", "github.com"],
    ["https://git.acme.test:8443/pay", "git.acme.test:8443"],
    ["ssh://git@git.acme.test/pay", "git.acme.test"],
    ["git@git.acme.test:acme/pay.git", "git.acme.test"]
  ])("%s is accepted", (text, host) => assert.deepStrictEqual(read(text), { type: "accepted", url: text, host }))

  it.each(
    [
      "",
      "-uevil",
      "--upload-pack=evil",
      "ext::sh -c evil",
      "http://git.acme.test/x",
      "git://x/y",
      "ftp://x",
      "fd::3",
      "acme/pay"
    ].concat([
      "https://a:b@x/y",
      "https://token@x/y",
      "ssh://-oProxyCommand=evil/x",
      "/srv\n/x",
      "file::x",
      "transport::https://x"
    ])
  )("%j is refused", (text) => assert.strictEqual(read(text).type, "refused"))

  it("two addresses never share a mirror, and no name leaves the folder", () => {
    const names = ["/a/x.git", "/b/x.git", "https://h/..", "https://h/%2e%2e/x", "git@h:x", "/a/x"].map(folderOf)
    assert.strictEqual(new Set(names).size, names.length)
    for (const name of names) assert.match(name, /^[\w][\w.-]*-[0-9a-f]{12}\.git$/)
  })
})

it("a credential is in the environment of commands that reach its host, and in no other", () => {
  const tokens = new Map([["git.acme.test", Redacted.make("s3cret-token")]])
  const header = Buffer.from("x-access-token:s3cret-token").toString("base64")
  const text = (host: string | null) => JSON.stringify(environment(tokens, host))
  assert.include(text("git.acme.test"), header)
  assert.include(text("git.acme.test"), "http.https://git.acme.test/.extraHeader")
  for (const host of [null, "evil.test", "git.acme.test.evil.test"]) assert.notInclude(text(host), header)
  assert.notInclude(text("git.acme.test"), "s3cret-token")
})

describe("output", () => {
  it("is split into lines of bounded length, across chunks and letters", () => {
    const lines: Array<string> = []
    const split = splitter((line) => lines.push(line))
    const bytes = Buffer.from("één\r\ntwo\n\nrest")
    for (const byte of bytes) split.push(Buffer.from([byte]))
    split.end()
    assert.deepStrictEqual(lines, ["één", "two", "", "rest"])
  })

  it("keeps the last of a flood and says what is left out", () => {
    const log = logBuffer((text) => text)
    for (let index = 0; index < 100_000; index++) log.add(`line ${index}`)
    const first = log.take(30_000)
    assert.match(first, /^… \d+ characters are left out\nline \d+\n/)
    assert.isAtMost(Buffer.byteLength(JSON.stringify(first)), 30_000)
    let last = first
    for (let part = first; part !== ""; part = log.take(30_000)) last = part
    assert.isTrue(log.fits(4))
    assert.isTrue(last.endsWith("line 99999\n"))
  })

  it("fits into bytes whatever its letters", () => {
    for (const text of ["ü".repeat(100), "😀".repeat(100), '"\n'.repeat(100), "short"]) {
      const cut = fitting(text, 50)
      assert.isAtMost(Buffer.byteLength(JSON.stringify(cut)), 50)
      assert.isTrue(text.startsWith(cut))
      assert.strictEqual(printable(cut), cut)
    }
    const buffer = logBuffer((text) => text)
    buffer.add("\u001b[1ma\0b\ud800\u001b[0m")
    assert.strictEqual(buffer.take(1000), "a\uFFFDb\uFFFD\n")
  })
})
