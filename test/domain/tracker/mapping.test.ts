import { assert, describe, it } from "vitest"
import {
  changeTo,
  columnMarks,
  columnShown,
  contradiction,
  isMirrored,
  type Mapping,
  unknownMarks,
  usualMapping
} from "../../../domain/tracker/Mapping.ts"

const label = (name: string) => ({ kind: "label", name }) as const

describe("the usual mapping", () => {
  it.each([
    [[], null, "backlog"],
    [["bug"], null, "backlog"],
    [["Ready"], null, "ready"],
    [["ready", "refining"], null, "refining"],
    [["ready", "in progress"], null, "in_progress"],
    [["review", "ready"], null, "review"],
    [["ready"], "completed", "done"]
  ] as const)("shows issues with %j, closed as %s, in %s", (labels, closed, column) =>
    assert.strictEqual(columnShown(usualMapping, { labels, status: null, closed }), column)
  )

  it.each([
    ["ready", [], false, { addLabels: ["ready"], removeLabels: [] }],
    ["ready", ["Ready"], false, { addLabels: [], removeLabels: [] }],
    ["in_progress", ["ready", "bug"], false, { addLabels: ["in progress"], removeLabels: ["ready"] }],
    ["backlog", ["review", "ready"], false, { addLabels: [], removeLabels: ["review", "ready"] }],
    ["done", ["in progress"], false, { addLabels: [], removeLabels: ["in progress"], closed: "completed" }],
    ["done", ["in progress"], true, { addLabels: [], removeLabels: ["in progress"] }],
    ["ready", [], true, { addLabels: ["ready"], removeLabels: [], closed: null }]
  ] as const)("moves to %s an issue with %j, closed: %s", (column, labels, isClosed, change) =>
    assert.deepStrictEqual(changeTo(usualMapping, column, { labels, isClosed, status: null }), change as never)
  )

  it("names the marks of a column", () => {
    assert.deepStrictEqual(columnMarks(usualMapping, "ready"), [{ kind: "label", name: "ready" }])
    assert.deepStrictEqual(columnMarks(usualMapping, "done"), [])
  })
})

describe("a mapping", () => {
  const only = { ...usualMapping, only: "team/pay" }

  it.each([
    [only, ["Team/Pay"], true],
    [only, ["pay"], false],
    [usualMapping, [], true]
  ] as const)("%# mirrors issues by their label", (mapping, labels, expected) =>
    assert.strictEqual(isMirrored(mapping, { labels, status: null }), expected)
  )

  it("names marks that the project lacks", () => {
    const mapping: Mapping = { ...only, sizes: { big: "l" }, classes: { now: "expedite" } }
    const labels = ["READY", "review", "refining", "In Progress", "big"]
    assert.deepStrictEqual(unknownMarks(mapping, { labels, statuses: ["now"] }), [label("now"), label("team/pay")])
  })

  it("names a mark that two rows have", () => {
    assert.isNull(contradiction(usualMapping))
    const twice = [...usualMapping.columns, { mark: label("READY"), column: "review" as const }]
    assert.deepStrictEqual(contradiction({ ...usualMapping, columns: twice }), label("READY"))
    const other = [
      ...usualMapping.columns,
      { mark: { kind: "status", name: "ready" } as const, column: "review" as const }
    ]
    assert.isNull(contradiction({ ...usualMapping, columns: other }))
  })
})
