import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { DateTime, Effect, Option, Schema } from "effect"
import type { AuditLog } from "../../../application/ports/AuditLog.ts"
import type { DecisionStore } from "../../../application/ports/DecisionStore.ts"
import type { RunnerStore } from "../../../application/ports/runner/RunnerStore.ts"
import type { RunStore } from "../../../application/ports/RunStore.ts"
import type { TeamStore } from "../../../application/ports/TeamStore.ts"
import type { StoryStore } from "../../../application/ports/StoryStore.ts"
import type { LeaseBell } from "../../../application/runner/LeaseBell.ts"
import type { LeaseGrant } from "../../../application/runner/LeaseGrant.ts"
import * as OwnRun from "../../../application/runner/OwnRun.ts"
import * as Runners from "../../../application/runner/Runners.ts"
import { RunnerNotFound } from "../../../domain/runner/Runner.ts"
import { hashOf, MissingToken } from "../../../domain/workspace/ApiToken.ts"
import { LeaseId, LeaseLost, leaseSeconds, renewSeconds } from "../../../domain/work/Lease.ts"
import { InvalidRequest } from "../../api/HttpErrors.ts"
import { protocol, RunnerApi } from "../../api/RunnerApi.ts"
import { Entrance, tokenOf } from "../rest/TokenAuth.ts"
import { ClientAddress } from "../server/ClientAddress.ts"
import { FloodGuard } from "../server/FloodGuard.ts"
import type { Application } from "../server/Host.ts"
import { pathOf } from "../server/Host.ts"
import { misrouted, refused } from "../server/JsonErrors.ts"
import * as RequestBody from "../server/RequestBody.ts"
import { Exchange, personOf } from "../server/RequestNotes.ts"
import { decoded } from "../server/Decoding.ts"
import * as RunnerLimit from "./RunnerLimit.ts"

/** A report holds evidence and a part of a log. */
const largestBody = 1_048_576

/** Evidence is the deepest part. */
const deepest = 20

type Needed = AuditLog | DecisionStore | LeaseBell | RunnerStore | RunStore | StoryStore | TeamStore

interface Asked {
  readonly caller: Runners.Caller
  readonly lease: LeaseId
  // The definition of the route has decoded it.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly payload: any
}

const welcome = {
  protocol,
  pollMs: 25_000,
  renewMs: renewSeconds * 1000,
  leaseMs: leaseSeconds * 1000
}

interface Refused {
  readonly _tag: string
  readonly message: string
}

/** Sent again, the request would be refused again. */
const unacceptable: ReadonlySet<string> = new Set(["ProposalDeclined", "InvalidDecision", "NotVerified"])

/** Names the field that cannot be taken. */
const naming =
  (field: string) =>
  <A, R>(effect: Effect.Effect<A, Refused, R>): Effect.Effect<A, Refused, R> =>
    Effect.mapError(effect, (error) =>
      unacceptable.has(error._tag)
        ? new InvalidRequest({ field, problem: `is refused: ${error.message.replace(/\.$/, "")}` })
        : error
    )

/** Requests of runners, by the name of the route. */
const asRunner: Readonly<Record<string, (asked: Asked) => Effect.Effect<unknown, unknown, Needed>>> = {
  hello: ({ caller, payload }) =>
    Effect.map(Runners.hello(caller, payload), ({ id }) => ({
      ...welcome,
      runner: id,
      workspace: caller.workspaceSlug
    })),
  lease: ({ caller, payload }) => Runners.lease(caller, payload),
  renew: ({ caller, lease, payload: { fence, git, lastInput } }) =>
    Runners.renew(caller, { lease, fence }, lastInput, git === true),
  report: ({ caller, lease, payload }) => naming("facts")(Runners.report(caller, { ...payload, lease })),
  finish: ({ caller, lease, payload: { fence, outcome } }) =>
    naming("outcome")(Runners.finish(caller, { lease, fence }, outcome)),
  goodbye: ({ caller, payload: { instance, runner } }) => Effect.as(Runners.goodbye(caller, runner, instance), null)
}

const routes = new Map<
  string,
  {
    method: string
    path: string
    matches: RegExp
    payload: Schema.Schema.AnyNoContext | null
    success: Schema.Schema.AnyNoContext | null
  }
>()
HttpApi.reflect(RunnerApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, name, path, payloadSchema, successSchema } }) =>
    routes.set(name, {
      method,
      path,
      matches: new RegExp(`^${path.replace(/:[A-Za-z]+/g, "([^/]+)")}$`),
      payload: Option.getOrNull(payloadSchema) as Schema.Schema.AnyNoContext | null,
      success: successSchema as Schema.Schema.AnyNoContext
    })
})

const routeOf = (path: string) => {
  for (const [name, route] of routes) {
    const found = route.matches.exec(path)
    if (found !== null) return { name, ...route, key: found[1] ?? "" }
  }
  return null
}

const mostRequests = String(RunnerLimit.runnerRequestsPerMinute)

/** Of a request that no token has counted. */
const untouched = { "x-ratelimit-limit": mostRequests, "x-ratelimit-remaining": mostRequests }

const decodeLease = Schema.decodeUnknownOption(LeaseId)

export const make = Effect.gen(function* () {
  const context = yield* Effect.context<Needed>()
  const { identify } = yield* Entrance
  const guard = yield* FloodGuard
  const clientAddress = yield* ClientAddress
  const count = RunnerLimit.make()
  const budgets = RunnerLimit.budgets()

  const payloadOf = (request: HttpServerRequest.HttpServerRequest, schema: Schema.Schema.AnyNoContext | null) =>
    schema === null
      ? Effect.succeed(null)
      : Effect.flatMap(RequestBody.json(toIncomingMessage(request), largestBody, deepest), (body) =>
          decoded(schema, body)
        )

  const asAgent = Effect.fnUntraced(function* (
    name: string,
    request: HttpServerRequest.HttpServerRequest,
    schema: Schema.Schema.AnyNoContext | null
  ) {
    const credential = tokenOf(request.headers)
    const address = () => clientAddress(request.headers, Option.getOrUndefined(request.remoteAddress))
    if (Option.isNone(credential)) return yield* Effect.zipRight(guard.admit(address()), new MissingToken())
    const hash = yield* hashOf(credential.value)
    const held = yield* guard.lookUp(hash, address, () => OwnRun.enter(credential.value))
    const exchange = yield* Exchange
    const refusal = limited(exchange, RunnerLimit.ofAgent(held.lease), yield* DateTime.now)
    if (refusal !== null) return yield* refusal
    const payload = yield* payloadOf(request, schema)
    if (name === "ask")
      return HttpServerResponse.unsafeJson({
        decision: yield* naming("question")(OwnRun.ask(held, payload.question))
      })
    if (name === "progress") return yield* Effect.as(OwnRun.progress(held, payload.text), HttpServerResponse.empty())
    const { decisions, run, story } = yield* OwnRun.read(held)
    return HttpServerResponse.raw(`{"story":${story},"run":${run},"decisions":${decisions}}`, {
      contentType: "application/json"
    })
  })

  const limited = (exchange: typeof Exchange.Service, budget: string, now: DateTime.Utc) => {
    const { refusal, remaining, resetAt } = count(budget, now)
    Object.assign(exchange.headers, {
      "x-ratelimit-remaining": String(remaining),
      "x-ratelimit-reset": String(Math.ceil(DateTime.toEpochMillis(resetAt) / 1000))
    })
    return refusal
  }

  const answer = Effect.fnUntraced(function* (method: string, path: string) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const exchange = yield* Exchange
    const route = routeOf(path)
    const wrong = misrouted(route === null ? [] : [route.method], method, path)
    if (wrong !== null || route === null) return yield* Effect.fail(wrong)
    const handle = asRunner[route.name]
    if (handle === undefined) return yield* asAgent(route.name, request, route.payload)
    const identified = identify({ headers: request.headers, peer: Option.getOrUndefined(request.remoteAddress) })
    const bearer = yield* identified
    const refusal = limited(exchange, budgets.of(bearer.token, route.key), bearer.now)
    if (refusal !== null) return yield* refusal
    const payload = yield* payloadOf(request, route.payload)
    const lease = route.key === "" ? Option.none() : decodeLease(route.key)
    if (route.key !== "" && Option.isNone(lease))
      return yield* new LeaseLost({ lease: route.key.slice(0, 100), reason: "it is not known" })
    const caller = personOf(bearer, exchange)
    const result = yield* handle({ caller, lease: Option.getOrElse(lease, () => "" as LeaseId), payload }).pipe(
      // A runner is also gone when its token was revoked while it waited: that is the reason to name.
      Effect.tapError((error) => (error instanceof RunnerNotFound ? identified : Effect.void))
    )
    const served = route.name === "lease" ? (result as LeaseGrant | null)?.id : Option.getOrUndefined(lease)
    if (served !== undefined) budgets.serve(bearer.token, served)
    return result === null || route.success === null
      ? HttpServerResponse.empty()
      : HttpServerResponse.unsafeJson(Schema.encodeUnknownSync(route.success)(result))
  })

  const app: HttpApp.Default = Effect.gen(function* () {
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    const path = pathOf(url)
    const exchange = yield* Exchange
    Object.assign(exchange.headers, untouched)
    return yield* Effect.catchAllCause(answer(method, path), (cause) => refused(cause, exchange, method, path))
  }).pipe(Effect.provide(context))

  return { segments: ["runner"], app } satisfies Application<never>
})
