import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { DateTime, Effect, Option, Schema } from "effect"
import { WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import * as Settings from "../../Settings.ts"
import { RouteNotFound } from "../../api/HttpErrors.ts"
import { misrouted } from "../server/JsonErrors.ts"
import { Exchange } from "../server/RequestNotes.ts"
import * as Forms from "./Forms.ts"
import { match, methodsOf, type Refusal, statusOfPage, type Visit } from "./Page.ts"
import { pages } from "./Pages.ts"
import { readerOf } from "./Reader.ts"
import * as Render from "./Render.tsx"
import { foreign } from "./SameOrigin.ts"
import { Visitors } from "./Visitors.ts"

const isSlug = Schema.is(WorkspaceSlug)

/** The page of a workspace at a path. */
const find = (path: string) => {
  const [, slug = "", ...rest] = path.split("/")
  if (!isSlug(slug)) return null
  const matched = Option.getOrNull(Option.liftThrowable(() => match(pages, rest))())
  return matched && { slug, ...matched }
}

/** The member who asks for a page, and the page's parameters. */
const visitOf = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  { parameters, slug }: NonNullable<ReturnType<typeof find>>
) {
  const visitor = yield* (yield* Visitors)(request)
  const membership = visitor?.memberships.find(({ workspace }) => workspace.slug === slug)
  if (visitor === null || membership === undefined) return { visitor, visit: null }
  const { member, workspace } = membership
  const { requestId } = yield* Exchange
  const visit: Visit = {
    person: { workspace: workspace.id, workspaceSlug: workspace.slug, member, channel: "app", requestId },
    membership,
    visitor,
    reader: readerOf(request.cookies, yield* DateTime.now),
    base: `/${workspace.slug}`,
    parameters,
    query: new URLSearchParams(request.url.split("?").slice(1).join("?")),
    form: request.method === "POST" ? yield* Forms.read(request) : Forms.noForm
  }
  return { visitor, visit }
})

/** Answers a request for a page of a workspace. Its own errors are pages inside the layout of the workspace. */
export const answer = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, path: string) {
  const { headers, method, url } = request
  const at = find(path)
  const wrong = misrouted(at === null ? [] : methodsOf(at.page), method, path)
  if (wrong !== null || at === null) return yield* wrong ?? new RouteNotFound({ method, path })
  const isChange = method === "POST"
  if (isChange) yield* foreign(headers, yield* Settings.publicUrl) ?? Effect.void
  const { visit, visitor } = yield* visitOf(request, at)
  if (visitor === null) return Render.redirect(isChange ? "/sign-in" : `/sign-in?to=${encodeURIComponent(url)}`)
  const handle = isChange ? at.page.post : at.page.get
  if (visit === null || handle === undefined) return yield* new RouteNotFound({ method, path })
  const isPart = headers["hx-request"] !== undefined
  const answered = Effect.flatMap(handle(visit), (reply) =>
    HttpServerResponse.isServerResponse(reply) ? Effect.succeed(reply) : Render.rendered(visit, reply, isPart)
  )
  return yield* Effect.catchAll(answered, (error: Refusal) => {
    const { message } = error
    const { requestId } = visit.person
    const view = Render.errorView(visit, { status: statusOfPage(error), message, requestId: requestId ?? "" })
    return Render.rendered(visit, view, isPart)
  })
})
