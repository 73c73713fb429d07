import { Context, type Effect, Schema } from "effect"

export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  reason: Schema.optional(Schema.String)
}) {
  override get message() {
    return `${this.reason ?? "The database cannot be reached right now."} Nothing was changed; try again shortly.`
  }
}

/** Whether storage answers right now. */
export class Health extends Context.Tag("application/Health")<
  Health,
  { readonly ready: Effect.Effect<void, Unavailable> }
>() {}
