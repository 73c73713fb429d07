import { Context, type Effect, type Redacted, Schema } from "effect"
import type { Notice } from "../../domain/oncall/Notice.ts"

/** What is sent to one person or place. */
export interface Message {
  /** The same on every try, so that whoever gets it twice can tell. */
  readonly id: string
  readonly subject: string
  /** The whole message for people. */
  readonly text: string
  /** The same for programs. */
  readonly notice: Notice
}

/** It was not delivered; what can never be delivered is not tried again. */
export class Undelivered extends Schema.TaggedError<Undelivered>()("Undelivered", {
  problem: Schema.String,
  isFinal: Schema.Boolean
}) {
  override get message() {
    return this.problem
  }
}

/** One way to reach people. The address may be a secret: no error tells it. */
export interface Notifier {
  readonly send: (to: Redacted.Redacted, message: Message) => Effect.Effect<void, Undelivered>
}

/** Every way out: `mail` reaches members, `webhook` places; null is not set up. */
export class Notifiers extends Context.Tag("application/Notifiers")<
  Notifiers,
  { readonly mail: Notifier | null; readonly webhook: Notifier }
>() {}
