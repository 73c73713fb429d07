import { DateTime, Either } from "effect"
import { assert, describe, it } from "vitest"
import { textOf } from "../../../domain/tracker/IssueStory.ts"
import { mirror, remove } from "../../../domain/tracker/MirrorIssue.ts"
import type { MirroredIssue } from "../../../domain/tracker/MirroredIssue.ts"
import { pendingChange } from "../../../domain/tracker/WriteBack.ts"
import { isMirrorNote, type StoryKey } from "../../../domain/work/Story.ts"
import * as Sample from "../Sample.ts"
import { act, after, binding, empty, issue, later, mirrored, ready, seenAs, stranger, url } from "./MirrorScene.ts"

describe("a new issue", () => {
  it.each([
    ["without a label", {}, null, "backlog", false],
    ["that a writer made ready", { labels: ["ready"] }, {}, "ready", false],
    ["that a stranger made ready", { labels: ["ready"] }, { readied: act(stranger) }, "refining", true],
    ["that nobody is known to have made ready", { labels: ["ready"] }, { readied: null }, "refining", true],
    ["that a stranger edited since", { labels: ["review"] }, { foreignEdit: act(stranger, 1) }, "refining", true],
    ["that a stranger edited before", { labels: ["ready"] }, { foreignEdit: act(stranger, -1) }, "ready", false],
    ["that is closed", { closed: "not_planned" }, null, "done", false]
  ] as const)("%s becomes a story in its column", (_, more, trail, column, hasNote) => {
    const { outcome, row, story } = mirrored(empty, seenAs(more, trail))
    assert.deepStrictEqual([outcome, story.column.role, story.key as string], ["created", column, "PAY-9"])
    assert.deepStrictEqual([row.isUntrusted, isMirrorNote(story.returnNote ?? "")], [hasNote, hasNote])
    assert.deepStrictEqual(story.tracker, { platform: "github", key: issue.key, url })
  })
})

describe("a mirrored issue", () => {
  const run = Sample.run("running")

  it.each([
    ["another label", { labels: ["review"] }, {}, {}, "review", "moved"],
    ["no label any more", { labels: [] }, null, {}, "backlog", "moved"],
    ["another text by a writer", { labels: ["ready"], body: "Now" }, {}, {}, "ready", "updated"],
    [
      "another text by a stranger",
      { labels: ["ready"], body: "Now" },
      { foreignEdit: act(stranger, 60) },
      {},
      "refining",
      "moved"
    ],
    ["another label while a run works", { labels: ["review"] }, {}, { unfinishedRuns: [run] }, "ready", "unchanged"],
    [
      "another text while a run works",
      { labels: ["ready"], body: "Now" },
      {},
      { unfinishedRuns: [run] },
      "ready",
      "held"
    ],
    [
      "been closed as completed while a run works",
      { closed: "completed" },
      null,
      { unfinishedRuns: [run] },
      "ready",
      "held"
    ],
    [
      "been closed as not planned while a run works",
      { closed: "not_planned" },
      null,
      { unfinishedRuns: [run] },
      "done",
      "moved"
    ],
    ["the same state again", { labels: ["ready"] }, {}, {}, "ready", "unchanged"]
  ] as const)("that has %s", (_, more, trail, context, column, outcome) => {
    const found = mirrored(after(ready, context), seenAs({ ...more, updatedAt: later }, trail))
    assert.deepStrictEqual([found.story.column.role, found.outcome], [column, outcome])
  })

  it.each([
    ["an older state", {}, { updatedAt: DateTime.subtract(Sample.before, { seconds: 1 }) }, "unchanged"],
    ["a state while the service writes", { isWriting: true }, { labels: [] }, "stale"],
    ["a state that was read before the last one", { now: later }, { labels: [] }, "stale"]
  ] as const)("%s changes nothing", (_, context, more, skipped) => {
    const at = after(ready, context)
    const kept =
      at.issue === null ? null : ({ ...at.issue, syncedAt: DateTime.add(Sample.now, { minutes: 1 }) } as MirroredIssue)
    const decided = mirror(Sample.ana, seenAs(more))({ ...at, issue: kept })
    assert.deepStrictEqual(Either.getLeft(decided)._tag === "Some" && Either.getOrThrow(Either.flip(decided)), skipped)
  })

  it("keeps a move that the tracker has not been given", () => {
    const at = after(ready)
    const moved = { ...at, story: Sample.story("review", { tracker: at.story?.tracker ?? null }) }
    const { row, story } = mirrored(moved, ready)
    assert.deepStrictEqual([story.column.role, row.settled], ["review", "ready"])
    assert.deepStrictEqual(pendingChange(binding, row, story)?.addLabels, ["review"])
  })

  it.each([
    ["the same", {}, {}, "review", "ready"],
    ["another text", { body: "Now" }, {}, "ready", "ready"],
    ["another column", { labels: ["refining"] }, {}, "refining", "refining"],
    ["a text that nobody stands for", {}, { foreignEdit: act(stranger, 60) }, "refining", "ready"]
  ] as const)("of an earlier binding that shows %s keeps such a move, or not", (_, more, trail, column, settled) => {
    const at = after(ready)
    const story = Sample.story("review", { key: "PAY-9" as StoryKey, tracker: at.story?.tracker ?? null })
    const found = mirrored(
      { ...at, issue: null, former: at.issue, story },
      seenAs({ labels: ["ready"], ...more }, trail)
    )
    assert.deepStrictEqual([found.story.column.role, found.row.settled], [column, settled])
  })

  it.each([
    [true, ["in progress"]],
    [false, []]
  ])("that a person closes loses the label of a run: %s", (hasRun, removed) => {
    const at = after(seenAs({ labels: ["in progress"] }, {}), { hasRun })
    const { row, story } = mirrored(at, seenAs({ labels: ["in progress"], closed: "completed", updatedAt: later }))
    assert.deepStrictEqual(pendingChange(binding, row, story)?.removeLabels ?? [], removed)
  })

  it("that left hides its story and ends its runs, once", () => {
    const at = after(ready, { unfinishedRuns: [run] })
    const { change, issue: row, outcome } = Either.getOrThrow(remove(Sample.ana, "deleted", Sample.now)(at))
    assert.strictEqual(outcome, "removed")
    assert.deepStrictEqual(change?.changed?.stories?.[0]?.rejectedAt, Sample.now)
    assert.strictEqual(change?.changed?.runs?.[0]?.latest.status, "stopped")
    assert.isTrue(Either.isLeft(remove(Sample.ana, "deleted", Sample.now)({ ...at, issue: row })))
  })

  it("has the digest of the text that its story has", () => assert.strictEqual(after(ready).issue?.text, textOf(issue)))
})
