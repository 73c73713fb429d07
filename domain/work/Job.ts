import { type DateTime, Schema } from "effect"
import { DecisionKey } from "./Decision.ts"
import { MergeHold } from "./MergeHold.ts"
import { orNull } from "../value/Nullable.ts"
import { RunKey } from "../value/RunKey.ts"
import { StoryKey } from "./Story.ts"
import { TeamSlug } from "../workspace/Team.ts"
import { Text } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"
import { skipValidation } from "../value/SkipValidation.ts"

export const JobId = Schema.UUID.pipe(Schema.brand("JobId"))
export type JobId = typeof JobId.Type

export const JobKind = Schema.Literal(
  "tell_agent",
  "open_pull_request",
  "merge_pull_request",
  "open_revert",
  "restore_spec",
  "write_story",
  "follow_incident",
  "investigate_incident",
  "notify_member",
  "post_to_place",
  "update_source"
)
export type JobKind = typeof JobKind.Type

/** `no_adapter` rests until something is connected that can do it; only an adapter's word makes it `done`. */
export const JobStatus = Schema.Literal("queued", "running", "done", "failed", "no_adapter")
export type JobStatus = typeof JobStatus.Type

/** Something to be done outside the process, at least once; its id is the idempotency id of every try. */
export class Job extends Schema.Class<Job>("Job")({
  id: JobId,
  kind: JobKind,
  status: JobStatus,
  team: TeamSlug,
  story: Schema.NullOr(StoryKey),
  runKey: Schema.NullOr(RunKey),
  decision: Schema.NullOr(DecisionKey),
  payload: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  tries: Schema.NonNegativeInt,
  error: Schema.NullOr(Text),
  /** Jobs of one lane are done one after the other; of the due ones, the oldest first. */
  lane: orNull(Schema.String),
  /** Not begun before; null is at once. */
  dueAt: orNull(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp
}) {}

/** A job as lists show it; `hold` says why a merge waits. */
export const JobView = Schema.Struct({ ...Job.fields, hold: Schema.NullOr(MergeHold) })
export type JobView = typeof JobView.Type

/** A merge waits for a red main branch until it has begun. */
export const isHoldable = ({ kind, status }: Pick<Job, "kind" | "status">): boolean =>
  kind === "merge_pull_request" && (status === "queued" || status === "no_adapter")

type NewJob = Pick<Job, "id" | "kind" | "team" | "story" | "runKey" | "decision" | "payload"> &
  Partial<Pick<Job, "lane" | "dueAt">>

export const queued = (job: NewJob, now: DateTime.Utc): Job =>
  new Job({ ...job, status: "queued", tries: 0, error: null, createdAt: now, updatedAt: now }, skipValidation)

/** Somebody waits to be woken, or is: it is tried often. */
export const isUrgent = (kind: JobKind): boolean =>
  ["follow_incident", "investigate_incident", "notify_member", "post_to_place", "update_source"].includes(kind)
