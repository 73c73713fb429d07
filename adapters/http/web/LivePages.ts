import { Context, Duration, Effect, FiberMap, Layer, Schedule, Stream } from "effect"
import type { NumberedEntry } from "../../../application/ports/ChangeLog.ts"
import { IdentityStore } from "../../../application/ports/identity/IdentityStore.ts"
import type { Person } from "../../../application/workspace/Authorization.ts"
import { ChangeFeed, type Hint } from "../../../application/workspace/ChangeFeed.ts"
import type { AuditEntry } from "../../../domain/workspace/Audit.ts"
import type { SessionId } from "../../../domain/workspace/Session.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"

/** Pace of live pages; tests may shorten it. */
export class LivePace extends Context.Reference<LivePace>()("adapters/http/web/LivePace", {
  defaultValue: () => ({
    beat: Duration.seconds(4),
    /** Pages whose session was replaced or is over end within this time. */
    check: Duration.seconds(15),
    /** Changes within this time become one event. */
    gather: Duration.millis(100),
    /** Entries that a page can catch up with; one that missed more fetches all its parts. */
    kept: 500
  })
}) {}

/** Events that name what changed in a workspace, for the pages of a member. */
export class LivePages extends Context.Tag("adapters/http/web/LivePages")<
  LivePages,
  {
    /** Events after a position in the change feed; null begins now. */
    readonly events: (person: Person, session: SessionId, after: bigint | null) => Stream.Stream<Uint8Array>
  }
>() {}

const named: Readonly<Partial<Record<AuditEntry["entity"]["type"], string>>> = {
  decision: "decisions",
  incident: "incidents",
  alert: "incidents",
  run: "runs",
  runner: "runners",
  story: "stories",
  team: "teams",
  service: "services",
  signal_source: "sources"
}

const everything = [...new Set(Object.values(named)), "jobs", "notifications"]

/** Names of what an entry changed. Members may not read entries, so nothing else of one is sent. */
const topicsOf = ({ entry }: NumberedEntry): ReadonlyArray<string> => {
  if (entry === null) return everything
  const topic = named[entry.entity.type]
  if (topic === undefined || entry.result === "denied") return []
  const { story } = entry.details
  const begun = entry.event === "run_state_changed" && typeof story === "string" ? [story] : []
  return [topic, entry.entity.id, ...(entry.runKey === null ? [] : [entry.runKey]), ...begun]
}

const hinted: Readonly<Record<Hint["topic"], (id: string) => ReadonlyArray<string>>> = {
  audit: () => [],
  job: () => ["jobs"],
  inbox: () => ["notifications"],
  log: (run) => [`log-${run}`]
}

const encoder = new TextEncoder()

const event = (name: string, data: string, id: bigint | null = null) =>
  encoder.encode(`event: ${name}\n${id === null ? "" : `id: ${id}\n`}data: ${data}\n\n`)

const changeOf = (topics: ReadonlyArray<string>, seq: bigint | null) =>
  topics.length === 0 ? null : event("change", [...new Set(topics)].join(" "), seq)

/** Milliseconds in which all open pages take turns to fetch what changed: about 200 parts a second. */
const turnOf = (pages: number) => Math.max(300, pages * 10)

/** An open page. */
interface Page {
  readonly person: Person
  readonly session: SessionId
  readonly after: bigint
  readonly send: (event: Uint8Array) => void
  readonly end: () => void
}

/** Shared by all pages of a workspace: each change is read, named and encoded once. */
interface Hub {
  readonly pages: Set<Page>
  /** Last entry that was named. */
  seq: bigint
  /** The entries before are not kept. */
  floor: bigint
  recent: ReadonlyArray<{ readonly seq: bigint; readonly topics: ReadonlyArray<string> }>
}

/** True when an entry may have ended the session or membership of a page's reader. */
const isGoodbye = ({ entry }: NumberedEntry, { member }: Person): boolean =>
  entry !== null &&
  (entry.event === "workspace_deleted" ||
    (entry.event === "member_removed" && entry.entity.id === member.id) ||
    (entry.event === "signed_out" && entry.actor.userId === member.id))

export const layer = Layer.scoped(
  LivePages,
  Effect.gen(function* () {
    const feed = yield* ChangeFeed
    const identities = yield* IdentityStore
    const pace = yield* LivePace
    const hubs = new Map<WorkspaceId, Hub>()
    const loops = yield* FiberMap.make<WorkspaceId>()

    const publish = (hub: Hub, entries: ReadonlyArray<NumberedEntry>) => {
      const last = entries.at(-1)
      if (last === undefined) return
      const fresh = entries.map((entry) => ({ seq: entry.seq, topics: topicsOf(entry) }))
      hub.seq = last.seq
      hub.recent = [...hub.recent, ...fresh].slice(-pace.kept)
      hub.floor = (hub.recent[0]?.seq ?? 1n) - 1n
      const changeSince = (after: bigint) =>
        changeOf(
          fresh.flatMap(({ seq, topics }) => (seq > after ? topics : [])),
          last.seq
        )
      const whole = changeSince(0n)
      for (const page of hub.pages) {
        const change = (fresh[0]?.seq ?? 0n) > page.after ? whole : changeSince(page.after)
        if (change !== null) page.send(change)
        if (entries.some((entry) => entry.seq > page.after && isGoodbye(entry, page.person))) page.end()
      }
    }

    const hint = (hub: Hub, hints: ReadonlyArray<Hint>) => {
      const change = changeOf(
        hints.flatMap(({ id, topic }) => hinted[topic](id)),
        null
      )
      if (change !== null) for (const page of hub.pages) page.send(change)
    }

    const follow = (workspace: WorkspaceId, hub: Hub) =>
      Effect.all(
        [
          feed.after(workspace, hub.floor).pipe(
            Stream.groupedWithin(pace.kept, pace.gather),
            Stream.runForEach((entries) => Effect.sync(() => publish(hub, [...entries])))
          ),
          feed.hints(workspace).pipe(
            Stream.groupedWithin(1000, pace.gather),
            Stream.runForEach((hints) => Effect.sync(() => hint(hub, [...hints])))
          )
        ],
        { concurrency: 2, discard: true }
      )

    /** The hub of a workspace; the first page starts it. */
    const hubOf = (workspace: WorkspaceId) =>
      Effect.gen(function* () {
        const head = hubs.has(workspace) ? 0n : yield* feed.head(workspace)
        const known = hubs.get(workspace)
        if (known !== undefined) return known
        const floor = head - BigInt(pace.kept)
        const hub: Hub = { pages: new Set(), seq: head, floor: floor < 0n ? 0n : floor, recent: [] }
        hubs.set(workspace, hub)
        yield* FiberMap.run(loops, workspace, follow(workspace, hub))
        return hub
      })

    const leave = (workspace: WorkspaceId, hub: Hub, page: Page) =>
      Effect.suspend(() => {
        hub.pages.delete(page)
        if (hub.pages.size > 0 || hubs.get(workspace) !== hub) return Effect.void
        hubs.delete(workspace)
        return FiberMap.remove(loops, workspace)
      })

    /** Changes after a page's position; null if they are no longer kept. */
    const missed = (hub: Hub, after: bigint) =>
      after < hub.floor || after > hub.seq + 1000n ? null : hub.recent.filter(({ seq }) => seq > after)

    const beat = () => event("beat", String(turnOf([...hubs.values()].reduce((sum, { pages }) => sum + pages.size, 0))))

    yield* Effect.forkScoped(
      Effect.repeat(
        Effect.sync(() => {
          const now = beat()
          for (const { pages } of hubs.values()) for (const page of pages) page.send(now)
        }),
        Schedule.spaced(pace.beat)
      )
    )

    const open = () => [...hubs.values()].flatMap(({ pages }) => [...pages])

    /** Ends the pages of sessions that ended without an entry in the log; one statement for all of them. */
    const check = Effect.suspend(() => {
      const sessions = [...new Set(open().map(({ session }) => session))]
      return sessions.length === 0 ? Effect.succeed([]) : identities.endedOf(sessions)
    }).pipe(
      Effect.map((ended) => {
        for (const page of open()) if (ended.includes(page.session)) page.end()
      }),
      // The database may be away; the next check finds them.
      Effect.catchAllCause((cause) => Effect.logDebug("live pages were not checked", cause))
    )
    yield* Effect.forkScoped(Effect.schedule(check, Schedule.spaced(pace.check)))

    return LivePages.of({
      events: (person, session, after) =>
        Stream.asyncPush<Uint8Array>(
          (emit) =>
            Effect.acquireRelease(
              Effect.gen(function* () {
                const hub = yield* hubOf(person.workspace)
                const from = after ?? hub.seq
                const page: Page = {
                  person,
                  session,
                  after: missed(hub, from) === null ? hub.seq : from,
                  send: (bytes) => void emit.single(bytes),
                  end: () => emit.end()
                }
                const news = missed(hub, from)
                const change =
                  news === null
                    ? event("reset", "", hub.seq)
                    : changeOf(
                        news.flatMap(({ topics }) => topics),
                        hub.seq
                      )
                hub.pages.add(page)
                page.send(beat())
                if (change !== null) page.send(change)
                return { hub, page }
              }),
              ({ hub, page }) => leave(person.workspace, hub, page)
            ),
          // A page that reads too slowly misses events, and fetches its parts with the next one.
          { bufferSize: 64, strategy: "sliding" }
        )
    })
  })
)
