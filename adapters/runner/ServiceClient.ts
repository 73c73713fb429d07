import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Data, Duration, Effect, Redacted, Schedule } from "effect"
import { RunnerApi } from "../api/RunnerApi.ts"

/** The service no longer takes this key: the runner ends. */
export class KeyRefused extends Data.TaggedError("KeyRefused")<{ readonly message: string }> {}

/** The lease, or the registration, is gone. */
export class LeaseGone extends Data.TaggedError("LeaseGone")<{ readonly message: string }> {}

/** A person drains the runner: it leases nothing more. */
export class Drained extends Data.TaggedError("Drained")<{ readonly message: string }> {}

/** The service did not answer, or not now: the call may be tried again. */
export class ServiceAway extends Data.TaggedError("ServiceAway")<{ readonly message: string }> {}

/** The service cannot take what was sent; sending it again would not help. */
export class CallRefused extends Data.TaggedError("CallRefused")<{ readonly message: string }> {}

export type Trouble = KeyRefused | LeaseGone | Drained | ServiceAway | CallRefused

const keyTags = new Set(["MissingToken", "InvalidToken", "TokenExpired", "TokenRevoked"])
const goneTags = new Set(["LeaseLost", "RunnerNotFound"])
const refusedTags = new Set([
  "TooManyRunners",
  "InvalidJson",
  "InvalidRequest",
  "UnsupportedMediaType",
  "PayloadTooLarge"
])

interface Failure {
  readonly _tag: string
  readonly message: string
}

const problemOf = (error: Failure): string => {
  if (error._tag === "RequestError") {
    const cause = "cause" in error && error.cause instanceof Error ? error.cause : undefined
    const inner = cause?.cause instanceof Error ? cause.cause : cause
    return inner === undefined ? error.message : inner.message || ("code" in inner ? String(inner.code) : error.message)
  }
  return error._tag === "ParseError" ? "its answer is not one of this service; check SERVICE_URL" : error.message
}

const statusOf = (error: Failure): number | undefined =>
  "response" in error ? (error.response as { readonly status: number }).status : undefined

/** Sorts the error of a call by the reaction that it needs. */
export const troubleOf = (error: Failure): Trouble => {
  const { message } = error
  if (keyTags.has(error._tag)) return new KeyRefused({ message })
  if (statusOf(error) === 401) return new KeyRefused({ message: "The service answered 401" })
  if (error._tag === "RunnerDraining") return new Drained({ message })
  if (goneTags.has(error._tag)) return new LeaseGone({ message })
  if (refusedTags.has(error._tag) || error._tag === "HttpApiDecodeError") return new CallRefused({ message })
  return new ServiceAway({ message: problemOf(error).replace(/\.$/, "") })
}

/** A typed client of the service's runner wire. */
export const connect = Effect.fn("Service.connect")(function* (url: string, key: Redacted.Redacted) {
  const runner = yield* HttpApiClient.group(RunnerApi, {
    group: "runner",
    baseUrl: url,
    httpClient: HttpClient.mapRequest(yield* HttpClient.HttpClient, HttpClientRequest.bearerToken(Redacted.value(key)))
  })
  const call =
    <Request, A, E extends Failure>(
      send: (request: Request) => Effect.Effect<A, E>,
      limit: Duration.DurationInput = "15 seconds"
    ) =>
    (request: Request): Effect.Effect<A, Trouble> =>
      send(request).pipe(
        Effect.mapError(troubleOf),
        Effect.timeoutFail({
          duration: limit,
          onTimeout: () => new ServiceAway({ message: `no answer within ${Duration.format(Duration.decode(limit))}` })
        })
      )
  return {
    hello: call(runner.hello),
    lease: call(runner.lease, "45 seconds"),
    renew: call(runner.renew),
    report: call(runner.report),
    finish: call(runner.finish),
    goodbye: call(runner.goodbye, "5 seconds")
  }
})
export type Service = Effect.Effect.Success<ReturnType<typeof connect>>

/** Waits between tries: growing, bounded, and different for each runner. */
export const backoff = Schedule.exponential("500 millis", 2).pipe(
  Schedule.union(Schedule.spaced("30 seconds")),
  Schedule.jittered
)
