import { Context, type Effect, type Redacted } from "effect"
import type { PlaceKind } from "../../domain/oncall/Place.ts"
import type { Notice } from "../../domain/oncall/Notice.ts"
import type { JobFailed } from "./JobHandlers.ts"

/** A mail to one member. */
export interface Letter {
  /** The same on every try, so that a receiver can recognise a duplicate. */
  readonly id: string
  /** One line. It may contain characters that a header cannot. */
  readonly subject: string
  /** The whole message for people. */
  readonly text: string
  /** The incident's message for programs; null when it is about none. */
  readonly notice: Notice | null
}

/** A message about an incident to one member or place. */
export interface Message extends Letter {
  readonly notice: Notice
}

/** A channel to members or places. The address may be a secret: no error includes it. */
export interface Notifier<M = Message> {
  readonly send: (to: Redacted.Redacted, message: M) => Effect.Effect<void, JobFailed>
}

/** All channels: `mail` reaches members and is null while it is not set up, each kind of place has its own. */
export class Notifiers extends Context.Tag("application/Notifiers")<
  Notifiers,
  { readonly mail: Notifier<Letter> | null; readonly places: Readonly<Record<PlaceKind, Notifier>> }
>() {}
