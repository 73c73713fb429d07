import { DateTime } from "effect"
import { assert, describe, it } from "vitest"
import type { IssueChange } from "../../../domain/tracker/IssueChange.ts"
import type { MirroredIssue } from "../../../domain/tracker/MirroredIssue.ts"
import { isLeftByRun } from "../../../domain/tracker/PendingMove.ts"
import { isEmpty, pendingChange, wroteColumn } from "../../../domain/tracker/WriteBack.ts"
import * as Sample from "../Sample.ts"
import { after, binding, issue, later, ready } from "./MirrorScene.ts"

const row = after(ready).issue as MirroredIssue
const rowWith = (more: Partial<MirroredIssue>) => ({ ...row, ...more }) as MirroredIssue

describe("an issue", () => {
  const { now } = Sample
  it.each([
    ["follows its story", {}, {}, ["review"]],
    ["that a run holds follows its story", { isHeld: true }, {}, ["review"]],
    ["that is closed follows its story", { isClosed: true }, {}, ["review"]],
    ["that a person closed during a run is not overruled", { isHeld: true, isClosed: true }, {}, null],
    ["that has left is not written", { goneAt: now }, {}, null],
    ["of a rejected story is not written", {}, { rejectedAt: now }, null],
    ["that was given the column is not written again", { settled: "review" }, {}, null]
  ] as const)("%s", (_, more, story, added) => {
    const change = pendingChange(binding, rowWith(more), Sample.story("review", story))
    assert.deepStrictEqual(change?.addLabels ?? null, added)
  })
})

describe("a change of an issue", () => {
  const none: IssueChange = { addLabels: [], removeLabels: [] }
  it.each([
    ["without a part", {}, true],
    ["with a label to add", { addLabels: ["a"] }, false],
    ["with a label to remove", { removeLabels: ["a"] }, false],
    ["that closes", { closed: "completed" }, false],
    ["that reopens", { closed: null }, false],
    ["with a status", { status: "Done" }, false],
    ["that takes the status away", { status: null }, false]
  ] as const)("%s is empty, or the tracker is called", (_, more, expected) =>
    assert.strictEqual(isEmpty({ ...none, ...more }), expected)
  )
})

describe("the row after a write", () => {
  const earlier = DateTime.subtract(Sample.before, { seconds: 1 })
  const seen = { ...issue, labels: ["ready"] }
  const wrote = (more: object) => wroteColumn(binding, row, "review", { ...seen, ...more }, Sample.now)

  it.each([
    ["the same state", {}, Sample.before, row.fingerprint],
    ["a later time", { updatedAt: later }, later, row.fingerprint],
    ["an earlier time", { updatedAt: earlier }, Sample.before, row.fingerprint],
    ["another text, which is left to be read", { updatedAt: later, body: "Now" }, Sample.before, "written"],
    ["other labels", { updatedAt: later, labels: ["review"] }, later, "written"]
  ])("has %s", (_, more, version, fingerprint) => {
    const after = wrote(more)
    assert.deepStrictEqual([after.version, after.fingerprint, after.text], [version, fingerprint, row.text])
  })

  it("shows what the tracker answered", () => {
    const answer = { labels: ["review"], status: "In review", statusSince: later }
    const expected = { ...answer, shown: "review", settled: "review", isClosed: false, syncedAt: Sample.now }
    assert.deepInclude<object>(wrote(answer), { ...expected, isUntrusted: false })
    assert.deepInclude<object>(wrote({ closed: "completed" }), { shown: "done", isClosed: true })
  })

  it("without an answer has the column alone", () =>
    assert.deepStrictEqual({ ...wroteColumn(binding, row, "review", null, Sample.now) }, { ...row, settled: "review" }))
})

it.each([
  ["in_progress", "done", true],
  ["review", "done", true],
  ["ready", "done", false],
  ["review", "ready", false]
] as const)("an issue that went from %s to %s still shows a run: %s", (shown, to, expected) =>
  assert.strictEqual(isLeftByRun({ shown }, to), expected)
)
