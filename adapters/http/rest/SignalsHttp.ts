import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Either, Redacted } from "effect"
import type { IncomingMessage } from "node:http"
import * as Intake from "../../../application/oncall/Intake.ts"
import { Unavailable } from "../../../application/ports/Health.ts"
import { UnreadableAlert } from "../../../domain/oncall/Signal.ts"
import { snakeCase } from "../../../domain/value/Text.ts"
import { Api } from "../../api/Api.ts"
import { statusOf } from "../../api/OperationErrors.ts"
import * as RequestBody from "../server/RequestBody.ts"
import { ClientAddress } from "../server/ClientAddress.ts"
import { FloodGuard } from "../server/FloodGuard.ts"
import * as Responses from "./Responses.ts"
import { contentBy } from "../server/Decompression.ts"

export const largestDelivery = 524_288

type Found = Effect.Effect.Success<ReturnType<typeof Intake.find>>

const keyOf = (url: string) => {
  const [, query] = url.split("?")
  const key = query === undefined ? null : new URLSearchParams(query).get("key")
  return key === null ? null : Redacted.make(key)
}

/** Node joins repeated headers, except set-cookie, which no tool sends. */
const textsOf = (headers: IncomingMessage["headers"]) => headers as Readonly<Record<string, string | undefined>>

/** Finds the source at an address. Unknown ones count against the client; beyond the limit 503: senders drop a 429. */
const find = Effect.fnUntraced(function* (token: string, { headers, socket }: IncomingMessage) {
  const guard = yield* FloodGuard
  const clientAddress = yield* ClientAddress
  const found = guard.lookUp(
    token,
    () => clientAddress(headers, socket.remoteAddress),
    (lane) => Intake.find(token, lane)
  )
  return yield* Effect.catchTag(
    found,
    "RateLimited",
    ({ limit }) => new Unavailable({ reason: `Over ${limit} posts in a minute from this address were to no source.` })
  )
})

/** Checks size and proof, decodes, stores: in this order, since senders drop refused posts. */
const deliver = Effect.fnUntraced(function* (found: Found, request: IncomingMessage, keep: (body: Uint8Array) => void) {
  const body = yield* Effect.catchTag(
    RequestBody.bytes(request, largestDelivery),
    "InvalidJson",
    () => new UnreadableAlert({ problem: "the body did not arrive whole" })
  )
  keep(body)
  const content = yield* contentBy(body, request.headers["content-encoding"], largestDelivery)
  if (Either.isRight(content)) keep(content.right)
  const accepted = yield* Effect.catchTag(
    Intake.accept(found, { headers: textsOf(request.headers), key: keyOf(request.url ?? ""), body, unpacked: content }),
    "ProofUnavailable",
    ({ message }) => new Unavailable({ reason: message })
  )
  return Responses.json(JSON.stringify(accepted), {}, 202)
})

/** The address comes first: later refusals are stored with its source. */
export const receive = Effect.fnUntraced(function* (token: string, request: IncomingMessage) {
  const found = yield* find(token, request)
  let read: Uint8Array | null = null
  return yield* Effect.tapError(
    deliver(found, request, (body) => (read = body)),
    (error) => {
      const status = statusOf(error._tag) ?? 500
      if (status >= 500) return Effect.void
      return Intake.refuse(found, { status, code: snakeCase(error._tag), message: error.message }, read)
    }
  )
})

export const layer = HttpApiBuilder.group(Api, "signals", (handlers) =>
  handlers
    .handleRaw("postSignal", ({ path, request }) => receive(path.source, toIncomingMessage(request)))
    .handleRaw("putSignal", ({ path, request }) => receive(path.source, toIncomingMessage(request)))
)
