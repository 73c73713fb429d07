import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { DateTime, Effect, Either, Option, Schema } from "effect"
import type { IncomingMessage } from "node:http"
import { Inbox } from "../../../application/ports/Inbox.ts"
import * as Sessions from "../../../application/workspace/Sessions.ts"
import { SignInRequired } from "../../../domain/workspace/Session.ts"
import { WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { misrouted, notFound } from "../server/JsonErrors.ts"
import { Exchange } from "../server/RequestNotes.ts"
import { confirmationOf, confirmed } from "./Flash.ts"
import * as Forms from "./Forms.ts"
import { match, methodsOf, type Refusal, statusOfPage, type Visit } from "./Page.ts"
import { pages } from "./Pages.ts"
import { readerOf } from "./Reader.ts"
import * as Render from "./Render.tsx"
import { foreign } from "./SameOrigin.ts"
import { once } from "./SentOnce.ts"
import { Site, tokenOf } from "./Site.ts"
import { wayOut } from "./WrongAddress.ts"

const isSlug = Schema.is(WorkspaceSlug)

/** The page of a workspace at a path. */
const find = (path: string) => {
  const [, slug = "", ...rest] = path.split("/")
  if (!isSlug(slug)) return null
  const matched = Option.getOrNull(Option.liftThrowable(() => match(pages, rest))())
  return matched && { slug, ...matched }
}

/** Leads a path without a page on: without the slash at its end, and members of a workspace from it to its decisions. */
const elsewhere = Effect.fnUntraced(function* (
  { cookies, headers, url }: HttpServerRequest.HttpServerRequest,
  path: string
) {
  const bare = path.replace(/\/+$/, "")
  const query = url.slice(path.length)
  if (bare !== path && find(bare)?.page.get !== undefined) return `${bare}${query}`
  const slug = bare.slice(1)
  if (!isSlug(slug)) return null
  const { originOf } = yield* Site
  const signedIn = yield* Effect.option(Sessions.find(tokenOf(cookies, originOf(headers))))
  const isMember = Option.exists(signedIn, ({ memberships }) =>
    memberships.some(({ workspaceSlug }) => workspaceSlug === slug)
  )
  return isMember ? `/${slug}/decisions` : null
})

/** Address of the socket that a request came by; what its headers name may be anything. */
const arrivedAt = ({ source }: HttpServerRequest.HttpServerRequest) => {
  const { localAddress = "127.0.0.1", localPort = 80 } = (source as IncomingMessage).socket
  const address = localAddress.replace(/^::ffff:/, "")
  return `http://${address.includes(":") ? `[${address}]` : address}:${localPort}`
}

/** The member who asks for a page, and the page's parameters. */
const visitOf = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  isWhole: boolean,
  { parameters, slug }: NonNullable<ReturnType<typeof find>>
) {
  const { intakeOf, originOf, signalsOf } = yield* Site
  const origin = originOf(request.headers)
  const signedIn = yield* Sessions.find(tokenOf(request.cookies, origin))
  const person = yield* Sessions.personIn(signedIn, slug, (yield* Exchange).requestId)
  const visit: Visit = {
    person,
    signedIn,
    reader: readerOf(request.cookies, yield* DateTime.now),
    origin,
    signals: signalsOf(origin),
    intake: intakeOf(arrivedAt(request)),
    base: `/${person.workspaceSlug}`,
    parameters,
    query: new URLSearchParams(request.url.split("?").slice(1).join("?")),
    counts: yield* Effect.cached((yield* Inbox).counts(person.workspace, person.member)),
    confirmation: isWhole ? confirmationOf(request.cookies) : null,
    form: request.method === "POST" ? yield* Forms.read(request) : Forms.noForm
  }
  return visit
})

/** A person who is not signed in comes back to the page afterwards; `isReadable` if there is one at the address. */
const signInFirst = (
  { headers, method, url }: HttpServerRequest.HttpServerRequest,
  { reason }: SignInRequired,
  isReadable: boolean
) => {
  const query = new URLSearchParams({
    ...(!isReadable || url.length > 2000 ? {} : { to: url }),
    ...(reason === "missing" ? {} : { because: reason })
  })
  const to = `/sign-in?${query.toString()}`
  if (headers["hx-request"] === undefined) return Render.redirect(to)
  // A press leads to the sign-in page. What is fetched by itself replaces nothing: the person may be typing.
  return HttpServerResponse.empty({
    headers: method === "POST" ? { "hx-redirect": to } : { "hx-trigger": "gh:signed-out" }
  })
}

/** Answers a request for a page of a workspace. Its own errors are pages inside the layout of the workspace. */
export const answer = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, path: string) {
  const { headers, method } = request
  // Nothing is named with it, and PostgreSQL stores no such text.
  const at = request.url.includes("%00") ? null : find(path)
  const to = at === null && (method === "GET" || method === "HEAD") ? yield* elsewhere(request, path) : null
  if (to !== null) return Render.redirect(to)
  const wrong = misrouted(at === null ? [] : methodsOf(at.page), method, path)
  if (wrong !== null || at === null) return yield* wrong ?? notFound(method, path)
  const isChange = method === "POST"
  if (isChange) yield* foreign(headers, (yield* Site).publicUrl) ?? Effect.void
  const isWhole = headers["hx-request"] === undefined
  const entered = yield* Effect.either(visitOf(request, isWhole && !isChange, at))
  if (Either.isLeft(entered) && entered.left instanceof SignInRequired)
    return signInFirst(request, entered.left, at.page.get !== undefined)
  const visit = yield* entered
  const handle = isChange ? at.page.post : at.page.get
  if (handle === undefined) return yield* notFound(method, path)
  const after = isWhole ? yield* Render.position(visit) : null
  const answered = Effect.flatMap(isChange ? once(visit, path, handle(visit)) : handle(visit), (reply) =>
    HttpServerResponse.isServerResponse(reply) ? Effect.succeed(reply) : Render.rendered(visit, reply, after)
  )
  const shown = Effect.catchAll(answered, (error: Refusal) => {
    const { requestId } = visit.person
    const failure = { status: statusOfPage(error), requestId: requestId ?? "", ...wayOut(visit, path, error) }
    const view = Render.errorView(visit, failure)
    return Render.rendered(visit, view, after)
  })
  return yield* visit.confirmation === null ? shown : Effect.map(shown, confirmed)
})
