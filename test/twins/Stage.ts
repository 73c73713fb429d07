import { Effect, Exit, Layer, Logger, ManagedRuntime, Random } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryState from "../../adapters/memory/MemoryState.ts"
import * as Pool from "../../adapters/postgres/connection/Pool.ts"
import * as Postgres from "../../adapters/postgres/Postgres.ts"
import type { Person } from "../../application/workspace/Authorization.ts"
import { SignalSource } from "../../domain/oncall/SignalSource.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Equipment from "../support/Equipment.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import type { Stores } from "../support/World.ts"
import { hashed } from "./Asking.ts"
import type { Case } from "./Case.ts"
import type { Keeper } from "./Keeper.ts"
import { another, type Twin } from "./Marking.ts"
import { memoryKeeper } from "./MemoryKeeper.ts"
import * as Original from "./Original.ts"
import { type PgKeeper, pgKeeper } from "./PgKeeper.ts"
import { told } from "./Told.ts"

/** One sorts before every other workspace, and one after. */
const ids = { birch: "00000000-0000-4000-8000-0000000b12c4", cedar: "ffffffff-ffff-4fff-bfff-ffffffffffff" }
type Word = keyof typeof ids

/** A workspace, its twins, and functions that perform a case as the original and read the rows of all. */
export interface Stage<K extends Keeper = Keeper> {
  readonly at: Original.Original
  readonly keeper: K
  readonly twin: (word: Word) => Twin & { readonly of: Parameters<Keeper["add"]>[0] }
  readonly perform: (one: Case, as?: Twin) => Promise<string>
  /** Performs a case as the original and as a twin at the same time. */
  readonly performBoth: (one: Case, twin: Twin) => Promise<readonly [mine: string, theirs: string]>
  readonly close: () => Promise<void>
}

/** Draws the same keys each time. The timeout ends a case that repeats a broken statement without end. */
const drawing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.withRandom(Random.make("twins")), Effect.timeout("10 seconds"))

/** The same request for the twin. */
export const asTwin = (at: Original.Original, twin: Twin): Original.Original => {
  const [id, slug] = [twin.id as WorkspaceId, twin.slug as WorkspaceSlug]
  const person = (of: Person): Person => ({ ...of, workspace: id, workspaceSlug: slug })
  const { admin, member, owner } = at.people
  const token = another(at.onCall.source.token, twin).slice(0, 32)
  return {
    ...at,
    id,
    slug,
    bearer: twin.bearer,
    people: { admin: person(admin), member: person(member), owner: person(owner) },
    forge: { ...at.forge, credentialHash: another(at.forge.credentialHash, twin) },
    onCall: { ...at.onCall, workspace: id, source: new SignalSource({ ...at.onCall.source, token }) }
  }
}

const open = async <R, E, K extends Keeper>(
  stores: Layer.Layer<Stores | R, E>,
  keeperOf: (run: <A>(effect: Effect.Effect<A, never, R>) => Promise<A>) => Promise<K>
): Promise<Stage<K>> => {
  const quiet = Logger.remove(Logger.defaultLogger)
  const runtime = ManagedRuntime.make(Layer.provideMerge(Layer.merge(stores, Equipment.layer), quiet))
  const at = await runtime.runPromise(Original.make)
  const keeper = await keeperOf((effect) => runtime.runPromise(effect))
  const of = { id: at.id, slug: at.slug, bearerHash: hashed(at) }
  return {
    at,
    keeper,
    twin: (word) => {
      const bearer = `tk_${word.padEnd(32, "0")}`
      return { id: ids[word], slug: `${at.slug}-${word}`, word, bearer, bearerHash: hashed({ bearer }), of }
    },
    perform: async ({ act }, as) => told(await runtime.runPromiseExit(drawing(act(as ? asTwin(at, as) : at)))),
    performBoth: async ({ act }, twin) => {
      const both = [at, asTwin(at, twin)].map((one) => Effect.exit(drawing(act(one))))
      const [mine, theirs] = await runtime.runPromise(Effect.all(both, { concurrency: "unbounded" }))
      return [told(mine ?? Exit.void), told(theirs ?? Exit.void)]
    },
    close: async () => {
      await keeper.close()
      await runtime.dispose()
    }
  }
}

export const onMemory = () =>
  open(Layer.merge(Memory.layer, MemoryState.layer), async (run) => memoryKeeper(await run(MemoryState.State)))

/** `beneath` sees every statement. */
export const onPostgres = async (beneath: Layer.Layer<never> = Layer.empty): Promise<Stage<PgKeeper>> => {
  const { url } = await Effect.runPromise(TestPostgres.addressed)
  const stores = Postgres.layer.pipe(
    Layer.provideMerge(Pool.layer({ connectionString: url, max: 10 })),
    Layer.provide(beneath)
  )
  return open(stores, () => pgKeeper(url))
}
