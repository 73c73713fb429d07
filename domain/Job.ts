import { type DateTime, Schema } from "effect"
import { DecisionKey } from "./Decision.ts"
import { RunKey } from "./RunKey.ts"
import { StoryKey } from "./Story.ts"
import { TeamSlug } from "./Team.ts"
import { Text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

export const JobId = Schema.UUID.pipe(Schema.brand("JobId"))
export type JobId = typeof JobId.Type

export const JobKind = Schema.Literal("tell_agent", "merge_pull_request", "open_revert", "restore_spec", "write_story")
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
  createdAt: Timestamp,
  updatedAt: Timestamp
}) {}

type Given = Pick<Job, "id" | "kind" | "team" | "story" | "runKey" | "decision" | "payload">

export const queued = (given: Given, now: DateTime.Utc): Job =>
  new Job({ ...given, status: "queued", tries: 0, error: null, createdAt: now, updatedAt: now })
