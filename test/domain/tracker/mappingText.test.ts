import { Either } from "effect"
import { assert, describe, it } from "vitest"
import { type Mapping, usualMapping } from "../../../domain/tracker/Mapping.ts"
import { type MappingText, markOf, parse, print } from "../../../domain/tracker/MappingText.ts"

const text: MappingText = { columns: "ready=ready", sizes: "", classes: "", only: "", board: "" }

describe("a mapping as people type it", () => {
  const odd: Mapping = {
    columns: [
      { mark: { kind: "status", name: "To do" }, column: "backlog" },
      { mark: { kind: "label", name: "status:todo" }, column: "ready" },
      { mark: { kind: "label", name: "a=b" }, column: "review" }
    ],
    sizes: { large: "l" },
    classes: { "p=1": "expedite" },
    only: "gatehouse",
    board: { name: "acme/7", field: "Stage" }
  }

  it.each([
    ["usual", usualMapping],
    ["odd", odd]
  ])("is read as it was printed: %s", (_, mapping) =>
    assert.deepStrictEqual(Either.getOrThrow(parse(print(mapping))), mapping)
  )

  it.each([
    ["ready", { kind: "label", name: "ready" }],
    ["status:Todo", { kind: "status", name: "Todo" }],
    ["label:status:todo", { kind: "label", name: "status:todo" }],
    ["status:", { kind: "label", name: "status:" }]
  ])("%s is a mark", (given, mark) => assert.deepStrictEqual(markOf(given), mark as never))

  it("may have spaces and empty lines", () =>
    assert.deepStrictEqual(Either.getOrThrow(parse({ ...text, columns: "\n in work = in_progress \n\n" })).columns, [
      { mark: { kind: "label", name: "in work" }, column: "in_progress" }
    ]))

  it.each([
    ["columns", { columns: "ready" }, "'ready' must be a label, '=' and one of backlog"],
    ["columns", { columns: "ready=moon" }, "one of backlog, refining, ready, in_progress, review, done"],
    ["columns", { columns: "=ready" }, "'=ready' must be a label"],
    ["columns", { columns: " " }, "1 to 50 lines"],
    ["columns", { columns: "a=ready\n".repeat(51) }, "1 to 50 lines"],
    ["sizes", { sizes: "big=huge" }, "one of xs, s, m, l, xl"],
    ["classes", { classes: `${"x".repeat(201)}=expedite` }, "more than 200 characters"],
    ["only", { only: "x".repeat(201) }, "more than 200 characters"]
  ] as const)("names a wrong line of %s: %o", (field, more, words) => {
    const wrong = Either.getOrThrow(Either.flip(parse({ ...text, ...more })))
    assert.strictEqual(wrong.field, field)
    assert.include(wrong.problem, words)
  })
})
