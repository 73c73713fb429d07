import { spawn, spawnSync } from "node:child_process"
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs"
import { readdirSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { Clock, Effect, Exit, Scope } from "effect"
import typescript from "typescript"
import { acquire, type Server } from "../../adapters/postgres/Embedded.ts"
import * as Binaries from "../../adapters/postgres/embedded/Binaries.ts"
import * as Cluster from "../../adapters/postgres/embedded/Cluster.ts"
import { explain } from "../../adapters/postgres/embedded/Failed.ts"
import * as Folders from "../../adapters/postgres/embedded/Folders.ts"
import * as Lock from "../../adapters/postgres/embedded/Lock.ts"
import * as Process from "../../adapters/postgres/embedded/Process.ts"
import * as Start from "../../adapters/postgres/embedded/Start.ts"
import { script } from "../../adapters/postgres/embedded/Watchdog.ts"

const isRoot = Folders.isRoot()
const serverUid = isRoot ? 65534 : Folders.ownUid()
const account = isRoot ? { uid: serverUid, gid: serverUid } : undefined
/** An ordinary user which every system lists: `daemon`. */
const ordinary = 1
const root = join(import.meta.dirname, "../..")

vi.setConfig({ testTimeout: 40_000, hookTimeout: 40_000 })

let base = ""

/** Short and open, so that a socket path fits and every user of the tests can pass. */
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "gh-"))
  chmodSync(base, 0o1777)
  vi.stubEnv("TMPDIR", base)
  build()
  const [first, ...others] = [openFolder("data"), openFolder("data"), openFolder("data")] as const
  await Effect.runPromise(Effect.scoped(acquire(first)))
  for (const other of others) spawnSync("cp", ["-a", first, other])
  idle.push(first, ...others)
})

afterAll(async () => {
  await Effect.runPromise(nothingLeft(base))
  vi.unstubAllEnvs()
  rmSync(base, { recursive: true, force: true })
})

/** The packages where every user of the tests can read them: as they are, or, below a private home, as links to the files. */
const sharePackages = (place: string) => {
  const packages = join(root, "node_modules")
  const user = isRoot ? { uid: ordinary, gid: ordinary } : {}
  const isOpen = spawnSync("test", ["-r", join(packages, "effect/package.json")], user).status === 0
  if (isOpen) return symlinkSync(packages, place)
  if (spawnSync("cp", ["-al", packages, place]).status !== 0) spawnSync("cp", ["-a", packages, place])
}

/** Compiled once: a loader would cost each process of the tests a second. */
const build = () => {
  const [from, to] = [join(root, "adapters/postgres"), join(base, "build/adapters/postgres")]
  mkdirSync(join(to, "embedded"), { recursive: true })
  sharePackages(join(base, "build/node_modules"))
  writeFileSync(join(base, "build/package.json"), `{ "type": "module" }`)
  const { ModuleKind, ScriptTarget, transpileModule } = typescript
  const compilerOptions = {
    module: ModuleKind.ESNext,
    target: ScriptTarget.ES2023,
    rewriteRelativeImportExtensions: true
  }
  const names = readdirSync(join(from, "embedded")).map((name) => join("embedded", name))
  for (const name of ["Embedded.ts", ...names]) {
    const { outputText } = transpileModule(readFileSync(join(from, name), "utf8"), { compilerOptions })
    writeFileSync(join(to, name.replace(/ts$/, "js")), outputText)
  }
}

const folder = () => mkdtempSync(join(base, "f-"))

/** A folder which every user can pass, as a home is for its own user. */
const openFolder = (name = "") => {
  const made = folder()
  chmodSync(made, 0o755)
  return join(made, name)
}

const idle: Array<string> = []
const seats = Effect.unsafeMakeSemaphore(3)

/** A data folder in which the slow first start is already done; tests borrow it and leave it whole. */
const warmFolder = Effect.acquireRelease(
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

const commands = (): ReadonlyArray<readonly [pid: number, command: string]> => {
  if (!existsSync("/proc/self/cmdline"))
    return spawnSync("ps", ["-ww", "-Ao", "pid=,args="], { encoding: "utf8" })
      .stdout.split("\n")
      .map((line) => [Number.parseInt(line, 10), line])
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [[Number(name), readFileSync(`/proc/${name}/cmdline`, "utf8")] as const] : []
    } catch {
      return []
    }
  })
}

/** Processes whose command line names something below the folder. */
const naming = (place: string, what = "") =>
  commands().flatMap(([pid, command]) => (command.includes(place) && command.includes(what) ? [{ pid, command }] : []))

const eventually = (what: string, condition: () => boolean) =>
  Effect.gen(function* () {
    while (!condition()) yield* Effect.sleep("30 millis")
  }).pipe(
    Effect.interruptible,
    Effect.timeoutFail({ duration: "20 seconds", onTimeout: () => what }),
    Effect.orDieWith((text) => new Error(text)),
    Effect.withClock(Clock.make())
  )

const nothingLeft = (dataDir: string) =>
  eventually(`processes are left in ${dataDir}`, () => naming(dataDir).length === 0)

const query = (server: Server, text: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Record<string, unknown>>(text)).pipe(
    Effect.provide(PgClient.layer({ ...server, maxConnections: 1, connectTimeout: "20 seconds" })),
    Effect.map((rows) => rows[0])
  )

/** What `npm ci --ignore-scripts` installs, without what only a cold start needs. */
const nativeWithoutLinks = (place: string) => {
  const installed = Effect.runSync(Binaries.locate())
  const native = join(place, "native")
  const isNeeded = (path: string) =>
    !lstatSync(path).isSymbolicLink() && !/\/share\/postgresql\/(?!postgres\.bki)/.test(path)
  cpSync(installed, native, { recursive: true, filter: isNeeded })
  cpSync(join(installed, "../package.json"), join(place, "package.json"))
  return native
}

const refusal = (dataDir: string) => Effect.map(Effect.flip(Effect.scoped(acquire(dataDir))), ({ message }) => message)

const serviceCode = `
import { Effect } from "effect"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { acquire } from "./adapters/postgres/Embedded.js"
const told = new Promise((resolve) => process.stdin.once("end", resolve).resume())
const print = (value) => Effect.sync(() => process.stdout.write(JSON.stringify(value) + "\\n"))
NodeRuntime.runMain(Effect.gen(function* () {
  const server = yield* acquire(process.argv.at(-1))
  yield* Effect.addFinalizer(() => Effect.zipRight(print("stopping"), Effect.promise(() => told)))
  yield* print(server)
  yield* Effect.promise(() => told)
}).pipe(Effect.scoped, Effect.catchAll((error) => print(error.message))))
`

const denoCode = `
import { Effect } from "effect"
import { PgClient } from "@effect/sql-pg"
import { acquire } from "./adapters/postgres/Embedded.ts"
const program = Effect.gen(function* () {
  const server = yield* acquire(process.argv.at(-1))
  const answer = Effect.flatMap(PgClient.PgClient, (sql) => sql\`SELECT 1 AS n\`)
  const [row] = yield* Effect.provide(answer, PgClient.layer(server))
  return { start: server.start, n: row.n }
})
console.log(JSON.stringify(await Effect.runPromise(Effect.scoped(program))))
`

const prepareCode = `
import { Effect } from "effect"
import * as Binaries from "./adapters/postgres/embedded/Binaries.js"
import * as Folders from "./adapters/postgres/embedded/Folders.js"
const program = Effect.flatMap(Folders.privateArea(undefined, Folders.shortTemp()), (area) =>
  Binaries.prepare(process.argv.at(-1), undefined, area))
console.log(JSON.stringify(await Effect.runPromise(program)))
`

const node = [process.execPath, "--input-type=module", "-e", serviceCode]
const preparing = [process.execPath, "--input-type=module", "-e", prepareCode]

/** A process of its own that uses the server until its input ends. */
const service = (dataDir: string, options: { uid?: number; command?: ReadonlyArray<string>; code?: string } = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const cwd = options.command === undefined || options.command === preparing ? join(base, "build") : root
      const [command = "", ...args] = options.command ?? node
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
        ready: Effect.map(line(0), (server) => server as Server),
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

describe.concurrent("the embedded Postgres", () => {
  it.live("keeps its data over a cold and a warm start, private and quiet", () =>
    Effect.gen(function* () {
      const dataDir = openFolder("new/data")
      yield* Effect.gen(function* () {
        const server = yield* acquire(dataDir)
        assert.strictEqual(server.start, "cold")
        assert.strictEqual(server.dataDir, join(dataDir, "postgres"))
        for (const place of [server.host, server.dataDir]) {
          assert.strictEqual(statSync(place).uid, serverUid)
          assert.strictEqual(statSync(place).mode & 0o777, 0o700)
        }
        const settings = yield* query(
          server,
          `SELECT current_user AS "user", current_database() AS database, pg_encoding_to_char(encoding) AS encoding,
             datcollate AS collate, current_setting('timezone') AS zone, current_setting('max_connections') AS connections,
             current_setting('listen_addresses') AS addresses, current_setting('fsync') AS fsync
           FROM pg_database WHERE datname = current_database()`
        )
        assert.deepStrictEqual(settings, {
          user: "gatehouse",
          database: "gatehouse",
          encoding: "UTF8",
          collate: "C",
          zone: "UTC",
          connections: "200",
          addresses: "",
          fsync: "on"
        })
        yield* query(server, "CREATE TABLE kept AS SELECT 7 AS n")
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(naming(dataDir), [])
      assert.include(readFileSync(join(dataDir, "postgres.log"), "utf8"), "database system is shut down")
      yield* Effect.gen(function* () {
        const server = yield* acquire(dataDir)
        assert.strictEqual(server.start, "warm")
        assert.deepStrictEqual(yield* query(server, "SELECT n FROM kept"), { n: 7 })
      }).pipe(Effect.scoped)
    })
  )

  it.scoped("does not wait for a test clock", () =>
    Effect.map(Effect.flatMap(warmFolder, acquire), ({ start }) => assert.strictEqual(start, "warm"))
  )

  it.scopedLive("is stopped after kill -9 of its only service, and loses nothing", () =>
    Effect.gen(function* () {
      const dataDir = yield* warmFolder
      const killed = yield* service(dataDir)
      const first = yield* killed.ready
      yield* query(first, "CREATE TABLE many AS SELECT n FROM generate_series(1, 5000) AS n")
      yield* killed.kill
      yield* nothingLeft(dataDir)
      const server = yield* acquire(dataDir)
      assert.strictEqual(server.start, "warm")
      assert.deepStrictEqual(yield* query(server, "SELECT count(*)::int AS n FROM many"), { n: 5000 })
    })
  )

  it.scopedLive("is stopped when its service is killed while it is still starting", () =>
    Effect.gen(function* () {
      const dataDir = yield* warmFolder
      const killed = yield* service(dataDir)
      yield* eventually("no server appears", () => naming(dataDir, "/bin/postgres").length > 0)
      yield* killed.kill
      yield* nothingLeft(dataDir)
    })
  )

  it.scopedLive("is stopped even if it writes its pid only after its service was killed", () =>
    Effect.gen(function* () {
      const place = openFolder()
      const [users, data, me] = [join(place, "users"), join(place, "data"), "1.0.me"]
      for (const made of [users, data]) mkdirSync(made)
      writeFileSync(join(users, me), "")
      const late = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "--", ...Process.mark(data)], {
        stdio: "ignore"
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => late.kill("SIGKILL")))
      spawn("/bin/sh", ["-c", script, "gatehouse-watchdog", users, me, data], { stdio: "ignore" })
      // The time a slow server takes; the watchdog must still be there.
      yield* Effect.sleep("300 millis")
      writeFileSync(join(data, "postmaster.pid"), `${late.pid}\n`)
      yield* eventually("the late server stays", () => late.signalCode === "SIGINT")
      yield* nothingLeft(place)
    })
  )

  it.scopedLive("starts again when the last children of a killed server are gone", () =>
    Effect.gen(function* () {
      const dataDir = yield* warmFolder
      const killed = Effect.gen(function* () {
        const server = yield* acquire(dataDir)
        const row = yield* query(server, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
        process.kill(Number(row?.["pid"]), "SIGSTOP")
        for (const { pid } of naming(dataDir, "/bin/postgres")) process.kill(pid, "SIGKILL")
        return Number(row?.["pid"])
      })
      const child = yield* Effect.scoped(killed)
      const goOn = Effect.sync(() => Process.identity(child) !== undefined && process.kill(child, "SIGCONT"))
      yield* Effect.addFinalizer(() => goOn)
      const again = yield* Effect.fork(acquire(dataDir))
      const log = () => readFileSync(join(dataDir, "postgres.log"), "utf8")
      yield* eventually("the new server does not mind", () => log().includes("is still in use"))
      yield* goOn
      assert.strictEqual((yield* again).start, "warm")
    })
  )

  it.scopedLive("is adopted by the next start when its watchdog was killed with its service", () =>
    Effect.gen(function* () {
      const dataDir = yield* warmFolder
      const killed = yield* service(dataDir)
      const first = yield* killed.ready
      for (const { pid } of naming(dataDir, "gatehouse-watchdog")) process.kill(pid, "SIGKILL")
      yield* killed.kill
      assert.strictEqual(naming(dataDir, "/bin/postgres").length, 1)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* acquire(dataDir)
          assert.deepStrictEqual(server, { ...first, start: "joined" })
          assert.deepStrictEqual(yield* query(server, "SELECT 1 AS n"), { n: 1 })
        })
      )
      assert.deepStrictEqual(naming(dataDir), [])
    })
  )

  it.scopedLive("is stopped by its service also when only the watchdog was killed", () =>
    Effect.gen(function* () {
      const dataDir = yield* warmFolder
      yield* Effect.gen(function* () {
        yield* acquire(dataDir)
        for (const { pid } of naming(dataDir, "gatehouse-watchdog")) process.kill(pid, "SIGKILL")
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(naming(dataDir), [])
    })
  )

  it.scopedLive("serves everybody until the last one leaves", () =>
    Effect.gen(function* () {
      const dataDir = yield* warmFolder
      const mine = yield* Scope.make()
      const [starter, joiner] = [yield* service(dataDir), yield* service(dataDir)]
      const starts = [(yield* starter.ready).start, (yield* joiner.ready).start]
      assert.sameMembers(starts, ["warm", "joined"])
      const server = yield* Scope.extend(acquire(dataDir), mine)
      assert.strictEqual(server.start, "joined")
      yield* starter.leave
      yield* eventually("the watchdog stays", () => naming(dataDir, "gatehouse-watchdog").length === 2)
      yield* joiner.kill
      yield* eventually("the watchdog stays", () => naming(dataDir, "gatehouse-watchdog").length === 1)
      assert.deepStrictEqual(yield* query(server, "SELECT 1 AS n"), { n: 1 })
      yield* Scope.close(mine, Exit.void)
      assert.deepStrictEqual(naming(dataDir), [])
    })
  )

  it.scopedLive("may be started by several at the same instant on a cold folder", () =>
    Effect.gen(function* () {
      const dataDir = openFolder("data")
      const others = [yield* service(dataDir), yield* service(dataDir)]
      yield* eventually("nobody starts", () => existsSync(join(dataDir, "postgres.run")))
      const here = yield* Effect.all([acquire(dataDir), acquire(dataDir)], { concurrency: "unbounded" })
      const there = yield* Effect.all(others.map(({ ready }) => ready))
      const servers = [...here, ...there]
      assert.sameMembers(
        servers.map(({ start }) => start),
        ["cold", "joined", "joined", "joined"]
      )
      yield* Effect.forEach(servers, (server) => query(server, "SELECT 1 AS n"))
      for (const { leave } of others) yield* leave
    })
  )

  it.scopedLive("does not get the ^C meant for its service", () =>
    Effect.gen(function* () {
      const dataDir = yield* warmFolder
      const interrupted = yield* service(dataDir)
      const server = yield* interrupted.ready
      process.kill(-interrupted.pid, "SIGINT")
      assert.strictEqual(yield* interrupted.line(1), "stopping")
      assert.deepStrictEqual(yield* query(server, "SELECT 1 AS n"), { n: 1 })
      yield* interrupted.leave
      assert.deepStrictEqual(naming(dataDir), [])
    })
  )

  it.scopedLive("starts anew after a first start that was killed half-way", () =>
    Effect.gen(function* () {
      const dataDir = openFolder("data")
      const killed = yield* service(dataDir)
      const draft = () => existsSync(dataDir) && readdirSync(dataDir).find((name) => name.includes("draft"))
      yield* eventually("no data is made", () => existsSync(join(dataDir, draft() || "none", "PG_VERSION")))
      yield* killed.kill
      assert.isFalse(existsSync(join(dataDir, "postgres")))
      const server = yield* acquire(dataDir)
      assert.strictEqual(server.start, "cold")
      assert.isUndefined(draft())
      assert.deepStrictEqual(yield* query(server, "SELECT 1 AS n"), { n: 1 })
    })
  )

  it.scopedLive("neither trusts nor harms another program that got the pid of a server which is gone", () =>
    Effect.gen(function* () {
      const dataDir = yield* warmFolder
      const other = spawn("sleep", ["60"], { cwd: "/", stdio: "ignore", ...account })
      yield* Effect.addFinalizer(() => Effect.sync(() => other.kill()))
      const pidFile = join(dataDir, "postgres", "postmaster.pid")
      const sockets = join(base, "elsewhere")
      writeFileSync(pidFile, [other.pid, join(dataDir, "postgres"), 0, 5432, sockets, "", "", "ready", ""].join("\n"))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* acquire(dataDir)
          assert.strictEqual(server.start, "warm")
          assert.deepStrictEqual(yield* query(server, "SELECT 1 AS n"), { n: 1 })
        })
      )
      assert.isNull(other.exitCode ?? other.signalCode)
    })
  )

  it.scopedLive("leaves a server alone which somebody else runs on its data", () =>
    Effect.gen(function* () {
      const dataDir = yield* warmFolder
      const [data, sockets] = [join(dataDir, "postgres"), openFolder()]
      chmodSync(sockets, 0o777)
      const { postgres } = yield* Binaries.prepare(yield* Binaries.locate(), account, base)
      const theirs = spawn(postgres, ["-D", data, "-k", sockets, "-h", ""], { cwd: "/", stdio: "ignore", ...account })
      yield* Effect.addFinalizer(() => Effect.sync(() => theirs.kill("SIGQUIT")))
      yield* eventually("their server does not start", () => readdirSync(sockets).includes(".s.PGSQL.5432"))
      assert.include(yield* refusal(dataDir), `Is another postmaster (PID ${theirs.pid}) running`)
      assert.isNull(theirs.exitCode ?? theirs.signalCode)
    })
  )

  it.scopedLive("refuses data of another major version and tells how to move it", () =>
    Effect.gen(function* () {
      const dataDir = yield* warmFolder
      const data = join(dataDir, "postgres")
      writeFileSync(join(data, "PG_VERSION"), "17\n")
      yield* Effect.addFinalizer(() => Effect.sync(() => writeFileSync(join(data, "PG_VERSION"), "18\n")))
      const state = () =>
        readdirSync(data, { recursive: true, encoding: "utf8" }).map((name) => {
          const { ctimeMs, size } = lstatSync(join(data, name))
          return [name, size, ctimeMs]
        })
      const before = state()
      const message = yield* refusal(dataDir)
      for (const part of ["PostgreSQL 17", "PostgreSQL 18", "pg_dump", "pg_restore", "DATABASE_URL"])
        assert.include(message, part)
      assert.deepStrictEqual(state(), before)
    })
  )

  it.live("tells what is wrong with the folder it was given", () =>
    Effect.gen(function* () {
      const place = openFolder()
      writeFileSync(join(place, "file"), "")
      assert.include(yield* refusal(join(place, "file")), "a file is in the way")
      assert.include(yield* refusal(join(place, "file", "below")), "a file is in the way")
      mkdirSync(join(place, "strange", "postgres"), { recursive: true })
      writeFileSync(join(place, "strange", "postgres", "diary.txt"), "")
      assert.include(yield* refusal(join(place, "strange")), "something else than Postgres data")
      mkdirSync(join(place, "lost"))
      symlinkSync(join(place, "nowhere"), join(place, "lost", "postgres"))
      const lost = yield* refusal(join(place, "lost"))
      assert.include(lost, "is gone")
      assert.include(lost, "DATABASE_URL")
      assert.strictEqual(explain({ code: "EROFS" }), "the file system is read-only")
      assert.strictEqual(explain({ code: "ENOSPC" }), "no space is left on the disk")
    })
  )

  it.scopedLive("shows the end of the log when the server does not start", () =>
    Effect.gen(function* () {
      const dataDir = yield* warmFolder
      const settings = join(dataDir, "postgres", "postgresql.auto.conf")
      writeFileSync(settings, "no_such_setting = 1\n")
      yield* Effect.addFinalizer(() => Effect.sync(() => writeFileSync(settings, "")))
      assert.include(yield* refusal(dataDir), 'unrecognized configuration parameter "no_such_setting"')
    })
  )

  it.live("gives up on a server that does not get ready, and on a lock that is not released", () =>
    Effect.gen(function* () {
      const place = openFolder()
      const postgres = join(place, "postgres")
      writeFileSync(postgres, `#!/bin/sh\necho LOG: still thinking\nexec tail -f "$0"\n`, { mode: 0o755 })
      const [data, log] = [join(place, "data"), join(place, "log")]
      const stuck = yield* Effect.flip(
        Start.start({ postgres, account, data, sockets: place, log, within: "300 millis" })
      )
      assert.include(stuck.message, "LOG: still thinking")
      assert.include(stuck.message, "DATABASE_URL")
      assert.deepStrictEqual(naming(place), [])

      symlinkSync(Process.identity(process.pid) ?? "", join(place, "lock.3"))
      const held = yield* Effect.flip(Lock.hold(place, "100 millis")(Effect.void))
      assert.include(held.message, `process ${process.pid} is starting it`)
      symlinkSync(`${process.pid}.1`, join(place, "lock.4"))
      yield* Lock.hold(place, "100 millis")(Effect.void)
    })
  )

  it.live("trusts no folder that somebody else could have made", () =>
    Effect.gen(function* () {
      const place = folder()
      const isTrusted = (name: string, uid = Folders.ownUid()) =>
        Effect.isSuccess(Folders.verify(join(place, name), uid, 0o700))
      mkdirSync(join(place, "good"), { mode: 0o700 })
      mkdirSync(join(place, "open"))
      chmodSync(join(place, "open"), 0o777)
      symlinkSync(join(place, "good"), join(place, "link"))
      writeFileSync(join(place, "file"), "", { mode: 0o700 })
      assert.isTrue(yield* isTrusted("good"))
      assert.isFalse(yield* isTrusted("good", Folders.ownUid() + 1))
      assert.isFalse(yield* isTrusted("open"))
      assert.isFalse(yield* isTrusted("link"))
      assert.isFalse(yield* isTrusted("file"))
    })
  )

  it.live("names the way out on a platform without binaries and for a user without a name", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(Binaries.locate("sunos", "sparc"))
      assert.include(message, "sunos-sparc")
      assert.include(message, "DATABASE_URL")
      const printed = "initdb: could not look up effective user ID 12345: user does not exist"
      assert.include(Cluster.explainInit(printed), "user id 12345 has no name")
    })
  )

  it.live("makes the links of its libraries when npm did not", () =>
    Effect.gen(function* () {
      const native = nativeWithoutLinks(openFolder())
      const binaries = yield* Binaries.prepare(native, account, folder())
      assert.strictEqual(binaries.postgres, join(native, "bin", "postgres"))
      assert.strictEqual(binaries.major, "18")
    })
  )

  it.scopedLive("runs under Deno", () =>
    Effect.gen(function* () {
      const dataDir = openFolder("data")
      vi.stubEnv("DENO_DIR", join(base, "deno"))
      const deno = yield* service(dataDir, {
        command: [join(root, "node_modules/.bin/deno"), "run", "-A", "-"],
        code: denoCode
      })
      assert.deepStrictEqual(yield* deno.line(0), { start: "cold", n: 1 })
      yield* deno.gone
      assert.deepStrictEqual(naming(dataDir), [])
    })
  )
})

describe.skipIf(!isRoot)("the embedded Postgres, started by root", { concurrent: true }, () => {
  it.scopedLive("runs as an unprivileged user, its data elsewhere when that user cannot reach the folder", () =>
    Effect.gen(function* () {
      const home = folder()
      const dataDir = join(home, "data")
      const first = yield* Effect.scoped(acquire(dataDir))
      assert.strictEqual(first.start, "cold")
      assert.strictEqual(readlinkSync(join(dataDir, "postgres")), first.dataDir)
      assert.isTrue(first.dataDir.startsWith(base))
      assert.strictEqual(statSync(first.dataDir).uid, serverUid)
      assert.strictEqual(statSync(first.dataDir).mode & 0o777, 0o700)
      for (const parent of [dirname(first.dataDir), dirname(dirname(first.dataDir))]) {
        assert.strictEqual(statSync(parent).uid, 0)
        assert.strictEqual(statSync(parent).mode & 0o777, 0o711)
      }
      const second = yield* acquire(dataDir)
      assert.deepStrictEqual(second, { ...first, start: "warm" })
      assert.deepStrictEqual(yield* query(second, "SELECT 1 AS n"), { n: 1 })
    })
  )

  it.live("copies programs which that user cannot reach, and repairs a copy that lost files", () =>
    Effect.gen(function* () {
      const [home, area] = [folder(), openFolder()]
      const native = nativeWithoutLinks(home)
      const prepared = Binaries.prepare(native, account, area)
      const binaries = yield* prepared
      assert.strictEqual(dirname(dirname(dirname(binaries.postgres))), area)
      rmSync(join(dirname(binaries.postgres), "../share/postgresql/postgres.bki"))
      assert.deepStrictEqual(yield* prepared, binaries)
      assert.strictEqual(readdirSync(area).length, 1)
    })
  )

  it.scopedLive("takes back data that was copied by root", () =>
    Effect.gen(function* () {
      const dataDir = yield* warmFolder
      spawnSync("chown", ["-R", "0:0", dataDir])
      chmodSync(join(dataDir, "postgres"), 0o755)
      assert.strictEqual((yield* acquire(dataDir)).start, "warm")
      assert.strictEqual(statSync(join(dataDir, "postgres")).uid, serverUid)
    })
  )

  it.scopedLive("runs as the ordinary user who owns the data, and as themselves when they start it", () =>
    Effect.gen(function* () {
      const dataDir = join(openFolder(), "data")
      chownSync(dirname(dataDir), ordinary, ordinary)
      const theirs = yield* service(dataDir, { uid: ordinary })
      const server = yield* theirs.ready
      assert.strictEqual(server.start, "cold")
      assert.strictEqual(statSync(server.dataDir).uid, ordinary)
      assert.deepStrictEqual(yield* query(server, "SELECT 1 AS n"), { n: 1 })
      yield* theirs.leave
      assert.deepStrictEqual(naming(dataDir), [])
      assert.deepStrictEqual(yield* Effect.scoped(acquire(dataDir)), {
        ...server,
        host: server.host.replace(`gatehouse-${ordinary}`, "gatehouse-0"),
        start: "warm"
      })
      const again = yield* service(dataDir, { uid: ordinary })
      assert.deepStrictEqual(yield* again.ready, { ...server, start: "warm" })
    })
  )

  it.scopedLive("tells an ordinary user about folders that are not theirs, and one without a name the way out", () =>
    Effect.gen(function* () {
      const [readOnly, foreign, nameless] = [openFolder(), yield* warmFolder, openFolder()]
      chownSync(nameless, 12345, 12345)
      const refused = yield* Effect.all([
        service(join(readOnly, "data"), { uid: ordinary }),
        service(foreign, { uid: ordinary }),
        service(join(nameless, "data"), { uid: 12345 })
      ])
      const [first, second, third] = yield* Effect.all(refused.map((each) => each.refused))
      assert.include(first, `cannot create the folder ${readOnly}/data: permission denied`)
      assert.include(second, "belongs to user id 65534")
      assert.include(third, "user id 12345 has no name")
      for (const message of [first, second, third]) assert.include(message, "DATABASE_URL")
    })
  )

  it.scopedLive("completes the libraries of a package an ordinary user cannot write to in a copy", () =>
    Effect.gen(function* () {
      const native = nativeWithoutLinks(openFolder())
      const prepared = yield* service(native, { uid: ordinary, command: preparing })
      const binaries = (yield* prepared.line(0)) as Binaries.Binaries
      assert.isTrue(binaries.postgres.startsWith(join(base, `gatehouse-${ordinary}`)))
    })
  )
})
