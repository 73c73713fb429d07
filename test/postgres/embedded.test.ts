import { spawn } from "node:child_process"
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync } from "node:fs"
import { readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { acquire } from "../../adapters/postgres/Embedded.ts"
import * as Binaries from "../../adapters/postgres/embedded/Binaries.ts"
import * as Cluster from "../../adapters/postgres/embedded/Cluster.ts"
import { explain } from "../../adapters/postgres/embedded/Failed.ts"
import * as Folders from "../../adapters/postgres/embedded/Folders.ts"
import * as Lock from "../../adapters/postgres/embedded/Lock.ts"
import * as Process from "../../adapters/postgres/embedded/Process.ts"
import * as Start from "../../adapters/postgres/embedded/Start.ts"
import { script } from "../../adapters/postgres/embedded/Watchdog.ts"
import {
  account,
  base,
  denoCode,
  eventually,
  folder,
  naming,
  nativeWithoutLinks,
  nothingLeft,
  openFolder,
  query,
  refusal,
  root,
  serverUid,
  service,
  settle,
  warmFolder
} from "./launching.ts"

settle()

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
