import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Cause, Context, DateTime, Effect, Option, Schema } from "effect"
import { Unavailable } from "../../../application/ports/Health.ts"
import type { IdentityStore } from "../../../application/ports/identity/IdentityStore.ts"
import * as Sessions from "../../../application/workspace/Sessions.ts"
import { parseKey } from "../../../domain/value/IncidentKey.ts"
import { WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { MethodNotAllowed } from "../../api/HttpErrors.ts"
import { bodyOf } from "../../api/OperationErrors.ts"
import { misrouted, notFound, refusal } from "../server/JsonErrors.ts"
import { type Application, pathOf, wantsPage } from "../server/Host.ts"
import { Exchange } from "../server/RequestNotes.ts"
import { asset } from "./Assets.ts"
import * as Forms from "./Forms.ts"
import * as LiveStream from "./LiveStream.ts"
import { type Refusal, statusOfPage } from "./Page.ts"
import type { Needs } from "./Pages.ts"
import { readerOf } from "./Reader.ts"
import * as Render from "./Render.tsx"
import * as SignInPages from "./signin/SignInPages.tsx"
import { Site, site, tokenOf } from "./Site.ts"
import * as WorkspacePages from "./WorkspacePages.ts"

type Request = HttpServerRequest.HttpServerRequest
/** `R`: what it needs besides the notes on the request. */
type Answer<R> = (request: Request, path: string) => Effect.Effect<HttpServerResponse.HttpServerResponse, Refusal, R>

const onlyRead = ({ method }: Request, path: string) => misrouted(["GET", "HEAD"], method, path) ?? Effect.void

/** `/` leads to the first workspace that the session opens. */
const home: Answer<IdentityStore | Site> = (request, path) =>
  Effect.gen(function* () {
    yield* path === "/" ? onlyRead(request, path) : notFound(request.method, path)
    const token = tokenOf(request.cookies, (yield* Site).originOf(request.headers))
    return yield* Effect.match(Sessions.find(token), {
      onFailure: () => Render.redirect("/sign-in"),
      onSuccess: ({ memberships: [first] }) => Render.redirect(`/${first.workspaceSlug}/decisions`)
    })
  })

const file: Answer<never> = (request, path) =>
  Effect.gen(function* () {
    yield* onlyRead(request, path)
    return asset(path, request.headers["accept-encoding"], yield* Exchange) ?? (yield* notFound(request.method, path))
  })

const slugOf = Schema.decodeOption(WorkspaceSlug)

/** Links in older messages lead to `/incidents/<workspace>/<incident>`. */
const oldLink: Answer<never> = (request, path) =>
  Effect.gen(function* () {
    yield* onlyRead(request, path)
    const [, , slug = "", key = "", ...rest] = path.split("/")
    return yield* Option.match(Option.all([slugOf(slug), parseKey(key)]), {
      onNone: () => Effect.fail(notFound(request.method, path)),
      onSome: ([workspace, incident]) =>
        rest.length > 0
          ? Effect.fail(notFound(request.method, path))
          : Effect.succeed(Render.redirect(`/${workspace}/incidents/${incident}`))
    })
  })

/** Answers by first segment; every other one may be a workspace. */
const answers = {
  "": home,
  assets: file,
  incidents: oldLink,
  live: LiveStream.answer,
  "sign-in": SignInPages.answer,
  "sign-out": SignInPages.answer
} satisfies Record<string, Answer<Needs | Site>>

/** Shows an error as a page to a browser, and as the API's JSON to every other client. */
const failed = (request: Request, path: string, cause: Cause.Cause<Refusal>) =>
  Effect.gen(function* () {
    const { headers, method } = request
    const exchange = yield* Exchange
    const expected = Option.getOrNull(Cause.failureOption(cause))
    const { error, status } =
      expected === null
        ? yield* refusal(cause, exchange, method, path)
        : { error: expected, status: statusOfPage(expected) }
    if (error instanceof MethodNotAllowed) exchange.headers["allow"] = error.allow
    if (status === 413 || status === 408) exchange.headers["connection"] = "close"
    if (!wantsPage(headers)) return HttpServerResponse.unsafeJson(bodyOf(error), { status })
    const reader = readerOf(request.cookies, yield* DateTime.now)
    const isUnknown = error instanceof Unavailable && error.outcome === "unknown"
    return Render.errorPage(reader, { status, message: error.message, requestId: exchange.requestId, isUnknown })
  })

const mostTime = "8 seconds"

/** Ends after the time that an answer may take; the arrival of its form has a limit of its own. */
const expiry = Effect.fnUntraced(function* (request: Request) {
  yield* Effect.sleep(mostTime)
  for (let form = Forms.arrival(request); form !== null; form = Forms.arrival(request)) {
    yield* form
    yield* Effect.sleep(mostTime)
  }
  return yield* Effect.die(new Unavailable(request.method === "POST" ? { outcome: "unknown" } : {}))
})

const app = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const path = pathOf(request.url)
  const [, segment = ""] = path.split("/", 2)
  const answer: Answer<Needs | Site> = Object.hasOwn(answers, segment)
    ? answers[segment as keyof typeof answers]
    : WorkspacePages.answer
  // Statements end after 5 s by themselves, unless the server is frozen; the request does not wait for its connection.
  const answered = Effect.raceFirst(
    Effect.interruptible(Effect.disconnect(answer(request, path))),
    Effect.interruptible(expiry(request))
  )
  return yield* Effect.catchAllCause(answered, (cause) => failed(request, path, cause))
})

/** Pages for people: one more application over the use cases. */
export const make = Effect.gen(function* () {
  const context = Context.add(yield* Effect.context<Needs>(), Site, yield* site)
  const web: Application<never> = { segments: Object.keys(answers), app: Effect.provide(app, context) }
  return web
})
