import { Context, Effect } from "effect"
import type { Window } from "../../domain/RateLimit.ts"
import { Caller } from "./api/Access.ts"

interface Notes {
  readonly requestId: string
  window: Window | null
  readonly headers: Record<string, string>
}

/** What the handling of one request tells the edge, which writes the headers of every answer. */
export class Exchange extends Context.Reference<Exchange>()("adapters/http/Exchange", {
  defaultValue: (): Notes => ({ requestId: crypto.randomUUID(), window: null, headers: {} })
}) {}

/** Whom the request's token speaks for, as a person who came through the API. */
export const caller = Effect.gen(function* () {
  const bearer = yield* Caller
  const { requestId } = yield* Exchange
  return { ...bearer, channel: "api" as const, requestId }
})
