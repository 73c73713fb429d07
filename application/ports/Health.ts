import { Context, type Effect, Schema } from "effect"

export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  reason: Schema.optional(Schema.String),
  /** Unknown when the database connection was lost during a commit. */
  outcome: Schema.optional(Schema.Literal("unknown"))
}) {
  override get message() {
    if (this.outcome === "unknown")
      return "The database went away while a change was written: whether it was made is not known yet. Look before you try again, or repeat it with the same Idempotency-Key."
    return `${this.reason ?? "The database cannot be reached right now."} Nothing was changed; try again shortly.`
  }
}

/** Fails when storage does not answer. */
export class Health extends Context.Tag("application/Health")<
  Health,
  { readonly ready: Effect.Effect<void, Unavailable> }
>() {}
