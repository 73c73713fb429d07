import { createHash } from "node:crypto"
import { existsSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Clock, Effect, Fiber, type Scope } from "effect"
import * as Binaries from "./Binaries.ts"
import * as Claim from "./Claim.ts"
import * as InitCluster from "./InitCluster.ts"
import { failed, type EmbeddedPostgresFailed } from "./EmbeddedErrors.ts"
import * as Folders from "./Folders.ts"
import * as Lock from "./Lock.ts"
import * as DataFolder from "./DataFolder.ts"
import * as Postmaster from "./Postmaster.ts"
import * as StartServer from "./StartServer.ts"
import * as Supervise from "./Supervise.ts"
import * as FolderUsers from "./FolderUsers.ts"

export { EmbeddedPostgresFailed } from "./EmbeddedErrors.ts"

export interface Server {
  /** The private folder of its unix socket. */
  readonly host: string
  readonly port: number
  readonly username: string
  readonly database: string
  /** Real path of the data. */
  readonly dataDir: string
  readonly start: "cold" | "warm" | "joined"
}

const socketName = (data: string) => createHash("sha256").update(data).digest("hex").slice(0, 16)

/** The server that others left running or still use, if we may join it. */
const existing = Effect.fn(function* (run: string, data: string, log: string, first: boolean) {
  const running = first ? Postmaster.find(data) : yield* StartServer.join({ data, log })
  if (running === undefined) return undefined
  const { pid, port, sockets } = running
  if (!first && existsSync(join(sockets, `.s.PGSQL.${port}`)))
    return yield* Effect.as(Folders.verify(sockets, statSync(data).uid, 0o700), running)
  // Without users, its last one is stopping it or died while stopping it.
  if (first || FolderUsers.isAlone(run)) return yield* Effect.as(Postmaster.stop(pid, data), undefined)
  return yield* failed(`others use it as process ${pid}, but its socket in ${sockets} is not to be seen from here.`)
})

interface Opened {
  readonly server: Server
  readonly running: Postmaster.Running
  /** Restarts the server in place, or joins the one that another user started. */
  readonly again: Effect.Effect<Postmaster.Running, EmbeddedPostgresFailed>
}

const open = Effect.fn("Embedded.acquire")(function* (dataDir: string) {
  const place = yield* DataFolder.open(dataDir)
  const { account, log, run } = place
  const native = yield* Binaries.locate()
  const major = yield* Binaries.majorOf(native)
  // To join a server takes neither of them.
  const area = yield* Effect.cached(Folders.privateArea(account, Folders.shortTemp()))
  const prepared = yield* Effect.cached(Effect.flatMap(area, (folder) => Binaries.prepare(native, account, folder)))

  const start = (data: string, sockets: string) =>
    Effect.flatMap(prepared, ({ postgres }) =>
      Claim.holding(data)((claim) =>
        Effect.zipRight(
          FolderUsers.forgetElsewhere(run),
          StartServer.start({ postgres, account, data, sockets, log, claim })
        )
      )
    )

  const startOrJoin = Effect.gen(function* () {
    const data = yield* DataFolder.dataFolder(place)
    const present = yield* InitCluster.exists(data, major)
    if (present) yield* Claim.refuseElsewhere(data)
    const user = yield* FolderUsers.enter(run, data)

    const opened = (running: Postmaster.Running, how: Server["start"]): Opened => {
      const { port, sockets } = running
      const bringUp = Effect.gen(function* () {
        yield* Claim.refuseElsewhere(data)
        yield* user.again
        const found = yield* existing(run, data, log, false)
        return found ?? (yield* start(data, yield* Folders.privateFolder(dirname(sockets), basename(sockets), account)))
      })
      return {
        server: {
          host: sockets,
          port,
          username: InitCluster.name,
          database: InitCluster.name,
          dataDir: data,
          start: how
        },
        running,
        again: Lock.hold(run)(bringUp)
      }
    }

    const found = yield* existing(run, data, log, user.first)
    if (found !== undefined) return opened(found, "joined")
    if (!present) yield* InitCluster.create(place, data, yield* prepared)
    const sockets = yield* Folders.privateFolder(yield* area, socketName(data), account)
    return opened(yield* start(data, sockets), present ? "warm" : "cold")
  })
  return yield* Lock.hold(run)(startOrJoin)
})

export interface Supervised {
  readonly server: Server
  /** Fails when the server ends too often and is not restarted any more. */
  readonly lost: Effect.Effect<never, EmbeddedPostgresFailed>
}

/**
 * An embedded Postgres in `dataDir`, shared with other processes that use the same folder, and stopped when the last
 * one leaves. It runs in real time, so a test clock must not drive it.
 */
export const acquire = (dataDir: string): Effect.Effect<Server, EmbeddedPostgresFailed, Scope.Scope> =>
  Effect.withClock(
    Effect.map(open(dataDir), ({ server }) => server),
    Clock.make()
  )

/** The same, restarted whenever it ends. */
export const supervise = (dataDir: string): Effect.Effect<Supervised, EmbeddedPostgresFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { again, running, server } = yield* open(dataDir)
    const supervisor = yield* Effect.forkScoped(Supervise.supervise(running, again))
    return { server, lost: Fiber.join(supervisor) }
  }).pipe(Effect.withClock(Clock.make()))
