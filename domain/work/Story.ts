import { type DateTime, Schema } from "effect"
import * as Key from "../value/Key.ts"
import { TeamSlug } from "../workspace/Team.ts"
import { Line, nameFrom, Text } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"
import { TrackerIssue } from "../workspace/Tracker.ts"
import { skipValidation } from "../value/SkipValidation.ts"

export const StoryId = Schema.UUID.pipe(Schema.brand("StoryId"))
export type StoryId = typeof StoryId.Type

export const StoryKey = Schema.String.pipe(
  Schema.pattern(/^[A-Z][A-Z0-9]{0,9}-[1-9][0-9]{0,8}$/, { message: () => "must be a story key such as PAY-12" }),
  Schema.brand("StoryKey")
)
export type StoryKey = typeof StoryKey.Type
export const parseKey = Key.parser(StoryKey, (text) => text.toUpperCase())

export const prefixOf = (key: StoryKey): string => key.slice(0, key.lastIndexOf("-"))
export const numberOf = (key: StoryKey): number => Number(key.slice(key.lastIndexOf("-") + 1))

export const ColumnRole = Schema.Literal("backlog", "refining", "ready", "in_progress", "review", "done")
export type ColumnRole = typeof ColumnRole.Type
export const Column = Schema.Struct({ id: Line(100), name: Line(100), role: ColumnRole })
export type Column = typeof Column.Type

const names: Record<ColumnRole, string> = {
  backlog: "Backlog",
  refining: "Refining",
  ready: "Ready",
  in_progress: "In progress",
  review: "Review",
  done: "Done"
}
export const columnOf = (role: ColumnRole): Column => ({ id: role, name: names[role], role })

export const Size = Schema.Literal("xs", "s", "m", "l", "xl")
export const Complexity = Schema.Literal("low", "medium", "high")
export const ClassOfService = Schema.Literal("standard", "expedite", "fixed_date", "intangible")

export const AcceptanceCriterion = Schema.Struct({
  id: Line(100),
  text: Line(4000),
  status: Schema.Literal("pending", "passed", "failed")
}).annotations({ identifier: "AcceptanceCriterion" })

export const Score = Schema.Number.pipe(Schema.between(0, 100))

export class Story extends Schema.Class<Story>("Story")({
  id: StoryId,
  key: StoryKey,
  title: Line(500),
  team: TeamSlug,
  column: Column,
  draft: Schema.Boolean,
  readinessScore: Score,
  size: Schema.NullOr(Size),
  complexity: Schema.NullOr(Complexity),
  classOfService: ClassOfService,
  tracker: Schema.NullOr(TrackerIssue),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  description: Schema.NullOr(Text),
  acceptanceCriteria: Schema.Array(AcceptanceCriterion),
  demonstrate: Schema.Array(Line(4000)),
  testPlan: Schema.NullOr(Text),
  /** The reason for which it was returned; the next run begins with it, unless the mirror of a tracker left it. */
  returnNote: Schema.NullOr(Text),
  /** A rejected draft is hidden from readers; its number is not used again. */
  rejectedAt: Schema.NullOr(Timestamp)
}) {}

/** Ends of a note that the mirror of a tracker leaves in a story: it is for people, and never for an agent. */
export const mirrorNoteEnds = [
  "Read its text, and make it ready again in the tracker.",
  "Read its text, and make the story ready here."
] as const

export const isMirrorNote = (note: string): boolean => mirrorNoteEnds.some((end) => note.endsWith(end))

export const moveTo = (story: Story, role: ColumnRole, now: DateTime.Utc): Story =>
  story.column.role === role ? story : new Story({ ...story, column: columnOf(role), updatedAt: now }, skipValidation)

interface NewStory extends Pick<Story, "id" | "key" | "title" | "team" | "draft" | "classOfService" | "returnNote"> {
  readonly role: ColumnRole
  readonly description: string
  readonly now: DateTime.Utc
}

/** A story that so far has only a description. */
export const newStory = ({ description, now, role, title, ...fields }: NewStory): Story => {
  const content = { description: description === "" ? null : description, acceptanceCriteria: [], demonstrate: [] }
  return new Story({
    ...fields,
    ...content,
    title: nameFrom(title, 500, fields.key),
    column: columnOf(role),
    readinessScore: readiness(content),
    size: null,
    complexity: null,
    tracker: null,
    createdAt: now,
    updatedAt: now,
    testPlan: null,
    rejectedAt: null
  })
}

/** 100 means ready: a description, an acceptance criterion and a step that demonstrates it. */
export const readiness = (story: {
  readonly description: string | null
  readonly acceptanceCriteria: ReadonlyArray<unknown>
  readonly demonstrate: ReadonlyArray<unknown>
}): number =>
  (story.description !== null && story.description.trim() !== "" ? 40 : 0) +
  (story.acceptanceCriteria.length > 0 ? 30 : 0) +
  (story.demonstrate.length > 0 ? 30 : 0)

const listed = {
  id: StoryId,
  key: StoryKey,
  title: Schema.String,
  team: TeamSlug,
  column: Column,
  draft: Schema.Boolean,
  readinessScore: Schema.Number,
  size: Schema.NullOr(Size),
  complexity: Schema.NullOr(Complexity),
  classOfService: ClassOfService,
  tracker: Schema.NullOr(TrackerIssue),
  createdAt: Timestamp,
  updatedAt: Timestamp
}

/** A story as lists show it. */
export const StorySummary = Schema.Struct(listed).annotations({ identifier: "StorySummary" })
export type StorySummary = typeof StorySummary.Type

/** A story in full; `runKeys` are newest first. */
export const StoryView = Schema.Struct({
  ...listed,
  description: Schema.NullOr(Schema.String),
  acceptanceCriteria: Schema.Array(AcceptanceCriterion),
  runKeys: Schema.Array(Schema.String)
}).annotations({ identifier: "Story", title: "Story" })
export type StoryView = typeof StoryView.Type

export class StoryNotFound extends Schema.TaggedError<StoryNotFound>()("StoryNotFound", { story: Schema.String }) {
  override get message() {
    return `There is no story '${this.story}' in this workspace; GET /v1/teams/{team}/stories lists a team's stories.`
  }
}

/** A story with everything its board keeps, for members and their agents. */
export const StoryDetail = Schema.Struct({
  ...StoryView.fields,
  demonstrate: Schema.Array(Schema.String),
  testPlan: Schema.NullOr(Schema.String),
  /** The reason a person returned it to Backlog. */
  returnNote: Schema.NullOr(Schema.String)
})
export type StoryDetail = typeof StoryDetail.Type
