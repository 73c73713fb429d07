import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Duration, Effect, Option, Schedule, Schema, Stream } from "effect"
import type { NumberedEntry } from "../../../application/ports/ChangeLog.ts"
import type { Person } from "../../../application/workspace/Authorization.ts"
import { ChangeFeed, type Hint } from "../../../application/workspace/ChangeFeed.ts"
import * as Sessions from "../../../application/workspace/Sessions.ts"
import type { AuditEntry } from "../../../domain/workspace/Audit.ts"
import { RouteNotFound } from "../../api/HttpErrors.ts"
import { misrouted } from "../server/JsonErrors.ts"
import { Exchange } from "../server/RequestNotes.ts"
import { Site, tokenOf } from "./Site.ts"

/** Pace and limits of live pages; tests shorten them. */
export class LivePace extends Context.Reference<LivePace>()("adapters/http/web/LivePace", {
  defaultValue: () => ({
    beat: Duration.seconds(4),
    /** Changes within this time become one event. */
    gather: Duration.millis(100),
    /** Streams of this instance, and of one session. */
    most: 5000,
    mostOfSession: 30,
    /** Entries after which a page is better loaded anew than caught up. */
    farthest: 1000n
  })
}) {}

export class TooManyStreams extends Schema.TaggedError<TooManyStreams>()("TooManyStreams", {}) {
  override get message() {
    return "Too many pages are open. Close some; the others go on."
  }
}

const named: Readonly<Partial<Record<AuditEntry["entity"]["type"], string>>> = {
  decision: "decisions",
  incident: "incidents",
  alert: "incidents",
  run: "runs",
  story: "stories",
  team: "teams"
}

const everything = ["decisions", "incidents", "runs", "stories", "teams", "jobs", "notifications"]

/** Names of what an entry changed. Members may not read entries, so nothing else of one is sent. */
export const topicsOf = ({ entry }: NumberedEntry): ReadonlyArray<string> => {
  if (entry === null) return everything
  const topic = named[entry.entity.type]
  if (topic === undefined || entry.result === "denied") return []
  return [topic, entry.entity.id, ...(entry.runKey === null ? [] : [entry.runKey])]
}

const hinted: Readonly<Record<Hint["topic"], ReadonlyArray<string>>> = {
  audit: [],
  job: ["jobs"],
  inbox: ["notifications"]
}

const event = (name: string, data: string, id = "") =>
  `event: ${name}\n${id === "" ? "" : `id: ${id}\n`}data: ${data}\n\n`

/** True when an entry may have ended the reader's session or membership. */
const isGoodbye =
  ({ member }: Person) =>
  ({ entry }: NumberedEntry): boolean =>
    entry !== null &&
    (entry.event === "workspace_deleted" ||
      (entry.event === "member_removed" && entry.entity.id === member.id) ||
      (entry.event === "signed_out" && entry.actor.userId === member.id))

/** Events of a page from a position on, or from now on: what changed, and beats in between. */
const events = (person: Person, position: bigint | null) =>
  Effect.gen(function* () {
    const feed = yield* ChangeFeed
    const { beat, farthest, gather } = yield* LivePace
    const head = yield* feed.head(person.workspace)
    const after = position ?? head
    const isFar = after > head || head - after > farthest
    const changes = feed.after(person.workspace, isFar ? head : after).pipe(
      Stream.takeUntil(isGoodbye(person)),
      Stream.groupedWithin(1000, gather),
      Stream.filterMap((entries) => {
        const all = [...entries]
        const topics = [...new Set(all.flatMap(topicsOf))]
        return topics.length === 0
          ? Option.none()
          : Option.some(event("change", topics.join(" "), String(all.at(-1)?.seq ?? "")))
      })
    )
    const hints = feed.hints(person.workspace).pipe(
      Stream.groupedWithin(1000, gather),
      Stream.map((given) => event("change", [...new Set([...given].flatMap(({ topic }) => hinted[topic]))].join(" ")))
    )
    const beats = Stream.fromSchedule(Schedule.spaced(beat)).pipe(Stream.map(() => event("beat", "")))
    const first = Stream.make(isFar ? event("reset", "", String(head)) : event("beat", ""))
    return Stream.concat(first, Stream.merge(changes, Stream.merge(hints, beats), { haltStrategy: "left" })).pipe(
      Stream.encodeText
    )
  })

const open = { all: 0, ofSession: new Map<string, number>() }

/** Refuses one stream too many. */
const hasRoom = Effect.fnUntraced(function* (session: string) {
  const { most, mostOfSession } = yield* LivePace
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
  const person = yield* Effect.mapError(
    Sessions.personIn(signedIn, slug, exchange.requestId),
    () => new RouteNotFound({ method, path })
  )
  const query = new URLSearchParams(url.split("?").slice(1).join("?"))
  const after = position(headers["last-event-id"]) ?? position(query.get("after") ?? undefined)
  const context = yield* Effect.context<ChangeFeed>()
  yield* hasRoom(signedIn.session.id)
  const stream = Stream.unwrapScoped(Effect.zipRight(counted(signedIn.session.id), events(person, after))).pipe(
    Stream.provideContext(context)
  )
  // Proxies must not hold events back.
  exchange.headers["x-accel-buffering"] = "no"
  return HttpServerResponse.stream(stream, { contentType: "text/event-stream; charset=utf-8" })
})
