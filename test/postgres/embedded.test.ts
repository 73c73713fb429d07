import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { acquire } from "../../adapters/postgres/embedded/Embedded.ts"
import * as Process from "../../adapters/postgres/embedded/Process.ts"
import { script } from "../../adapters/postgres/embedded/Watchdog.ts"
import {
  base,
  denoCode,
  eventually,
  naming,
  nothingLeft,
  openFolder,
  query,
  root,
  serverUid,
  service,
  settle,
  warmFolder
} from "./launching.ts"
import { long } from "../support/Long.ts"

settle()

describe.concurrent("the embedded Postgres", () => {
  long(() => {
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
  })

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

  long(() => {
    it.scopedLive("is stopped when its service is killed while it is still starting", () =>
      Effect.gen(function* () {
        const dataDir = yield* warmFolder
        const killed = yield* service(dataDir)
        yield* eventually("no server appears", () => naming(dataDir, "/bin/postgres").length > 0)
        yield* killed.kill
        yield* nothingLeft(dataDir)
      })
    )
  })

  long(() => {
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
        // The time a slow server takes; the watchdog must still be running.
        yield* Effect.sleep("300 millis")
        writeFileSync(join(data, "postmaster.pid"), `${late.pid}\n`)
        yield* eventually("the late server stays", () => late.signalCode === "SIGINT")
        yield* nothingLeft(place)
      })
    )
  })

  long(() => {
    it.scopedLive("starts again only when the last children of a killed server are gone, which are ended", () =>
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
        yield* Effect.addFinalizer(() => Effect.sync(() => Process.kill(child, "SIGKILL")))
        assert.isDefined(Process.identity(child))
        assert.strictEqual((yield* acquire(dataDir)).start, "warm")
        assert.isUndefined(Process.identity(child))
      })
    )
  })

  long(() => {
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
  })

  long(() => {
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
  })

  long(() => {
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
  })

  long(() => {
    it.scopedLive("may be started by several at the same instant on a cold folder", () =>
      Effect.gen(function* () {
        const dataDir = openFolder("data")
        const others = [yield* service(dataDir), yield* service(dataDir)]
        yield* eventually("nobody starts", () => existsSync(join(dataDir, "postgres.run")))
        const here = yield* Effect.all([acquire(dataDir), acquire(dataDir)], { concurrency: "unbounded" })
        const there = yield* Effect.forEach(others, ({ ready }) => ready)
        const servers = [...here, ...there]
        assert.sameMembers(
          servers.map(({ start }) => start),
          ["cold", "joined", "joined", "joined"]
        )
        yield* Effect.forEach(servers, (server) => query(server, "SELECT 1 AS n"))
        for (const { leave } of others) yield* leave
      })
    )
  })

  long(() => {
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
  })

  long(() => {
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
  })
  long(() => {
    it.scopedLive("starts anew while the initdb of a killed start still writes", () =>
      Effect.gen(function* () {
        const dataDir = openFolder("data")
        const folder = join(dataDir, "postgres.draft-old/base")
        mkdirSync(folder, { recursive: true })
        const code = `const { writeFileSync } = require("node:fs")
          for (let i = 0; i < 30000; i++) writeFileSync(${JSON.stringify(folder)} + "/" + i, "")`
        spawn(process.execPath, ["-e", code], { stdio: "ignore" })
        yield* eventually("nothing is written", () => existsSync(join(folder, "0")))
        const server = yield* acquire(dataDir)
        assert.strictEqual(server.start, "cold")
        assert.isFalse(existsSync(folder))
      })
    )
  })
  long(() => {
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
})
