import { Schema } from "effect"
import { TeamSlug } from "../workspace/Team.ts"
import { Line } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

/** Each kind has its own notifier. */
export const PlaceKind = Schema.Literal("webhook")
export type PlaceKind = typeof PlaceKind.Type

/** A destination that a team's incidents are posted to. */
export class Place extends Schema.Class<Place>("Place")({
  team: TeamSlug,
  name: Line(200),
  kind: PlaceKind,
  /** Its address, which is a secret of the chat tool; sealed. */
  address: Schema.String,
  createdAt: Timestamp,
  removedAt: Schema.NullOr(Timestamp)
}) {}

export class PlaceNotFound extends Schema.TaggedError<PlaceNotFound>()("PlaceNotFound", {
  team: Schema.String,
  place: Schema.String
}) {
  override get message() {
    return `The team '${this.team}' has no place '${this.place}'; 'gatehouse team place add' adds one.`
  }
}

export class PlaceTaken extends Schema.TaggedError<PlaceTaken>()("PlaceTaken", {
  team: Schema.String,
  place: Schema.String
}) {
  override get message() {
    return `The team '${this.team}' has a place '${this.place}' already. Remove it first, or choose another name.`
  }
}
