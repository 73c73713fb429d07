import { Context, type Effect, Schema } from "effect"

export class PageUnreachable extends Schema.TaggedError<PageUnreachable>()("PageUnreachable", {
  host: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.host} cannot be reached: ${this.problem}.`
  }
}

/** Pages of a cloud provider, at addresses whose host is already checked: certificates, confirmations. */
export class CloudPages extends Context.Tag("application/CloudPages")<
  CloudPages,
  {
    /** Follows no redirect and reads 64 KB at most, within 3 s. */
    readonly get: (address: string) => Effect.Effect<string, PageUnreachable>
  }
>() {}
