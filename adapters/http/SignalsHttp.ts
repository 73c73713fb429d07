import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Redacted } from "effect"
import * as Intake from "../../application/Intake.ts"
import { Unavailable } from "../../application/ports/Health.ts"
import { UnreadableAlert } from "../../domain/Signal.ts"
import { Api } from "./api/Api.ts"
import * as Body from "./Body.ts"

const largestDelivery = 524_288

const keyOf = (url: string) => {
  const key = new URLSearchParams(url.split("?")[1] ?? "").get("key")
  return key === null ? null : Redacted.make(key)
}

/** Address, size, proof, readable, stored: in this order, since senders drop what is refused. */
const receive = Effect.fn("SignalsHttp.receive")(function* (token: string) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const found = yield* Intake.find(token)
  const body = yield* Effect.catchTag(
    Body.bytes(request, largestDelivery),
    "InvalidJson",
    () => new UnreadableAlert({ problem: "the body did not arrive whole" })
  )
  const accepted = yield* Effect.catchTag(
    Intake.accept(found, { headers: request.headers, key: keyOf(request.url), body }),
    "ProofUnavailable",
    ({ message }) => new Unavailable({ reason: message })
  )
  return HttpServerResponse.unsafeJson(accepted, { status: 202 })
})

export const layer = HttpApiBuilder.group(Api, "signals", (handlers) =>
  handlers
    .handleRaw("postSignal", ({ path }) => receive(path.source))
    .handleRaw("putSignal", ({ path }) => receive(path.source))
)
