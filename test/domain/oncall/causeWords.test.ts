import { assert, describe, it } from "vitest"
import { fileOf, filesIn, tellingWords, wordsOf, wordsOfPath } from "../../../domain/oncall/CauseWords.ts"

describe("words of alerts and merges", () => {
  it.each([
    ["CheckoutController", ["checkout", "controller"]],
    ["cart totals", ["cart", "total"]],
    ["  p99 -- latency!", ["p99", "latency"]],
    ["Cafés in Zürich", ["café", "in", "zürich"]],
    ["process pass address news bus", ["process", "pass", "address", "news", "bus"]],
    ["classes", ["classe"]],
    ["rows lists", ["rows", "list"]],
    ["s3 X1Y", ["s3", "x1", "y"]],
    ["", []]
  ])("of '%s' are %j", (text, words) => assert.deepStrictEqual(wordsOf(text), words))

  it.each([
    ["src/cart-totals.ts", ["src", "cart", "total"]],
    ["src/v1.2/cartTotals", ["src", "v1", "2", "cart", "total"]],
    ["a/b.TSX", ["a", "b"]],
    ["a/b.verylongname", ["a", "b", "verylongname"]]
  ])("of the path %s are %j", (path, words) => assert.deepStrictEqual(wordsOfPath(path), words))

  it("that tell something are long enough, not common, and not excepted", () =>
    assert.deepStrictEqual(
      [...tellingWords(["the cart", "Refunds alerts", "checkout SUM errors cart list"], new Set(["checkout"]))],
      ["cart", "refund", "list"]
    ))

  it("are read from the first 4,000 characters of a text and the last 500 of a path", () => {
    assert.deepStrictEqual(wordsOf(`${" ".repeat(3996)}near far`), ["near"])
    assert.deepStrictEqual(wordsOfPath(`far${"/".repeat(496)}near`), ["near"])
    assert.deepStrictEqual([...filesIn([`${" ".repeat(3995)}ne.ts fa.ts`])], ["ne.ts"])
  })

  it.each([
    ["at render (src/Cart.tsx:12)", ["cart.tsx"]],
    ["a.ts, b-c.ts  and ../d_e.ts", ["a.ts", "b-c.ts", "d_e.ts"]],
    ["index.ts main.go mod.rs lib.rs __init__.py app.js README.md package.json", []],
    ["no file/here", []]
  ])("of '%s' that are files are %j", (text, files) => assert.deepStrictEqual([...filesIn([text])], files))

  it("of a path, the last is its file", () => assert.strictEqual(fileOf("a/b/C.ts"), "c.ts"))
})
