import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { boundedDifference, difference } from "../../../domain/value/FieldChanges.ts"
import { keyIdOf, ofPlace, ofSource } from "../../../domain/value/SecretBinding.ts"
import {
  cut,
  Name,
  nameFrom,
  nameProblem,
  oneLine,
  parseUrl,
  printable,
  printableJson,
  snakeCase,
  withoutSlashes
} from "../../../domain/value/Text.ts"

describe("texts", () => {
  it.each([
    ["four", 4, "four"],
    ["fives", 4, "fiv…"],
    ["", 0, ""],
    ["ab😀c", 5, "ab😀c"],
    ["ab😀cd", 5, "ab😀…"],
    ["ab😀cd", 4, "ab…"],
    ["😀bcdef", 5, "😀bc…"]
  ])("'%s' of at most %i characters is '%s': no character is split", (text, most, expected) =>
    assert.strictEqual(cut(text, most), expected)
  )

  it.each([
    ["one\ntwo", "one two"],
    ["a \r\n\t b", "a b"],
    ["plain", "plain"],
    [" x ", " x "]
  ])("%j is %j on one line", (text, expected) => assert.strictEqual(oneLine(text), expected))

  it.each([
    ["Ann O’Neil-ñ 李", true],
    ["عمر\u200cرضا", true],
    ["", false],
    ["x".repeat(21), false],
    ["Eve\nBcc: all", false],
    ["Eve\r", false],
    ["tab\t", false],
    ["bell\u0007", false],
    ["line\u2028", false],
    ["next\u0085", false],
    ["\u202Eevil", false],
    ["\u2066evil\u2069", false],
    [" \u200B\u2060", false],
    ["\u2800", false]
  ])("%j may be entered as a name: %s", (name, isName) => assert.strictEqual(Schema.is(Name(20))(name), isName))

  it("text that is no name is shown with its controls in words", () => {
    assert.isNull(nameProblem("Ann"))
    assert.strictEqual(
      nameProblem("Eve\n\u202Enimda"),
      'must be on one line, with a visible character, without control characters or changes of direction; got "Eve\\n\\u202enimda"'
    )
  })

  it.each([
    ["plain", "plain"],
    [" two\r\n lines ", "two lines"],
    ["bell\u0007 \u202Enimda", "bell\uFFFD \uFFFDnimda"],
    ["\u200B", "otherwise"],
    ["\n", "otherwise"],
    ["", "otherwise"],
    ["x".repeat(21), `${"x".repeat(19)}…`]
  ])("%j of others is named %j", (text, expected) => {
    assert.strictEqual(nameFrom(text, 20, "otherwise"), expected)
    assert.isTrue(Schema.is(Name(20))(expected))
  })

  it.each([
    ["https://a.test///", "https://a.test"],
    ["https://a.test/b/", "https://a.test/b"],
    ["https://a.test", "https://a.test"],
    ["//", ""],
    ["", ""]
  ])("%s ends in no slash: %s", (address, expected) => assert.strictEqual(withoutSlashes(address), expected))

  it.each([
    ["plain text\twith a tab\nand a line", "plain text\twith a tab\nand a line"],
    ["Ünïcødé 日本 👩‍👩‍👧 ✓", "Ünïcødé 日本 👩‍👩‍👧 ✓"],
    ["\u001b[1;32mgreen\u001b[0m", "green"],
    ["\u009b31mred", "red"],
    ["\u001b]0;title\u0007a", "a"],
    ["\u001b]8;;https://evil.test\u001b\\\\link\u001b]8;;\u001b\\\\".replaceAll("\\\\", "\\"), "link"],
    ["10%\r20%\r\nend", "10%\n20%\nend"],
    ["\u001bc", "\uFFFDc"],
    ["\u001b[", "\uFFFD["],
    ["a\0b\u0008\u007f\u0085\u009d", "a\uFFFDb\uFFFD\uFFFD\uFFFD\uFFFD"],
    ["a\u202eb\u2066c\u200f\u061c\u2028", "a\uFFFDb\uFFFDc\uFFFD\uFFFD\uFFFD"],
    ["\ud800x\udc00", "\uFFFDx\uFFFD"]
  ])("%j steers no terminal as %j", (text, expected) => assert.strictEqual(printable(text), expected))

  it("JSON steers no terminal, and keeps its values", () => {
    const text = "\u001b[2J\u009b\u007f\u202e\u2028\n"
    const json = printableJson(JSON.stringify({ text }))
    assert.match(json, /^[ -~]+$/)
    assert.deepStrictEqual(JSON.parse(json), { text })
  })

  it("an address that cannot be read is none", () => {
    assert.isNull(parseUrl("not an address"))
    assert.strictEqual(parseUrl("https://ä.test/x")?.pathname, "/x")
  })

  it.each([
    ["RunNotFound", "run_not_found"],
    ["plain", "plain"],
    ["X", "x"]
  ])("%s is %s in snake case", (name, expected) => assert.strictEqual(snakeCase(name), expected))

  it("a sealed secret is bound to its owner and names its key", () => {
    assert.strictEqual(ofSource("s-1"), "source s-1")
    assert.strictEqual(ofPlace({ team: "payments", name: "chat" }), "place payments chat")
    assert.strictEqual(keyIdOf("v1.key-7.sealed"), "key-7")
    assert.strictEqual(keyIdOf("v1"), "")
  })
})

describe("the difference of two versions", () => {
  it.each([
    ["only what changed", { a: 1, b: [1] }, { a: 2, b: [1] }, { before: { a: 1 }, after: { a: 2 } }],
    [
      "a field that is new or gone is null there",
      { a: 1 },
      { b: 2 },
      { before: { a: 1, b: null }, after: { a: null, b: 2 } }
    ],
    ["something new has no past", null, { a: 1 }, { after: { a: 1 } }],
    ["something deleted has no future", { a: 1 }, null, { before: { a: 1 } }],
    ["nothing", { a: { b: 1 } }, { a: { b: 1 } }, { before: {}, after: {} }]
  ])("%s", (_, before, after, expected) => assert.deepStrictEqual(difference(before, after), expected))

  it("that people write at length is cut to 500 characters and 20 entries", () => {
    const list = (length: number) => Array.from({ length }, (_, index) => index)
    const text = "x".repeat(501)
    assert.deepStrictEqual(
      boundedDifference(
        { text, short: "x".repeat(500), list: list(20), nested: [text], n: 1 },
        { text: "", short: "", list: list(23), nested: [], n: 2 }
      ),
      {
        before: {
          text: `${"x".repeat(499)}…`,
          short: "x".repeat(500),
          list: list(20),
          nested: [`${"x".repeat(499)}…`],
          n: 1
        },
        after: { text: "", short: "", list: [...list(20), "… and 3 more"], nested: [], n: 2 }
      }
    )
    assert.deepStrictEqual(boundedDifference({ a: 1 }, { a: 1 }), { before: {}, after: {} })
  })
})
