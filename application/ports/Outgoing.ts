import { Context, type Duration, type Effect, Schema } from "effect"

/** A request to an address that a person typed. */
export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly url: string
  /** A value with a control character, or one above U+00FF, is refused. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Timeout of the whole exchange; 10 s by default. */
  readonly within?: Duration.Duration
  /** Bytes of the body that are read; 64 KiB by default. */
  readonly most?: number
}

export interface Response {
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Truncated when it is long. */
  readonly body: string
}

/** The request got no answer. The address may hold a secret, so the error names only its host. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  host: Schema.String,
  problem: Schema.String,
  /** True when the address itself is forbidden: no connection was made, and none ever will be. */
  isForbidden: Schema.Boolean
}) {
  override get message() {
    return `${this.host}: ${this.problem}`
  }
}

/** Requests to addresses that people typed; they must not reach hosts that only this machine can reach. */
export class Outgoing extends Context.Tag("application/Outgoing")<
  Outgoing,
  { readonly send: (request: Request) => Effect.Effect<Response, Unreachable> }
>() {}
