import { Clock, Duration, Effect } from "effect"
import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Mirror from "../git/Mirror.ts"
import * as Tree from "../git/Tree.ts"
import { end } from "../process/Child.ts"
import { showing } from "../process/Environment.ts"
import { erase } from "../process/Folder.ts"
import { watch } from "../process/Survivors.ts"
import * as Records from "../Records.ts"
import type { Bench } from "./Bench.ts"

type Shop = Pick<Bench, "isolation" | "places" | "settings">

const partsOf = ({ isolation, places, settings }: Shop, entry: Records.Entry) => {
  const mirror: Mirror.Mirror = { folder: entry.mirror, url: entry.url, host: null, tokens: settings.gitTokens }
  const fence = Number(entry.key.slice(entry.key.lastIndexOf("-") + 1))
  const tree: Tree.Tree = {
    mirror,
    path: places.tree(entry.run, entry.attempt, fence),
    index: places.index(entry.key),
    ref: `refs/heads/${entry.key}`,
    desk: places.desk,
    isolation
  }
  return { mirror, tree }
}

/** Why a tree must stay: files or commits that are nowhere else. Null when it holds nothing more. */
export const keptReason = (bench: Shop, entry: Records.Entry) =>
  Effect.gen(function* () {
    const { mirror, tree } = partsOf(bench, entry)
    const head = yield* Tree.head(tree)
    const isFetched = yield* Effect.map(
      Mirror.on(mirror, [
        "for-each-ref",
        "--contains",
        head,
        "--count=1",
        "--format=%(refname)",
        "refs/remotes/origin"
      ]),
      (found) => found !== ""
    )
    if (!isFetched) return "it has commits that are not pushed"
    const changed = yield* Tree.stage(tree)
    return changed.length === 0 ? null : `it has changes that are not committed: ${changed.slice(0, 5).join(", ")}`
  }).pipe(Effect.catchAll(({ message }) => Effect.succeed(`its state cannot be read: ${message}`)))

/** Removes a tree with its branch in the mirror. */
export const discard = (bench: Shop, entry: Records.Entry) =>
  Effect.gen(function* () {
    const { mirror, tree } = partsOf(bench, entry)
    yield* erase(tree.path)
    yield* Effect.ignore(Mirror.on(mirror, ["update-ref", "-d", tree.ref]))
    yield* Records.remove(bench.places, entry.key)
  })

/** Removes locks that git commands of a killed runner left. */
const unlock = ({ entries, mirrors }: Records.Places) =>
  Effect.promise(async () => {
    const folders = (await readdir(mirrors)).map((name) => join(mirrors, name))
    const places = [entries, ...folders, ...folders.map((folder) => join(folder, "refs"))]
    await Promise.all(
      places.map(async (place) => {
        const names = await readdir(place, { recursive: place.endsWith("refs") }).catch(() => [])
        const locks = names.filter((name) => name.endsWith(".lock"))
        await Promise.all(locks.map((name) => rm(join(place, name), { force: true })))
      })
    )
  })

const namesIn = (folder: string, pattern = /./) =>
  Effect.promise(async () =>
    (await readdir(folder).catch(() => [])).flatMap((name) => (pattern.test(name) ? [join(folder, name)] : []))
  )

/** Removes folders that a killed runner had not filled or emptied yet. */
const clear = ({ entries, work }: Records.Places) =>
  Effect.gen(function* () {
    const drafts = yield* namesIn(entries, /\.index\.files$/)
    const attempts = yield* namesIn(work)
    const stages = yield* Effect.forEach(attempts, (attempt) => namesIn(attempt, /^stage-/))
    yield* Effect.forEach([...drafts, ...stages.flat()], erase, { discard: true })
  })

/** Days after which the home of an attempt is removed that this runner did not work on again. */
const mostDays = 30

/** Removes the folders of attempts that have no tree and were not used for long. */
const forget = (places: Records.Places) =>
  Effect.gen(function* () {
    const used = new Set(Records.list(places).map(({ attempt, run }) => places.attempt(run, attempt)))
    const oldest = (yield* Clock.currentTimeMillis) - Duration.toMillis(Duration.days(mostDays))
    for (const folder of yield* namesIn(places.work)) {
      const status = yield* Effect.promise(() => stat(folder).catch(() => undefined))
      if (!used.has(folder) && status !== undefined && status.mtimeMs < oldest) yield* erase(folder)
    }
  })

/** Packs mirrors that have many loose objects. */
const pack = ({ places, settings }: Shop) =>
  Effect.gen(function* () {
    const args = ["-c", "gc.auto=6700", "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet"] as const
    for (const folder of yield* namesIn(places.mirrors))
      yield* Effect.ignore(Mirror.on({ folder, url: "", host: null, tokens: settings.gitTokens }, args))
  })

/** Ends processes and removes locks that an earlier runner of this folder left, and says which trees are still there. */
export const sweep = Effect.fn("Upkeep.sweep")(function* (bench: Shop & Pick<Bench, "say">) {
  const { places, say } = bench
  const entries = Records.list(places)
  const left = [
    () => showing(`GIT_DIR=${places.mirrors}/`, undefined),
    ...entries.flatMap(({ processes }) => processes.map((marked) => watch(marked)))
  ].filter((alive) => alive().length > 0)
  if (left.length > 0) yield* say("processes_ended", "Ends processes that an earlier runner left")
  yield* Effect.forEach(left, end, { concurrency: "unbounded", discard: true })
  yield* unlock(places)
  yield* clear(places)
  for (const entry of entries) {
    Records.write(places, { ...entry, processes: [] })
    const why = yield* keptReason(bench, entry)
    if (why === null) yield* discard(bench, entry)
    else yield* say("tree_kept", `${entry.key} is kept: ${why}`, { run: entry.run, story: entry.story })
  }
  yield* forget(places)
  yield* pack(bench)
})
