import { Schema } from "effect"
import { ConnectionId } from "../connection/Connection.ts"
import { Line } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"
import { TeamSlug } from "../workspace/Team.ts"
import { Platform } from "../workspace/Tracker.ts"
import { Mapping } from "./Mapping.ts"

export const BindingId = Schema.UUID.pipe(Schema.brand("BindingId"))
export type BindingId = typeof BindingId.Type

/** A team's project in a tracker, over a connection: its issues become stories of the team. */
export class Binding extends Schema.Class<Binding>("Binding")({
  id: BindingId,
  team: TeamSlug,
  connection: ConnectionId,
  platform: Platform,
  /** As the tracker names it, such as acme/shop. */
  project: Line(200),
  mapping: Mapping,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  removedAt: Schema.NullOr(Timestamp)
}) {}

/** Progress of a look through all issues of a project. */
export const Sweep = Schema.Struct({
  /** Counts the sweeps of a binding. */
  number: Schema.Int,
  /** Place at which it goes on; null at the beginning. */
  cursor: Schema.NullOr(Schema.String),
  /** Issues that it has read. */
  read: Schema.Int,
  /** Issues of the project when a first mirror began; null when the tracker did not say. */
  total: Schema.optionalWith(Schema.NullOr(Schema.Int), { default: () => null }),
  /** True when all pages are read, and issues that they did not show are asked for one by one. */
  isRead: Schema.Boolean,
  startedAt: Timestamp
})
export type Sweep = typeof Sweep.Type

/** The state of the mirror of a project. */
export const Sync = Schema.Struct({
  /** Latest change, by the tracker's clock, up to which all issues are mirrored; null while the project is empty. */
  watermark: Schema.NullOr(Timestamp),
  etag: Schema.NullOr(Schema.String),
  sweep: Schema.NullOr(Sweep),
  /** Number of the last sweep, and its end. */
  swept: Schema.Int,
  sweptAt: Schema.NullOr(Timestamp),
  /** Start of the last round that read all that it asked for. */
  readAt: Schema.optionalWith(Schema.NullOr(Timestamp), { default: () => null }),
  /** Id of the issue after which the look at the board goes on; null at the beginning. */
  boardCursor: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
  /** Reason for which the last round ended early. */
  trouble: Schema.NullOr(Schema.String)
})
export type Sync = typeof Sync.Type

export const newSync: Sync = {
  watermark: null,
  etag: null,
  sweep: null,
  swept: 0,
  sweptAt: null,
  readAt: null,
  boardCursor: null,
  trouble: null
}

export class TeamNotBound extends Schema.TaggedError<TeamNotBound>()("TeamNotBound", { team: Schema.String }) {
  override get message() {
    return `The team '${this.team}' has no tracker. Bind one with 'gatehouse tracker bind'.`
  }
}

export class ProjectTaken extends Schema.TaggedError<ProjectTaken>()("ProjectTaken", {
  project: Schema.String,
  team: Schema.String
}) {
  override get message() {
    return `The project '${this.project}' is the tracker of the team '${this.team}'. Unbind it there first, or choose another project.`
  }
}

export class InvalidBinding extends Schema.TaggedError<InvalidBinding>()("InvalidBinding", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.field} ${this.problem}.`
  }
}
