import { DateTime, Either } from "effect"
import type { ConnectionId } from "../../../domain/connection/Connection.ts"
import { Binding, type BindingId } from "../../../domain/tracker/Binding.ts"
import { usualMapping } from "../../../domain/tracker/Mapping.ts"
import { mirror, type MirrorContext, type SeenIssue } from "../../../domain/tracker/MirrorIssue.ts"
import type { IssueSnapshot, IssueTrail } from "../../../domain/tracker/TrackerIssue.ts"
import type { Story, StoryId, StoryKey } from "../../../domain/work/Story.ts"
import * as Sample from "../Sample.ts"

const uuid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`
export const url = "https://github.com/acme/pay/issues/7"

export const binding = new Binding({
  id: uuid(1) as BindingId,
  team: Sample.team().slug,
  connection: uuid(2) as ConnectionId,
  platform: "github",
  project: "acme/pay",
  mapping: usualMapping,
  createdAt: Sample.before,
  updatedAt: Sample.before,
  removedAt: null
})

export const issue: IssueSnapshot = {
  id: "7",
  key: "acme/pay#7",
  url,
  title: "Fees",
  body: "Why",
  closed: null,
  labels: [],
  status: null,
  statusSince: null,
  author: "ana",
  updatedAt: Sample.before
}

export const empty: MirrorContext = {
  now: Sample.now,
  binding,
  issue: null,
  former: null,
  story: null,
  unfinishedRuns: [],
  hasRun: false,
  pending: [],
  fresh: { id: uuid(5) as StoryId, key: "PAY-9" as StoryKey },
  isWriting: false
}

export const writer = { name: "wanda", mayWrite: true }
export const stranger = { name: "mallory", mayWrite: false }
export const act = (by: { readonly name: string; readonly mayWrite: boolean }, seconds = 0) => ({
  by,
  at: DateTime.add(Sample.before, { seconds })
})
export const trailOf = (of: IssueSnapshot, more: Partial<IssueTrail> = {}): IssueTrail => ({
  readied: act(writer),
  foreignEdit: null,
  text: { title: of.title, body: of.body },
  ...more
})

export const seenAs = (more: Partial<IssueSnapshot>, trail: Partial<IssueTrail> | null = null): SeenIssue => {
  const of = { ...issue, ...more }
  return { issue: of, trail: trail && trailOf(of, trail), readAt: Sample.now }
}

/** The context after an issue was mirrored once. */
export const after = (seen: SeenIssue, more: Partial<MirrorContext> = {}): MirrorContext => {
  const first = Either.getOrThrow(mirror(Sample.ana, seen)(empty))
  const [story] = first.change?.added?.stories ?? []
  return { ...empty, issue: first.issue, story: story ?? null, ...more }
}

export const ready = seenAs({ labels: ["ready"] }, {})
export const later = DateTime.add(Sample.before, { minutes: 1 })

/** Column, note and row of the story after another snapshot. */
export const mirrored = (at: MirrorContext, seen: SeenIssue) => {
  const { change, issue: row, outcome } = Either.getOrThrow(mirror(Sample.ana, seen)(at))
  const story = (change?.changed?.stories?.[0] ?? change?.added?.stories?.[0] ?? at.story) as Story
  return { change, outcome, row, story }
}
