import { Effect, Either, Schema } from "effect"
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const Process = Schema.Struct({ pid: Schema.Int, identity: Schema.UndefinedOr(Schema.String), mark: Schema.String })

/** A working tree on this machine, as a later start of the runner finds it. */
export const Entry = Schema.Struct({
  key: Schema.String,
  run: Schema.String,
  attempt: Schema.Int,
  story: Schema.String,
  url: Schema.String,
  mirror: Schema.String,
  branch: Schema.String,
  processes: Schema.Array(Process)
})
export type Entry = typeof Entry.Type

const decode = Schema.decodeUnknownEither(Schema.parseJson(Entry))

/** Folders and files of a runner. */
export interface Places {
  readonly mirrors: string
  readonly entries: string
  readonly work: string
  /** An empty repository that every user can read. */
  readonly desk: string
  /** The folder of one attempt, with folders that belong to the agents' user: home, temporary files and trees. */
  readonly attempt: (run: string, attempt: number) => string
  readonly tree: (run: string, attempt: number, fence: number) => string
  readonly index: (key: string) => string
}

/** Makes the folders; agents can pass to their own and read no other. */
export const open = (folder: string): Places => {
  const at = (name: string, mode: number) => {
    const path = join(folder, name)
    mkdirSync(path, { recursive: true })
    // The mode of mkdir is subject to the umask.
    chmodSync(path, mode)
    return path
  }
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  const work = at("work", 0o711)
  const attempt = (run: string, number: number) => join(work, `${run}-${number}`)
  const entries = at("trees", 0o700)
  const desk = at("desk.git", 0o755)
  for (const name of ["objects", "refs"]) at(join("desk.git", name), 0o755)
  writeFileSync(join(desk, "HEAD"), "ref: refs/heads/main\n", { mode: 0o644 })
  return {
    mirrors: at("mirrors", 0o700),
    entries,
    work,
    desk,
    attempt,
    tree: (run, number, fence) => join(attempt(run, number), `tree-${fence}`),
    index: (key) => join(entries, `${key}.index`)
  }
}

export const keyOf = (run: string, attempt: number, fence: number) => `${run}-${attempt}-${fence}`

/** Writes an entry as a whole, so that a kill leaves the old or the new one. */
export const write = ({ entries }: Places, entry: Entry): void => {
  const file = join(entries, `${entry.key}.json`)
  writeFileSync(`${file}.new`, JSON.stringify(entry), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

export const remove = (places: Places, key: string) =>
  Effect.sync(() => {
    for (const name of [`${key}.json`, `${key}.index`, `${key}.index.lock`])
      rmSync(join(places.entries, name), { force: true })
  })

export const list = ({ entries }: Places): ReadonlyArray<Entry> =>
  readdirSync(entries).flatMap((name) =>
    name.endsWith(".json")
      ? Either.match(decode(readFileSync(join(entries, name), "utf8")), {
          onLeft: () => [],
          onRight: (entry) => [entry]
        })
      : []
  )
