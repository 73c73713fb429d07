import { Context, type Effect, type Either, type Redacted, Schema } from "effect"
import type { Alert } from "../../domain/oncall/Alert.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import type { SourceKind } from "../../domain/oncall/SignalSource.ts"
import type { JobFailed } from "./JobHandlers.ts"

/** The wanted state of an alert in its tool. */
export interface SourceUpdate {
  readonly alert: Pick<Alert, "fingerprint" | "links">
  readonly to: "acknowledged" | "resolved"
  readonly incident: IncidentKey
  readonly credentials: Redacted.Redacted
}

export class InvalidCredentials extends Schema.TaggedError<InvalidCredentials>()("InvalidCredentials", {
  problem: Schema.String
}) {
  override get message() {
    return `${this.problem}. Nothing is changed.`
  }
}

/** Operations in a tool with credentials of its API. */
export interface SourceApi {
  /** Refuses text that cannot be credentials of this tool, and describes their form. */
  readonly check: (credentials: Redacted.Redacted) => Either.Either<void, InvalidCredentials>
  /** Reads first: `already` when the alert has that state or a later one; never reopens an alert that is over. */
  readonly update: (update: SourceUpdate) => Effect.Effect<"updated" | "already", JobFailed>
}

/** The tools in which alerts can be acknowledged and resolved. */
export class SourceApis extends Context.Tag("application/SourceApis")<
  SourceApis,
  { readonly [Kind in SourceKind]?: SourceApi }
>() {}
