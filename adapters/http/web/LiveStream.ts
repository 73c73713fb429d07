import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Schema, Stream } from "effect"
import * as Sessions from "../../../application/workspace/Sessions.ts"
import { misrouted, notFound } from "../server/JsonErrors.ts"
import { Exchange } from "../server/RequestNotes.ts"
import { LivePages } from "./LivePages.ts"
import { Site, tokenOf } from "./Site.ts"

/** Streams of this instance, and of one session. */
const most = 5000
const mostOfSession = 30

export class TooManyStreams extends Schema.TaggedError<TooManyStreams>()("TooManyStreams", {}) {
  override get message() {
    return "Too many pages are open. Close some; the others go on."
  }
}

const open = { all: 0, ofSession: new Map<string, number>() }

/** Refuses one stream too many. */
const hasRoom = Effect.fnUntraced(function* (session: string) {
  if (open.all >= most || (open.ofSession.get(session) ?? 0) >= mostOfSession) return yield* new TooManyStreams()
})

/** Counts a stream while it is open. */
const counted = (session: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      open.all++
      open.ofSession.set(session, (open.ofSession.get(session) ?? 0) + 1)
    }),
    () =>
      Effect.sync(() => {
        open.all--
        const left = (open.ofSession.get(session) ?? 1) - 1
        if (left > 0) open.ofSession.set(session, left)
        else open.ofSession.delete(session)
      })
  )

const position = (given: string | undefined) => (given !== undefined && /^\d{1,18}$/.test(given) ? BigInt(given) : null)

/** The stream of a workspace's pages, at `/live/<workspace>`. */
export const answer = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, path: string) {
  const { headers, method, url } = request
  const [, , slug = "", ...rest] = path.split("/")
  const wrong = misrouted(rest.length > 0 || slug === "" ? [] : ["GET"], method, path)
  if (wrong !== null) return yield* wrong
  const exchange = yield* Exchange
  const origin = (yield* Site).originOf(headers)
  const signedIn = yield* Sessions.find(tokenOf(request.cookies, origin))
  const person = yield* Effect.mapError(Sessions.personIn(signedIn, slug, exchange.requestId), () =>
    notFound(method, path)
  )
  const query = new URLSearchParams(url.split("?").slice(1).join("?"))
  const after = position(headers["last-event-id"]) ?? position(query.get("after") ?? undefined)
  yield* hasRoom(signedIn.session.id)
  const pages = yield* LivePages
  const { id } = signedIn.session
  const stream = Stream.unwrapScoped(Effect.as(counted(id), pages.events(person, id, after)))
  // Proxies must not hold events back.
  exchange.headers["x-accel-buffering"] = "no"
  return HttpServerResponse.stream(stream, { contentType: "text/event-stream; charset=utf-8" })
})
