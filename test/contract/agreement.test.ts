import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import demo from "../../adapters/cli/demo.json" with { type: "json" }
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import type { Stores } from "../support/World.ts"

type Item = Readonly<Record<string, unknown>>
const everything = { limit: 1000, before: null }
const at = "2026-11-10T12:00:00.000Z"

/** Sets all values that storage would otherwise generate: ids and times. */
const pinned = (document: Readonly<Record<string, ReadonlyArray<Item>>>) => {
  const id = (list: number, index: number) => `00000000-0000-4000-8000-00${list}0000${String(index).padStart(5, "0")}`
  const all = (list: string, stated: (item: Item, index: number) => Item) =>
    (document[list] ?? []).map((item, index) => ({ createdAt: at, ...item, ...stated(item, index) }))
  return {
    teams: all("teams", ({ policy }, index) => ({
      id: id(1, index),
      policy: policy ? { updatedAt: at, ...policy } : null
    })),
    stories: all("stories", (_, index) => ({ id: id(2, index) })),
    runs: all("runs", () => ({})),
    decisions: all("decisions", ({ expiresAt }) => ({ expiresAt: expiresAt ?? at }))
  }
}

const read = <E>(layer: Layer.Layer<Stores, E>) =>
  Effect.gen(function* () {
    const { id, slug } = yield* Seed.workspace
    yield* Seed.load(slug, pinned(demo as never))
    const teams = yield* TeamStore
    const stories = yield* StoryStore
    const runs = yield* RunStore
    const decisions = yield* DecisionStore
    // oxlint-disable-next-line typescript/no-explicit-any
    const parse = (items: string): ReadonlyArray<any> => JSON.parse(items)
    const listedTeams = parse(yield* teams.list(id))
    const storyPages = yield* Effect.forEach(listedTeams, (team) =>
      Effect.all([
        stories.page(id, { team: team.slug, drafts: true }, everything),
        stories.page(id, { team: team.slug, drafts: false }, everything)
      ])
    )
    const listedRuns = yield* runs.page(id, { team: null, story: null }, everything)
    const listedDecisions = yield* decisions.page(id, { status: null, team: null, run: null }, everything)
    const keys = (items: string) => parse(items).map((item) => item.key)
    return {
      teams: listedTeams,
      stories: storyPages.map((pages) => pages.map((page) => parse(page.items))),
      story: yield* Effect.forEach(
        storyPages.flatMap(([all]) => keys(all.items)),
        (key) => Effect.map(stories.get(id, key), JSON.parse)
      ),
      runs: parse(listedRuns.items),
      run: yield* Effect.forEach(keys(listedRuns.items), (key) => Effect.map(runs.get(id, key), JSON.parse)),
      decisions: parse(listedDecisions.items),
      decision: yield* Effect.forEach(keys(listedDecisions.items), (key) =>
        Effect.map(decisions.get(id, key), JSON.parse)
      )
    }
  }).pipe(Effect.provide(layer))

it.effect(
  "memory and Postgres show the same document the same way, list by list and object by object",
  () =>
    Effect.gen(function* () {
      const [memory, postgres] = yield* Effect.all([read(Memory.layer), read(TestPostgres.layer)])
      assert.isAbove(memory.story.length, 40)
      for (const name of Object.keys(memory) as ReadonlyArray<keyof typeof memory>)
        assert.deepStrictEqual(postgres[name], memory[name], name)
    }),
  60_000
)
