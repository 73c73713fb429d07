import { chownSync, closeSync, fsyncSync, mkdtempSync, openSync, readdirSync, readFileSync } from "node:fs"
import { renameSync, rmdirSync, rmSync, symlinkSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect, Schedule } from "effect"
import type { Binaries } from "./Binaries.ts"
import { attempt, codeOf, explain, failed } from "./EmbeddedErrors.ts"
import { look } from "./Folders.ts"
import type { Place } from "./DataFolder.ts"
import * as Process from "./Process.ts"
import * as WaitFor from "./WaitFor.ts"

export const name = "gatehouse"

const otherMajor = (data: string, theirs: string, ours: string) =>
  failed(`${data} was written by PostgreSQL ${theirs}, and this is PostgreSQL ${ours}. Nothing was changed. To move the data:
  1. Start it with PostgreSQL ${theirs}:  pg_ctl -D ${data} -o "-k /tmp" start
  2. Dump it:  (umask 077 && pg_dump -h /tmp -U ${name} -Fc -f gatehouse.dump ${name})
  3. Stop it:  pg_ctl -D ${data} stop
  4. Rename ${data}, start Gatehouse once so that it makes a new one, and restore:
     pg_restore --clean --if-exists -h <its socket folder> -U ${name} -d ${name} gatehouse.dump`)

/** True when there is data; refuses data that this version of Postgres must not touch. */
export const exists = Effect.fn(function* (data: string, major: string) {
  if (look(data) === undefined) return false
  const names = yield* attempt(`read ${data}`, () => readdirSync(data))
  if (names.length === 0) return false
  if (!names.includes("PG_VERSION"))
    return yield* failed(`${data} holds something else than Postgres data. Move it away.`)
  const version = yield* attempt(`read ${data}`, () => readFileSync(join(data, "PG_VERSION"), "utf8").trim())
  if (version !== major) return yield* otherMajor(data, version, major)
  return true
})

export const explainInit = (output: string) => {
  const unknown = /could not look up effective user ID (\d+)/.exec(output)
  if (unknown === null) return `its data folder cannot be made:\n${output.split("\n").slice(-10).join("\n")}`
  return (
    `user id ${unknown[1]} has no name on this system (no entry in /etc/passwd), and Postgres makes no data folder ` +
    "for a nameless user. Run as a user which has one."
  )
}

const syncFolder = (folder: string) => {
  const descriptor = openSync(folder, "r")
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** The initdb of a start that was killed may still write into its draft. */
const whileWritten = {
  schedule: Schedule.intersect(Schedule.spaced("100 millis"), Schedule.recurs(100)),
  while: (error: unknown) => codeOf(error) === "ENOTEMPTY"
}

/** Builds in a draft and renames it once all is on disk, so that a failed start leaves nothing that looks complete. */
export const create = Effect.fn(function* (place: Place, data: string, binaries: Binaries) {
  const parent = dirname(data)
  const prefix = `${basename(data)}.draft-`
  const discard = Effect.try({
    try: () => {
      for (const left of readdirSync(parent).filter((entry) => entry.startsWith(prefix)))
        rmSync(join(parent, left), { recursive: true, force: true })
    },
    catch: (error) => error
  }).pipe(
    Effect.retry(whileWritten),
    Effect.mapError((error) => failed(`cannot remove the draft of an earlier start in ${parent}: ${explain(error)}.`))
  )
  const step = (command: string, args: ReadonlyArray<string>, input?: string) =>
    Effect.filterOrFail(
      Process.run(command, args, place.account, input),
      // A single-user server exits with 0 even when its statement failed.
      ({ code, output }) => code === 0 && !output.includes("ERROR:"),
      ({ output }) => failed(explainInit(output))
    )
  yield* Effect.gen(function* () {
    yield* discard
    const draft = yield* attempt(`create a folder in ${parent}`, () => mkdtempSync(join(parent, prefix)))
    const { account } = place
    if (account !== undefined)
      yield* attempt(`give a folder to user id ${account.uid}`, () => chownSync(draft, account.uid, account.gid))
    const settings = ["--encoding=UTF8", "--locale=C", "--auth=trust", "--auth-host=reject", "--no-sync"]
    yield* step(binaries.initdb, ["-D", draft, "-U", name, ...settings])
    yield* step(binaries.postgres, ["--single", "-F", "-D", draft, "template1"], `CREATE DATABASE ${name}\n`)
    yield* step(binaries.initdb, ["-D", draft, "--sync-only"])
    yield* attempt(`create ${data}`, () => {
      renameSync(draft, data)
      if (data !== place.link) symlinkSync(data, place.link)
      syncFolder(parent)
    })
  }).pipe(
    Effect.timeoutFail({
      duration: WaitFor.deadline,
      onTimeout: () => failed(`its data folder ${data} was not ready in time.`)
    }),
    Effect.onError(() =>
      Effect.ignore(
        Effect.zipRight(
          discard,
          attempt("clean up", () => {
            if (parent !== dirname(place.link)) rmdirSync(parent)
          })
        )
      )
    )
  )
})
