import { Context, type Duration, type Effect, Schema } from "effect"

/** A request to an address that somebody typed. */
export interface Request {
  readonly method: "GET" | "POST" | "PUT"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** What the whole exchange may take; 10 s when it is not said. */
  readonly within?: Duration.Duration
}

export interface Response {
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Cut where it gets long. */
  readonly body: string
}

/** No answer came. The address may hold a secret, so only its host is told. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  host: Schema.String,
  problem: Schema.String,
  /** The address itself is refused: nothing was connected to, and nothing ever will be. */
  isForbidden: Schema.Boolean
}) {
  override get message() {
    return `${this.host}: ${this.problem}`
  }
}

/** Requests to addresses that people typed, which must not reach what only this machine can reach. */
export class Outgoing extends Context.Tag("application/Outgoing")<
  Outgoing,
  { readonly send: (request: Request) => Effect.Effect<Response, Unreachable> }
>() {}
