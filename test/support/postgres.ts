// @effect-diagnostics processEnv:off globalDate:off
import { SqlClient } from "@effect/sql"
import * as Pool from "../../adapters/postgres/connection/Pool.ts"
import { Effect, Exit, Layer, Scope } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { chmod, mkdir, mkdtemp, readdir, rm, statfs, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import * as Embedded from "../../adapters/postgres/embedded/Embedded.ts"
import * as Postgres from "../../adapters/postgres/Postgres.ts"
import { bundle } from "./bundle.ts"
import { naming, signal } from "./Process.ts"
import { day } from "./Turns.ts"

declare module "vitest" {
  interface TaskMeta {
    /** Measurements of a test, for the report of its long form. */
    figures?: string
  }
  interface ProvidedContext {
    /** True when tests run in their long form. */
    readonly full: boolean
    /** Determines everything that tests draw at random; `SEED=n npm test` draws the same again. */
    readonly seed: number
    /** Selects the share of long tables that the short form takes; `DAY=n npm test` takes the same again. */
    readonly day: number
    /** A data folder whose slow first start is already done. */
    readonly prepared: string
    readonly postgres: { readonly host: string; readonly port: number; readonly username: string }
  }
}

/** A crash of the machine loses only test data, and a vacuum of some hundred databases takes more time than they save. */
const hurry = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const setting of ["autovacuum", "fsync", "full_page_writes", "jit", "synchronous_commit"])
    yield* sql.unsafe(`ALTER SYSTEM SET ${setting} = off`)
  yield* sql.unsafe("ALTER SYSTEM SET plan_cache_mode = force_generic_plan")
  yield* sql`SELECT pg_reload_conf()`
})

/** The first start of a Postgres in a folder, with the schema. */
const prepare = (folder: string) =>
  Effect.gen(function* () {
    const { database, host, port, username } = yield* Embedded.acquire(folder)
    const client = Pool.layer({ host, port, user: username, database })
    yield* Effect.scoped(Layer.build(Postgres.layer.pipe(Layer.provide(client))))
  }).pipe(Effect.scoped)

const memory = "/dev/shm"
const room = 4 * 2 ** 30

/** Memory that has room and runs programs: on a disk a copy of a database takes four times as long. */
const fastest = async () => {
  try {
    const { bavail, bsize } = await statfs(memory)
    const folder = await mkdtemp(join(memory, "gh-"))
    try {
      await writeFile(join(folder, "program"), "#!/bin/sh\n", { mode: 0o755 })
      execFileSync(join(folder, "program"))
    } finally {
      await rm(folder, { recursive: true })
    }
    return bavail * bsize > room ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** Waits for the processes of a run, workers too. */
const remove = 'while kill -0 "$1" || kill -0 "-$1"; do sleep 0.1; done; rm -rf "$0"'

/**
 * Ends the programs that tests left, except Postgres, which ends by itself, and removes the folder after the run. A disk
 * that discards blocks takes half a minute to remove some ten thousand files.
 */
const leave = (folder: string, run: number) => {
  for (const [pid, command] of naming(folder)) if (!command.includes("postgres")) signal(pid, "SIGKILL")
  spawn("sh", ["-c", remove, folder, String(run)], { detached: true, stdio: "ignore" }).unref()
}

/** The temporary folder of all tests; that of a run that was killed goes. */
const temporary = async () => {
  const place = await fastest()
  for (const name of await readdir(place)) {
    const run = Number(/^gh-test-(\d+)-/.exec(name)?.[1])
    if (run > 0 && !signal(run, 0)) leave(join(place, name), run)
  }
  const folder = await mkdtemp(join(place, `gh-test-${process.pid}-`))
  await chmod(folder, 0o1777)
  return folder
}

/** One real Postgres for all tests, without which they fail, and the service as `npm start` runs it. */
export default async (project: TestProject) => {
  execFileSync("sh", ["build.sh"], { env: { ...process.env, PATH: `node_modules/.bin:${process.env["PATH"]}` } })
  const workers = Object.fromEntries(["jobs", "following", "postgres"].map((name) => [name, `test/${name}/worker.ts`]))
  await bundle(workers, "dist/workers")
  const base = await temporary()
  process.env["TMPDIR"] = base
  // Vitest leaves its own folder behind when it is stopped.
  Object.assign(project, { tmpDir: join(base, "vitest") })
  // Vitest ends the process in a listener of its own.
  process.prependOnceListener("exit", () => leave(base, process.pid))
  const folder = join(base, "data")
  await mkdir(folder, { mode: 0o755 })
  await Effect.runPromise(prepare(folder))
  const prepared = `${folder}-prepared`
  execFileSync("cp", ["-a", folder, prepared])
  const scope = await Effect.runPromise(Scope.make())
  const { database, host, port, username } = await Effect.runPromise(Scope.extend(Embedded.acquire(folder), scope))
  const client = Pool.layer({ host, port, user: username, database })
  await Effect.runPromise(Effect.provide(hurry, client))
  project.provide("full", process.env["PROVE"] === "full")
  project.provide("seed", Number(process.env["SEED"] ?? randomInt(2 ** 31)))
  project.provide("day", day())
  project.provide("prepared", prepared)
  project.provide("postgres", { host, port, username })
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
