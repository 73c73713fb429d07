import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { createMcpHandler } from "@modelcontextprotocol/server"
import { DateTime, Effect, Option, Predicate, Redacted, Schema, Stream } from "effect"
import * as OwnRun from "../../../application/runner/OwnRun.ts"
import { hashOf } from "../../../domain/workspace/ApiToken.ts"
import { bodyOf } from "../../api/OperationErrors.ts"
import * as Settings from "../../Settings.ts"
import { Entrance, tokenOf } from "../rest/TokenAuth.ts"
import * as RunnerLimit from "../runner/RunnerLimit.ts"
import { ClientAddress } from "../server/ClientAddress.ts"
import { FloodGuard } from "../server/FloodGuard.ts"
import { type Application, pathOf } from "../server/Host.ts"
import { misrouted, refused } from "../server/JsonErrors.ts"
import * as RequestBody from "../server/RequestBody.ts"
import { Exchange, type Notes } from "../server/RequestNotes.ts"
import * as McpServer from "./McpServer.ts"
import * as PlainCall from "./PlainCall.ts"
import * as Streams from "./Streams.ts"
import { type Caller, isAgent, type Member, type Needed, type Refusal } from "./Tool.ts"

export const requestsPerMinute = 300

const largestBody = 1_048_576
const deepest = 64

class ForeignOrigin extends Schema.TaggedError<ForeignOrigin>()("ForeignOrigin", {
  origin: Schema.String,
  own: Schema.String
}) {
  override get message() {
    return `Pages of '${this.origin}' may not use this server; requests come without Origin, or from ${this.own} or this machine.`
  }
}

const loopback = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i

/** A browser names the page that asks. The header Host is of no use here: a foreign page can choose it. */
const foreign = (origin: string | undefined, own: string): ForeignOrigin | null =>
  origin === undefined || origin === own || loopback.test(origin)
    ? null
    : new ForeignOrigin({ origin: origin.slice(0, 200), own })

/** Refuses a body that the library should not get. */
const notOne = (message: string, id: string | number | null = null) =>
  HttpServerResponse.text(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_600, message } }), {
    status: 400,
    contentType: "application/json"
  })

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The id of a request that is not answered; reading a deep one of this length takes a few milliseconds. */
const idOf = (body: string): string | number | null => {
  const message = body.length > 65_536 ? null : Option.getOrNull(parse(body))
  const id = Predicate.hasProperty(message, "id") ? message.id : null
  return typeof id === "string" || typeof id === "number" ? id : null
}

/** The id of a request to listen; none for any other. */
const listenerOf = (message: unknown): Option.Option<unknown> =>
  Predicate.isRecord(message) && message["method"] === "subscriptions/listen"
    ? Option.some(message["id"])
    : Option.none()

/** Errors in which the library reports what its schemas refuse. */
const dumps = ['"code":-32603,', '"message":"Invalid tools/call request: [']

const isDump = (text: string | Buffer) => dumps.some((part) => text.includes(part))

/** The library reports parameters that have the wrong form as an error of its own, with all it knows of them. */
const asInvalid = (text: string): string =>
  isDump(text)
    ? text.replace(/"code":-3260[23],"message":"(?:[^"\\]|\\.)*"/, (error) => {
        const { message } = JSON.parse(`{${error}}`) as { readonly message: string }
        const issues = Option.getOrElse(parse(message.replace(/^Invalid tools\/call request: /, "")), () => null)
        const named = (Array.isArray(issues) ? issues : []).map(
          (one: { readonly path?: ReadonlyArray<unknown>; readonly message?: string }) =>
            `${(one.path ?? []).join(".")}: ${one.message ?? ""}`
        )
        const words = named.length === 0 ? message : named.join("; ")
        return `"code":-32602,"message":${JSON.stringify(words.slice(0, 500))}`
      })
    : text

const encoder = new TextEncoder()

const unspent = { "x-ratelimit-limit": String(requestsPerMinute), "x-ratelimit-remaining": String(requestsPerMinute) }

export const make = Effect.gen(function* () {
  const runtime = yield* Effect.runtime<Needed>()
  const { identify } = yield* Entrance
  const guard = yield* FloodGuard
  const clientAddress = yield* ClientAddress
  const own = new URL(yield* Effect.orDie(Settings.ownUrl)).origin
  const count = RunnerLimit.make(requestsPerMinute)
  const streams = Streams.counter()
  const sessions = new WeakMap<object, McpServer.Session>()
  const handler = createMcpHandler(({ authInfo }) => {
    const session = sessions.get(authInfo ?? {})
    if (session === undefined) throw new Error("a request without a session")
    return McpServer.make(runtime, session)
  })
  yield* Effect.addFinalizer(() => Effect.promise(() => handler.close()))

  /** The member of a token, or the agent of a run's credential. */
  const enter = (
    request: HttpServerRequest.HttpServerRequest,
    { requestId }: Notes
  ): Effect.Effect<Caller, Refusal, Needed> => {
    const { headers, remoteAddress } = request
    const peer = Option.getOrUndefined(remoteAddress)
    const credential = Option.filter(tokenOf(headers), (token) => Redacted.value(token).startsWith("rk_"))
    if (Option.isNone(credential))
      return Effect.map(identify({ headers, peer }), (bearer): Member => ({ ...bearer, channel: "mcp", requestId }))
    const address = () => clientAddress(headers, peer)
    return Effect.flatMap(hashOf(credential.value), (hash) =>
      guard.lookUp(hash, address, () => OwnRun.enter(credential.value))
    ).pipe(Effect.map((held) => ({ held, workspace: held.workspace })))
  }

  const limited = Effect.fnUntraced(function* (budget: string, exchange: Notes) {
    const { refusal, remaining, resetAt } = count(budget, yield* DateTime.now)
    Object.assign(exchange.headers, {
      "x-ratelimit-remaining": String(remaining),
      "x-ratelimit-reset": String(Math.ceil(DateTime.toEpochMillis(resetAt) / 1000))
    })
    if (refusal !== null) return yield* refusal
  })

  /** The library parses the body alone when it is no JSON, for its refusal. A client that leaves ends its wait. */
  const fetched = (
    request: HttpServerRequest.HttpServerRequest,
    body: string,
    message: Option.Option<unknown>,
    session: McpServer.Session
  ) => {
    const { "content-length": _, ...headers } = request.headers
    const authInfo = { token: "", clientId: "", scopes: [] }
    sessions.set(authInfo, session)
    const [given, parsed] = Option.match(message, {
      onNone: () => [{ body }, {}],
      onSome: (parsedBody) => [{}, { parsedBody }]
    })
    return Effect.interruptible(
      Effect.promise((signal) =>
        handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, signal, ...given }), {
          authInfo,
          ...parsed
        })
      )
    )
  }

  const answer = Effect.fnUntraced(function* (path: string) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const exchange = yield* Exchange
    const wrong = misrouted(path === "/mcp" ? ["POST"] : [], request.method, path)
    if (wrong !== null) return yield* wrong
    const alien = foreign(request.headers["origin"], own)
    if (alien !== null) return HttpServerResponse.unsafeJson(bodyOf(alien), { status: 403 })
    const caller = yield* enter(request, exchange)
    const budget = isAgent(caller) ? RunnerLimit.ofAgent(caller.held.lease) : caller.token
    yield* limited(budget, exchange)
    const incoming = toIncomingMessage(request)
    const bytes = yield* RequestBody.bytes(incoming, largestBody)
    const body = yield* RequestBody.textOf(incoming, bytes)
    if (RequestBody.isTooDeep(bytes, deepest)) return notOne(`The body is nested over ${deepest} deep.`, idOf(body))
    const message = parse(body)
    // One request would count once, whatever it holds.
    if (Option.exists(message, Array.isArray)) return notOne("Send one message with each request: batches are refused.")
    const plain = Option.getOrNull(Option.map(message, (one) => PlainCall.plainCall(one, request.headers)))
    const session = { caller, exchange, enter: enter(request, exchange) }
    if (plain !== null)
      return HttpServerResponse.text(yield* PlainCall.answer(plain, session), { contentType: "application/json" })
    const listener = Option.flatMap(message, listenerOf)
    if (Option.isSome(listener) && !streams.hasRoom(budget)) {
      exchange.headers["retry-after"] = "60"
      return HttpServerResponse.unsafeJson(bodyOf(Streams.tooMany), { status: 429 })
    }
    const response = yield* fetched(request, body, message, session)
    const type = response.headers.get("content-type") ?? ""
    const { body: stream, status } = response
    if (stream === null) return HttpServerResponse.empty({ status })
    if (!type.startsWith("text/event-stream"))
      return HttpServerResponse.text(asInvalid(yield* Effect.promise(() => response.text())), {
        status,
        contentType: type
      })
    const events = Option.match(listener, {
      onNone: () =>
        Stream.fromReadableStream(
          () => stream,
          (error) => error
        ),
      onSome: (id) => streams.counted(budget, Streams.follow(caller, id, stream, session.enter))
    })
    // The library writes each event at once.
    const readable = Stream.map(events, (bytes) =>
      isDump(Buffer.from(bytes)) ? encoder.encode(asInvalid(Buffer.from(bytes).toString())) : bytes
    )
    // Proxies must not hold events back.
    exchange.headers["x-accel-buffering"] = "no"
    return HttpServerResponse.stream(Stream.provideContext(readable, runtime.context), { status, contentType: type })
  })

  const app: HttpApp.Default = Effect.gen(function* () {
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    const path = pathOf(url)
    const exchange = yield* Exchange
    Object.assign(exchange.headers, unspent)
    return yield* Effect.catchAllCause(answer(path), (cause) => refused(cause, exchange, method, path))
  }).pipe(Effect.provide(runtime))

  return { segments: ["mcp"], app } satisfies Application<never>
})
