import { assert, beforeAll, describe, it } from "vitest"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { hangUp, raw, writeThenRead } from "../support/Raw.ts"
import { ask, type World } from "../support/World.ts"
import { assertRefused } from "./answers.ts"
import type { visit } from "./asked.ts"

const limit = 65_536

/** A resolution of that many bytes. */
const padded = (bytes: number) => {
  const empty = JSON.stringify({ optionId: "yes", more: "" })
  return JSON.stringify({ optionId: "yes", more: "m".repeat(bytes - empty.length) })
}

const malformed: ReadonlyArray<readonly [name: string, body: string]> = [
  ["nothing", ""],
  ["half an object", '{"optionId": "yes"'],
  ["a trailing comma", '{"optionId": "yes",}'],
  ["two objects", '{"optionId": "yes"}{}'],
  ["a raw control character", '{"optionId": "yes", "note": "\n"}'],
  ["a form", "optionId=yes"],
  ["NaN", "NaN"]
]

const misshapen: ReadonlyArray<readonly [body: string, field: string]> = [
  ["null", "The body"],
  ["[]", "The body"],
  ['["yes"]', "The body"],
  ['"yes"', "The body"],
  ["{}", "optionId"],
  ['{"optionID": "yes"}', "optionId"],
  ['{"optionId": null}', "optionId"],
  ['{"optionId": 1}', "optionId"],
  ['{"optionId": ["yes"]}', "optionId"],
  ['{"__proto__": {"optionId": "yes"}}', "optionId"],
  ['{"optionId": "yes", "note": 1}', "note"],
  ['{"optionId": "yes", "note": {}}', "note"],
  ['{"optionId": "yes", "note": false}', "note"],
  ['{"optionId": "yes", "note": "a\\u0000b"}', "note"],
  ['{"optionId": "yes", "note": "\\ud83d"}', "note"],
  ['{"optionId": "yes", "note": "\\ude00\\ud83d"}', "note"],
  ['{"optionId": "yes", "optionId": 2}', "optionId"],
  [`{"optionId": ${"[".repeat(20_000)}${"]".repeat(20_000)}}`, "optionId"],
  [`${"[".repeat(32_000)}${"]".repeat(32_000)}`, "The body"]
]

export const resolveBodies = ({ read, resolve, tokenOf, workspace }: ReturnType<typeof visit>, world: () => World) =>
  describe("reads the body", () => {
    let slug: WorkspaceSlug
    let token: string
    beforeAll(async () => {
      slug = await workspace()
      token = await tokenOf(slug)
    })
    const head = (key: string, writer: string, headers: ReadonlyArray<string>) =>
      [
        `POST /v1/decisions/${key}/resolve HTTP/1.1`,
        "Host: x",
        `Authorization: Bearer ${writer}`,
        ...headers,
        "",
        ""
      ].join("\r\n")

    it.each(malformed)("%s is not JSON", async (_, body) => {
      assertRefused(await resolve("dec-aaaa", body, { token }), 400, "invalid_json")
    })

    it("what is not UTF-8 is not JSON", async () => {
      for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
        const body = Buffer.concat([Buffer.from('{"optionId":"yes","note":"'), Buffer.from(bytes), Buffer.from('"}')])
        const headers = [`Content-Length: ${body.length}`, "Connection: close"]
        const answer = await raw(world().url, head("dec-aaaa", token, headers), body)
        assert.match(answer, /^HTTP\/1.1 400 /)
        assert.include(answer, "invalid_json")
        assert.include(answer, "it is not UTF-8")
      }
    })

    const titled = misshapen.map(([body, field]) => ({ body, field, title: body.slice(0, 50) }))
    it.each(titled)("$title is no answer because of $field", async ({ body, field }) => {
      const answer = await resolve("dec-aaaa", body, { token })
      assertRefused(answer, 400, "invalid_request")
      assert.match(answer.body.error.message, new RegExp(`^${field} must .*; got .+\\.$`))
    })

    it("a note of 4,000 characters passes, one more does not, however many bytes they take", async () => {
      const mine = await workspace()
      const writer = await tokenOf(mine)
      for (const [key, character] of [
        ["dec-fre1", "n"],
        ["dec-fre2", "é"],
        ["dec-fre3", "😀"]
      ] as const) {
        const answer = await resolve(key, { optionId: "yes", note: character.repeat(4001) }, { token: writer })
        assertRefused(answer, 400, "note_too_long")
        assert.include(answer.body.error.message, "at most 4000 characters; got 4001")
        const note = character.repeat(4000)
        const passed = await resolve(key, { optionId: "yes", note }, { token: writer })
        assert.strictEqual(passed.status, 200, passed.text)
        assert.strictEqual((await read(mine, `/v1/decisions/${key}`)).resolution.note, note)
      }
      const family = "👨‍👩‍👧"
      const counted = await resolve("dec-fre4", { optionId: "yes", note: family.repeat(801) }, { token: writer })
      assert.include(counted.body.error.message, "got 4005")
    })

    it.each([
      ["nothing of the kind", undefined, null],
      ["null", null, null],
      ["an empty note", "", ""],
      ["a note of two lines", "a\r\nb\t\u2028", "a\r\nb\t\u2028"]
    ])("with %s", async (_, note, shown) => {
      const mine = await workspace()
      const answer = await resolve("dec-fre1", { optionId: "yes", note }, { token: await tokenOf(mine) })
      assert.deepStrictEqual(answer.body.resolution, { optionId: "yes", note: shown })
      assert.deepStrictEqual((await read(mine, "/v1/decisions/dec-fre1")).resolution, answer.body.resolution)
    })

    it("leaves other fields unread, and takes the last of two with one name", async () => {
      const mine = await workspace()
      const writer = await tokenOf(mine)
      const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`
      const extra = `{"optionId":"no","optionId":"yes","note":"a","note":"b","by":"somebody","__proto__":{"note":"c"},"deep":${deep}}`
      const answer = await resolve("dec-fre1", extra, { token: writer })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(answer.body.resolution, { optionId: "yes", note: "b" })
      const marked = await resolve("dec-fre2", `\ufeff {"optionId": "yes"}\r\n`, { token: writer })
      assert.strictEqual(marked.status, 200, marked.text)
    })

    it.each([
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/jsonp",
      "application/merge-patch+json",
      "application/json; charset=latin1",
      "application/json, text/plain",
      "json",
      ""
    ])("sent as '%s' it is refused", async (type) => {
      const answer = await resolve("dec-aaaa", { optionId: "yes" }, { token, headers: { "content-type": type } })
      assertRefused(answer, 415, "unsupported_media_type")
    })

    it("sent compressed it is refused", async () => {
      const headers = { "content-encoding": "gzip" }
      assertRefused(await resolve("dec-aaaa", { optionId: "yes" }, { token, headers }), 415, "unsupported_media_type")
    })

    it("is JSON in any case, with its charset or without a type at all", async () => {
      const mine = await workspace()
      const writer = await tokenOf(mine)
      for (const [key, type] of [
        ["dec-fre1", "Application/JSON"],
        ["dec-fre2", 'application/json;charset="UTF-8"'],
        ["dec-fre3", "application/json ; charset=utf-8"]
      ] as const) {
        const answer = await resolve(key, { optionId: "yes" }, { token: writer, headers: { "content-type": type } })
        assert.strictEqual(answer.status, 200, answer.text)
      }
      const untyped = { method: "POST", token: writer, body: '{"optionId":"yes"}' }
      assert.strictEqual((await ask(world().url, "/v1/decisions/dec-fre4/resolve", untyped)).status, 200)
    })

    it("of 65,536 bytes is read, and one more is too many, whether its length is told or counted", async () => {
      const mine = await workspace()
      const writer = await tokenOf(mine)
      for (const [key, headers] of [
        ["dec-fre1", {}],
        ["dec-fre2", { "transfer-encoding": "chunked" }]
      ] as const) {
        const over = await resolve(key, padded(limit + 1), { token: writer, headers })
        assertRefused(over, 413, "payload_too_large")
        assert.include(over.body.error.message, String(limit))
        const plain = { ...headers, "content-type": "text/plain" }
        assertRefused(
          await resolve(key, padded(limit + 1), { token: writer, headers: plain }),
          413,
          "payload_too_large"
        )
        const most = await resolve(key, padded(limit), { token: writer, headers })
        assert.strictEqual(most.status, 200, most.text)
      }
    })

    it.each([
      ["told", (body: string) => ["Content-Length: 5000000", body]],
      [
        "counted",
        (body: string) => ["Transfer-Encoding: chunked", `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`]
      ]
    ] as const)("a client that writes 5 MB before it reads gets the answer, their length %s", async (_, framed) => {
      const [header = "", body = ""] = framed("x".repeat(5_000_000))
      const answer = await writeThenRead(world().url, head("dec-aaaa", token, [header]) + body)
      assert.match(answer, /^HTTP\/1.1 413 /)
      assert.match(answer, /\r\nconnection: close\r\n/i)
      assert.include(answer, "payload_too_large")
    })

    it("a body that never ends is cut off", async () => {
      const mebibyte = Buffer.from(`100000\r\n${"x".repeat(1_048_576)}\r\n`)
      const endless = Array.from({ length: 40 }, () => mebibyte)
      const answer = await raw(world().url, head("dec-aaaa", token, ["Transfer-Encoding: chunked"]), ...endless).catch(
        (error: { readonly code: string }) => error.code
      )
      assert.match(answer, /^HTTP\/1.1 413 |^EPIPE$|^ECONNRESET$/)
      assert.strictEqual((await read(slug, "/v1/decisions/dec-aaaa")).status, "pending")
    })

    it("arrives in pieces", async () => {
      const bytes = Buffer.from('{"optionId":"yes","note":"é😀"}')
      const mine = await workspace()
      const writer = await tokenOf(mine)
      const pieces = [...bytes].map((byte) => Buffer.from([byte]))
      const headers = ["Content-Type: application/json", `Content-Length: ${bytes.length}`, "Connection: close"]
      const answer = await raw(world().url, ...head("dec-fre1", writer, headers), ...pieces)
      assert.match(answer, /^HTTP\/1.1 200 /)
      const chunked = ["Transfer-Encoding: chunked", "Connection: close"]
      const chunks = pieces.map((piece) => Buffer.concat([Buffer.from("1\r\n"), piece, Buffer.from("\r\n")]))
      assert.match(await raw(world().url, head("dec-fre2", writer, chunked), ...chunks, "0\r\n\r\n"), /^HTTP\/1.1 200 /)
      for (const key of ["dec-fre1", "dec-fre2"])
        assert.strictEqual((await read(mine, `/v1/decisions/${key}`)).resolution.note, "é😀")
    })

    it("that arrives in part changes nothing", async () => {
      const mine = await workspace()
      const writer = await tokenOf(mine)
      const body = '{"optionId":"yes"}'
      for (const headers of [[`Content-Length: ${body.length + 1}`], ["Transfer-Encoding: chunked"]])
        for (let turn = 0; turn < 5; turn++)
          await hangUp(
            world().url,
            head("dec-fre1", writer, headers) +
              (headers[0] === "Transfer-Encoding: chunked" ? `12\r\n${body}\r\n` : body)
          )
      assert.strictEqual((await read(mine, "/v1/decisions/dec-fre1")).status, "pending")
      assert.strictEqual((await resolve("dec-fre1", body, { token: writer })).status, 200)
    })

    it("a connection that was refused for its body serves the next request", async () => {
      const bad = "{"
      const first = head("dec-aaaa", token, ["Content-Type: text/plain", `Content-Length: ${bad.length}`]) + bad
      const answer = await raw(world().url, first + `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      assert.match(answer, /^HTTP\/1.1 415 /)
      assert.include(answer, "HTTP/1.1 200 OK")
    })
  })
