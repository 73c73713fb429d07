import { Context, Effect } from "effect"
import type { Window } from "../../../domain/workspace/RateLimit.ts"
import { Caller } from "../../api/AccessApi.ts"

export type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface Notes {
  readonly requestId: string
  window: Window | null
  readonly headers: Record<string, string>
}

const saneRequestId = /^[A-Za-z0-9._:-]{1,128}$/

/** Notes of a new request; the client may have set its id. */
export const begin = (headers: Headers): Notes => {
  const given = headers["x-request-id"]
  const requestId = typeof given === "string" && saneRequestId.test(given) ? given : crypto.randomUUID()
  return { requestId, window: null, headers: {} }
}

/** Data that the handling of a request passes to the edge, which writes the headers of every response. */
export class Exchange extends Context.Reference<Exchange>()("adapters/http/Exchange", {
  defaultValue: () => begin({})
}) {}

/** The member a token acts for, as a person on the API channel. */
export const personOf = <B extends object>(bearer: B, { requestId }: Pick<Notes, "requestId">) => ({
  ...bearer,
  channel: "api" as const,
  requestId
})

export const caller = Effect.zipWith(Caller, Exchange, personOf)
