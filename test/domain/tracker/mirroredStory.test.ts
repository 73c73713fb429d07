import { DateTime, Either } from "effect"
import { assert, describe, it } from "vitest"
import { type Binding } from "../../../domain/tracker/Binding.ts"
import { usualMapping } from "../../../domain/tracker/Mapping.ts"
import { mirror, type MirrorContext, remove } from "../../../domain/tracker/MirrorIssue.ts"
import type { MirroredIssue } from "../../../domain/tracker/MirroredIssue.ts"
import { Story } from "../../../domain/work/Story.ts"
import { recorded } from "../Outcome.ts"
import * as Sample from "../Sample.ts"
import { act, after, binding, empty, issue, later, mirrored, ready, seenAs, stranger } from "./MirrorScene.ts"

const { ana, before, now } = Sample
const run = Sample.run("running")
const labels = ["ready"]
const full = "Why\n\n## Acceptance criteria\n\n- Fees\n\n## Demonstrate\n\n1. Pay\n\n## Test plan\n\nBy hand"

/** The context after a ready issue was mirrored, with another row and another story. */
const known = (
  row: Partial<MirroredIssue> = {},
  story: Partial<Story> = {},
  more: Partial<Omit<MirrorContext, "issue" | "story">> = {}
) => {
  const at = after(ready)
  const changed = new Story({ ...(at.story as Story), ...story })
  return { ...at, issue: { ...at.issue, ...row } as MirroredIssue, story: changed, ...more }
}
const skipped = (at: MirrorContext, seen = ready) => Either.getOrNull(Either.flip(mirror(ana, seen)(at)))
const note = "mallory edited it. Read its text, and make it ready again in the tracker."

describe("the audit log", () => {
  it("has a new story with its column and issue", () => {
    const { change, row, story } = mirrored(empty, seenAs({ labels, body: full }, {}))
    assert.deepStrictEqual(recorded(change as never), ["story_changed story Fees"])
    const fact = change?.audit[0]
    assert.strictEqual(fact?.team, binding.team)
    const shown = { title: "Fees", column: "ready", tracker: story.tracker }
    assert.deepInclude(fact?.details, { before: null, after: shown })
    assert.deepStrictEqual(row.stated, ["acceptanceCriteria", "demonstrate", "testPlan"])
    assert.deepInclude<object>(story, { draft: false, description: "Why", readinessScore: 100 })
    assert.deepInclude<object>(row, { isHeld: false, isClosed: false, goneAt: null, syncedAt: now })
  })

  it("has each field that the issue changes, and the reason of a move", () => {
    const at = after(ready)
    const url = "https://github.com/acme/pay/issues/8"
    const more = { labels: ["ready", "size: l", "expedite"], title: "Taxes", body: full, url, updatedAt: later }
    const { change, row } = mirrored(at, seenAs(more, { foreignEdit: act(stranger, 60) }))
    assert.deepStrictEqual(recorded(change as never), ["story_changed story Taxes", "story_moved story Taxes"])
    const [changed, moved] = change?.audit ?? []
    assert.strictEqual(changed?.team, binding.team)
    assert.deepInclude(Object(changed?.details["after"]), {
      title: "Taxes",
      testPlan: "By hand",
      size: "l",
      classOfService: "expedite",
      demonstrate: ["Pay"],
      acceptanceCriteria: ["Fees"],
      tracker: { platform: "github", key: issue.key, url },
      note: row.note
    })
    assert.deepInclude(moved?.details, { after: { column: "refining" }, reason: row.note })
    assert.include(row.note, "mallory")
  })

  it("has no reason of a move that nobody doubts", () => {
    const { change } = mirrored(known(), seenAs({ labels: ["review"], updatedAt: later }, {}))
    assert.deepStrictEqual(recorded(change as never), ["story_moved story Fees"])
    assert.notProperty(change?.audit[0].details, "reason")
  })
})

describe("the story that was written as an issue", () => {
  it("keeps its column, sizes and note, and says so", () => {
    const own = Sample.story("refining", { returnNote: "Later" })
    const seen = seenAs({ labels: ["ready", "size: xl"], body: "Why" }, { foreignEdit: act(stranger, -9) })
    const { change, outcome, row, story } = mirrored({ ...empty, story: own }, seen)
    assert.deepStrictEqual(
      [outcome, story.column.role, story.size, story.returnNote],
      ["written", "refining", "m", "Later"]
    )
    assert.deepStrictEqual([row.story, row.shown, row.settled], [own.key, "ready", "ready"])
    assert.deepStrictEqual(recorded(change as never), [`story_written story ${story.title}`])
    assert.deepInclude(change?.audit[0], { team: own.team })
    assert.deepInclude(change?.audit[0].details, { tracker: story.tracker })
  })
})

describe("an issue that is back", () => {
  it.each([
    ["gives its story what it shows", { labels: ["review", "size: s"] }, {}, "review", "s"],
    ["gives its story the same again", { labels }, {}, "ready", null],
    ["that a stranger ever edited is not worked on", { labels }, { foreignEdit: act(stranger, 1) }, "refining", null]
  ] as const)("%s", (_, more, trail, column, size) => {
    const at = known({ goneAt: before, sizing: "", note: null }, { rejectedAt: before })
    const { change, row, story } = mirrored(at, seenAs({ ...more, updatedAt: later }, trail))
    assert.deepStrictEqual([story.column.role, story.size, story.rejectedAt, row.goneAt], [column, size, null, null])
    assert.isTrue(change?.audit.some(({ details }) => details["before"] === null))
  })

  it("during a run leaves the text to its end", () => {
    const at = known({ goneAt: before }, {}, { unfinishedRuns: [run] })
    const { outcome, row } = mirrored(at, seenAs({ labels, updatedAt: later }, {}))
    assert.deepStrictEqual([outcome, row.text, row.isHeld, row.version], ["held", "", true, later])
  })

  it("is read again when it was read before it left", () => {
    const at = known({ goneAt: before, syncedAt: DateTime.add(now, { seconds: 1 }) })
    assert.strictEqual(skipped(at), "stale")
    assert.isNull(skipped({ ...at, issue: { ...at.issue, goneAt: null } as MirroredIssue }))
  })
})

describe("a run that works on the story", () => {
  const busy = (row: Partial<MirroredIssue> = {}) =>
    known({ stated: ["testPlan"], note: "n", ...row }, {}, { unfinishedRuns: [run] })

  it.each([
    ["the same text", {}, {}, false, later, "ready", false],
    ["another text", { body: "Now" }, {}, true, before, "ready", false],
    ["another column", { labels: ["review"] }, {}, false, later, "review", false],
    ["a closed issue", { closed: "completed" }, {}, true, later, "ready", false],
    ["a closed issue that nobody stood for", { closed: "completed" }, { isUntrusted: true }, true, later, "ready", true]
  ] as const)("sees %s at its end", (_, more, row, isHeld, version, shown, isUntrusted) => {
    const found = mirrored(busy(row), seenAs({ labels, updatedAt: later, ...more }, {})).row
    assert.deepInclude<object>(found, { isHeld, version, shown, isUntrusted, note: "n", stated: ["testPlan"] })
    assert.strictEqual(found.text, known().issue.text)
  })

  it.each(["not_planned", "duplicate"] as const)(
    "stops when its issue is closed as %s, and its questions end",
    (closed) => {
      const at = { ...busy(), pending: [Sample.another] }
      const { change, outcome } = mirrored(at, seenAs({ labels, closed, updatedAt: later }, {}))
      assert.deepStrictEqual(
        [outcome, change?.changed?.runs?.[0]?.latest.status, change?.changed?.decisions?.[0]?.status],
        ["moved", "stopped", "cancelled"]
      )
    }
  )

  it("is not told of a stranger's text, nor is its story", () => {
    const seen = seenAs({ labels, body: "Now", updatedAt: later }, { foreignEdit: act(stranger, 60) })
    const { row, story } = mirrored(busy(), seen)
    assert.deepStrictEqual([story.returnNote, story.description, row.isUntrusted], [null, "Why", false])
  })
})

describe("questions about a story", () => {
  it.each([
    ["is closed", { closed: "completed" }, 1],
    ["moves on", { labels: ["review"] }, 0],
    ["changes", { labels, body: "Now" }, 0]
  ] as const)("end with its work, and stay otherwise, when its issue %s", (_, more, count) => {
    const { change } = mirrored(known({}, {}, { pending: [Sample.another] }), seenAs({ updatedAt: later, ...more }, {}))
    assert.strictEqual(change?.changed?.decisions?.length, count)
  })
})

describe("the note of a story", () => {
  it.each([
    ["that the mirror left goes with the next move", { note }, note, { labels: ["review"] }, null],
    ["that a person left stays", { note }, "Mind the cents", { labels: ["review"] }, "Mind the cents"],
    ["that the mirror left stays without a move", { note }, note, { labels, body: "Now" }, note],
    ["of a person stays where the mirror left none", { note: null }, "Mind the cents", { labels: [] }, "Mind the cents"]
  ] as const)("%s", (_, row, returnNote, more, expected) => {
    const found = mirrored(known(row, { returnNote }), seenAs({ updatedAt: later, ...more }, {}))
    assert.strictEqual(found.story.returnNote, expected)
    assert.strictEqual(found.row.note, "body" in more ? note : null)
  })
})

describe("an issue that nobody stands for", () => {
  const doubted = after(seenAs({ labels }, { foreignEdit: act(stranger, 1) }))
  it.each([
    ["stays so with another edit", { body: "Now" }, { foreignEdit: act(stranger, 2) }, true, "refining"],
    [
      "stays so when the service set its label",
      {},
      { readied: { ...act({ name: "us", mayWrite: true, isOwn: true } as never, 9) } },
      true,
      "refining"
    ],
    [
      "is ready when a writer sets its label again",
      {},
      { readied: act({ name: "wanda", mayWrite: true }, 9) },
      false,
      "ready"
    ],
    ["moves to a column that nobody chose", { labels: [] }, {}, false, "backlog"]
  ] as const)("%s", (_, more, trail, isUntrusted, column) => {
    const { row, story } = mirrored(doubted, seenAs({ labels, updatedAt: later, ...more }, trail))
    assert.deepStrictEqual([row.isUntrusted, story.column.role, row.note !== null], [isUntrusted, column, isUntrusted])
  })
})

describe("a new text", () => {
  const edited = { foreignEdit: act(stranger, 60), readied: act({ name: "wanda", mayWrite: true }, 30) }
  const inColumn = (role: "ready" | "backlog") =>
    new Story({ ...(after(seenAs({})).story as Story), column: Sample.story(role).column })
  const open = (role: "ready" | "backlog", row: Partial<MirroredIssue> = {}) => {
    const at = after(seenAs({}))
    return { ...at, issue: { ...at.issue, ...row } as MirroredIssue, story: inColumn(role) }
  }
  it.each([
    ["by a stranger returns a story that people chose", open("ready"), { body: "Now" }, edited, true],
    ["by a stranger is taken in Backlog", open("backlog"), { body: "Now" }, edited, false],
    ["is none when it is the same", open("ready"), {}, edited, false],
    [
      "by a stranger before the known one is taken",
      open("ready"),
      { body: "Now" },
      { ...edited, foreignEdit: act(stranger, -1), readied: null },
      false
    ],
    [
      "that waited for a run is judged by all edits",
      open("ready", { text: "" }),
      { body: "Now" },
      { ...edited, foreignEdit: act(stranger, -1), readied: null },
      true
    ]
  ] as const)("%s", (_, at, more, trail, hasNote) => {
    const { row } = mirrored(at, seenAs({ updatedAt: later, ...more }, trail))
    assert.strictEqual(row.note !== null, hasNote)
  })
})

describe("a snapshot", () => {
  it("of a binding that was removed changes nothing", () => {
    const gone = { ...binding, removedAt: now } as Binding
    assert.strictEqual(skipped({ ...empty, binding: gone }), "unchanged")
  })

  it("with another text than its acts is read again", () => {
    const seen = seenAs({ labels }, { text: { title: issue.title, body: "Other" } })
    assert.deepStrictEqual([skipped(empty, seen), skipped(known(), seen)], ["stale", "stale"])
    assert.strictEqual(skipped({ ...empty, isWriting: true }), "stale")
  })

  it("with the same state keeps the story as it is", () => {
    const at = known({}, { size: "xl" })
    const { change, story } = mirrored(at, ready)
    assert.deepStrictEqual([change, story], [null, at.story])
  })
})

describe("an issue that leaves", () => {
  const only = { ...binding, mapping: { ...usualMapping, only: "gatehouse" } } as Binding

  it("by its label hides its story, with the reason", () => {
    const at = known({ isHeld: true }, {}, { binding: only, pending: [Sample.another] })
    const { change, outcome, row } = mirrored(at, ready)
    assert.deepStrictEqual([outcome, row.goneAt, row.isHeld, row.syncedAt], ["removed", now, false, now])
    assert.deepStrictEqual([row.story, row.text], [at.issue.story, at.issue.text])
    assert.deepStrictEqual(recorded(change as never), [
      "story_changed story Fees",
      "decision_cancelled decision Which way?"
    ])
    const [fact] = change?.audit ?? []
    assert.strictEqual(fact?.team, binding.team)
    const details = { before: { removed: null }, after: { removed: "unlabelled" }, tracker: at.story.tracker }
    assert.deepInclude(fact?.details, details)
  })

  it.each([
    ["that was never there", empty, "unchanged"],
    ["whose story is gone", { ...known(), story: null }, "unchanged"],
    ["whose row is gone", { ...known(), issue: null }, "unchanged"],
    ["that was seen since", known({ syncedAt: DateTime.add(now, { seconds: 1 }) }), "stale"]
  ] as const)("%s changes nothing", (_, at, expected) =>
    assert.strictEqual(Either.getOrNull(Either.flip(remove(ana, "deleted", now)(at))), expected)
  )
})
