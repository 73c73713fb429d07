import { DateTime, Either } from "effect"
import { assert, describe, it } from "vitest"
import type { ConnectionId } from "../../../domain/connection/Connection.ts"
import { Binding, type BindingId } from "../../../domain/tracker/Binding.ts"
import {
  changeTo,
  columnShown,
  type Mapping,
  unknownMarks,
  usualMapping,
  usualStatuses
} from "../../../domain/tracker/Mapping.ts"
import { mirror, type MirrorContext } from "../../../domain/tracker/MirrorIssue.ts"
import type { IssueAct, IssueSnapshot } from "../../../domain/tracker/TrackerIssue.ts"
import { distrust } from "../../../domain/tracker/Trust.ts"
import { pendingChange, wroteColumn } from "../../../domain/tracker/WriteBack.ts"
import { byService } from "../../../domain/workspace/Actor.ts"
import type { ColumnRole, StoryId, StoryKey } from "../../../domain/work/Story.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import { before, now } from "../Sample.ts"

const mapping: Mapping = { ...usualMapping, columns: usualStatuses, board: { name: "acme/7", field: "Status" } }

const rows = (...given: ReadonlyArray<readonly [mark: string, column: ColumnRole]>): Mapping["columns"] =>
  given.map(([mark, column]) => {
    const [kind = "", name = ""] = mark.split(":")
    return { mark: { kind: kind === "status" ? "status" : "label", name }, column }
  })

describe("the column that an issue shows", () => {
  it.each<readonly [status: string | null, closed: boolean, column: ColumnRole]>([
    [null, false, "backlog"],
    ["Backlog", false, "backlog"],
    ["READY", false, "ready"],
    ["In progress", false, "in_progress"],
    ["In review", false, "review"],
    ["Done", false, "done"],
    ["Someday", false, "backlog"],
    ["Ready", true, "done"]
  ])("%s, closed %s: %s", (status, isClosed, column) => {
    assert.strictEqual(
      columnShown(mapping, { labels: ["ready"], status, closed: isClosed ? "completed" : null }),
      column
    )
  })
})

describe("the status by which an issue shows a column", () => {
  const all = usualStatuses
  const short = rows(["status:Ready", "ready"], ["status:Doing", "in_progress"])
  const mixed = rows(["label:blocked", "refining"], ["status:Ready", "ready"])
  const untouched = "untouched"
  it.each<
    readonly [name: string, columns: Mapping["columns"], from: string | null, to: ColumnRole, status: string | null]
  >([
    ["its own", all, "Ready", "in_progress", "In progress"],
    ["that it has already", all, "in PROGRESS", "in_progress", untouched],
    ["of Backlog, where it has none of its own", all, "Ready", "refining", "Backlog"],
    ["none, where Backlog has none either", short, "Ready", "refining", null],
    ["none, which it has already", short, null, "backlog", untouched],
    ["of Done", all, "In review", "done", "Done"],
    ["left as it is, where Done has none", short, "Doing", "done", untouched],
    ["left as it is, where a label shows the column", mixed, "Ready", "refining", untouched],
    ["left as it is, in a mapping by labels", usualMapping.columns, null, "ready", untouched]
  ])("%s", (_, columns, from, to, status) => {
    const change = changeTo({ ...mapping, columns }, to, { labels: [], isClosed: false, status: from })
    assert.deepStrictEqual("status" in change ? change.status : untouched, status)
  })

  it("a mapping by labels is as it was", () => {
    const change = changeTo(usualMapping, "review", { labels: ["ready", "bug"], isClosed: false, status: null })
    assert.deepStrictEqual(change, { addLabels: ["review"], removeLabels: ["ready"] })
  })
})

it("a status that the board lacks is unknown, whatever labels there are", () => {
  const project = { labels: ["Done", "ready"], statuses: ["backlog", "Ready", "In progress", "In review"] }
  assert.deepStrictEqual(unknownMarks(mapping, project), [{ kind: "status", name: "Done" }])
})

const act = (mayWrite: boolean, isOwn = false): IssueAct => ({
  by: { name: "ana", mayWrite, ...(isOwn && { isOwn }) },
  at: before
})

it("the note names the status and the way out", () => {
  assert.strictEqual(
    distrust("acme/pay", { readied: null, foreignEdit: null }, "status"),
    "acme/pay does not say who gave the issue its status. Read its text, and make the story ready here."
  )
  assert.include(
    distrust("acme/pay", { readied: act(false), foreignEdit: null }, "status"),
    "ana gave the issue its status, and may not write to acme/pay."
  )
})

const issue = (status: string | null, more: Partial<IssueSnapshot> = {}): IssueSnapshot => ({
  id: "1",
  key: "acme/pay#1",
  url: "https://x.test/1",
  title: "Pay",
  body: "Text.",
  closed: null,
  labels: [],
  status,
  statusSince: null,
  author: "ana",
  updatedAt: before,
  ...more
})

const binding = new Binding({
  id: "00000000-0000-4000-8000-000000000001" as BindingId,
  team: "payments" as TeamSlug,
  connection: "00000000-0000-4000-8000-000000000002" as ConnectionId,
  platform: "github",
  project: "acme/pay",
  mapping,
  createdAt: before,
  updatedAt: before,
  removedAt: null
})

const empty: MirrorContext = {
  now,
  binding,
  issue: null,
  former: null,
  hasRun: false,
  story: null,
  unfinishedRuns: [],
  pending: [],
  fresh: { id: "00000000-0000-4000-8000-000000000003" as StoryId, key: "PAY-1" as StoryKey },
  isWriting: false
}

const seen = (
  at: MirrorContext,
  shown: IssueSnapshot,
  readied: IssueAct | null,
  foreignEdit: IssueAct | null = null
) => {
  const trail = { readied, foreignEdit, text: { title: shown.title, body: shown.body } }
  const result = mirror(byService, { issue: shown, trail, readAt: now })(at)
  if (Either.isLeft(result)) throw new Error(result.left)
  const { change, issue: row } = result.right
  const story = change?.added?.stories?.[0] ?? change?.changed?.stories?.[0] ?? at.story
  return { row, story, at: { ...at, issue: row, story } }
}

describe("who set the status", () => {
  it.each<readonly [name: string, readied: IssueAct | null, column: ColumnRole]>([
    ["a person who may write", act(true), "ready"],
    ["a person who may not", act(false), "refining"],
    ["nobody whom the tracker names", null, "refining"]
  ])("%s", (_, readied, column) => {
    const { row, story } = seen(empty, issue("Ready"), readied)
    assert.deepStrictEqual([story?.column.role, row.isUntrusted, row.status], [column, column === "refining", "Ready"])
  })

  it("a trusted status stands while it stays, though the tracker forgets who set it", () => {
    const { at } = seen(empty, issue("Ready"), act(true))
    const still = seen(at, issue("Ready", { labels: ["bug"] }), null)
    assert.deepStrictEqual([still.story?.column.role, still.row.isUntrusted], ["ready", false])
    const later = DateTime.add(now, { minutes: 1 })
    const stranger = { ...act(false), at: later }
    const edited = seen(at, issue("Ready", { body: "Other.", updatedAt: later }), null, stranger)
    assert.strictEqual(edited.story?.column.role, "refining")
    const away = seen(at, issue("Backlog"), null)
    const back = seen(away.at, issue("Ready"), null)
    assert.deepStrictEqual([away.story?.column.role, back.story?.column.role], ["backlog", "refining"])
  })

  it("a status that the service set for a member stands", () => {
    const { at } = seen(empty, issue("Ready"), null)
    if (at.story === null) throw new Error("no story")
    const moved = { ...at.story, column: { name: "Ready", role: "ready" as const } }
    assert.deepStrictEqual(pendingChange(binding, at.issue, at.story), {
      addLabels: [],
      removeLabels: [],
      status: "Backlog"
    })
    const row = wroteColumn(binding, at.issue, "ready", issue("Ready"), now)
    const still = seen({ ...at, issue: row, story: moved as never }, issue("Ready"), null)
    assert.strictEqual(still.story?.column.role, "ready")
  })
})
