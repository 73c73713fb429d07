import { Schema } from "effect"
import * as Key from "../value/Key.ts"
import { Policy, PolicySummary, summary } from "./Policy.ts"
import { Line, Slug, Text } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"
import { Platform } from "./Tracker.ts"

export const TeamId = Schema.UUID.pipe(Schema.brand("TeamId"))
export type TeamId = typeof TeamId.Type

export const TeamSlug = Slug.pipe(Schema.brand("TeamSlug"))
export type TeamSlug = typeof TeamSlug.Type
export const parseSlug = Key.parser(TeamSlug, (text) => text.toLowerCase())

export const KeyPrefix = Schema.String.pipe(
  Schema.pattern(/^[A-Z][A-Z0-9]{0,9}$/, { message: () => "must be 1 to 10 of A-Z and 0-9, a letter first" }),
  Schema.brand("KeyPrefix")
)
export type KeyPrefix = typeof KeyPrefix.Type

export const TrackerProject = Schema.Struct({ platform: Platform, project: Line(200) })

export class Team extends Schema.Class<Team>("Team")({
  id: TeamId,
  slug: TeamSlug,
  name: Line(200),
  description: Schema.NullOr(Text),
  keyPrefix: KeyPrefix,
  pausedAt: Schema.NullOr(Timestamp),
  policy: Schema.NullOr(Policy),
  trackerProject: Schema.NullOr(TrackerProject),
  repositories: Schema.Array(Line(500)),
  createdAt: Timestamp,
  updatedAt: Schema.NullOr(Timestamp),
  deletedAt: Schema.NullOr(Timestamp)
}) {}

/** Team as the API shows it. */
export const TeamView = Schema.Struct({
  id: TeamId,
  slug: TeamSlug,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  keyPrefix: KeyPrefix,
  paused: Schema.Boolean,
  policy: Schema.NullOr(PolicySummary),
  createdAt: Timestamp,
  updatedAt: Schema.NullOr(Timestamp)
}).annotations({ identifier: "Team", title: "Team" })
export type TeamView = typeof TeamView.Type

export const view = (team: Team): TeamView => ({
  id: team.id,
  slug: team.slug,
  name: team.name,
  description: team.description,
  keyPrefix: team.keyPrefix,
  paused: team.pausedAt !== null,
  policy: team.policy === null ? null : summary(team.policy, team.pausedAt),
  createdAt: team.createdAt,
  updatedAt: team.updatedAt
})

export class TeamNotFound extends Schema.TaggedError<TeamNotFound>()("TeamNotFound", { team: Schema.String }) {
  override get message() {
    return `There is no team '${this.team}' in this workspace; GET /v1/teams lists them.`
  }
}

export class TeamIsPaused extends Schema.TaggedError<TeamIsPaused>()("TeamIsPaused", { team: TeamSlug }) {
  override get message() {
    return `The team '${this.team}' is paused and starts no new work. Resume it first.`
  }
}
