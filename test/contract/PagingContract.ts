import { assert, it } from "@effect/vitest"
import { Effect, FastCheck, Layer, Redacted } from "effect"
import { inject } from "vitest"
import * as Cursors from "../../application/workspace/Cursors.ts"
import * as Listing from "../../application/workspace/Listing.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { SecretKey } from "../../application/secrets/SecretKey.ts"
import type { DecisionView } from "../../domain/work/Decision.ts"
import * as Seed from "../support/Seed.ts"
import * as Json from "../../application/ports/Json.ts"
import type { Stores } from "../support/World.ts"

const cursors = Cursors.layer.pipe(Layer.provide(Layer.succeed(SecretKey, Redacted.make(new Uint8Array(32)))))
const rows = inject("full") ? 1000 : 110
const createdAt = "2026-01-01T00:00:00.000Z"
const decision = { kind: "plan_approval", title: "?", recommendation: "yes", options: Seed.options, createdAt }
const many = (count: number) => ({ decisions: Array.from({ length: count }, () => decision) })
const filters = { status: null, team: null, run: null }

export const pagingContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(Layer.merge(layer, cursors), { timeout: "600 seconds" })(`pages (${adapter})`, (it) => {
    it.effect(
      "with equal timestamps, any page sizes and inserts going on, the pages are the snapshot, no row twice",
      () =>
        Effect.gen(function* () {
          const { id, slug } = yield* Seed.workspace
          yield* Seed.load(slug, { teams: [{ slug: "t", name: "T", keyPrefix: "T" }], ...many(rows) })
          const store = yield* DecisionStore
          const listing = { workspace: id, list: "decisions", filters }
          const read = (limit: number, cursor: string | null) =>
            Listing.page(listing, { limit, cursor }, (page) => store.page(id, filters, page))
          const snapshotOf = () =>
            Effect.map(store.page(id, filters, { limit: 5000, before: null }), (page) => Json.each(page.items))
          const walk = (sizes: ReadonlyArray<number>, inserting: boolean) =>
            Effect.gen(function* () {
              const snapshot = yield* snapshotOf()
              const seen: Array<Json.Json<DecisionView>> = []
              let cursor: string | null = null
              let turn = 0
              do {
                const size = sizes[turn++ % sizes.length] ?? 1
                const page: Effect.Effect.Success<ReturnType<typeof read>> = yield* read(size, cursor)
                const items = Json.each(page.items)
                assert.isAtMost(items.length, size)
                seen.push(...items)
                cursor = page.nextCursor
                if (inserting && turn % 10 === 1) yield* Seed.load(slug, many(2))
              } while (cursor !== null)
              assert.deepStrictEqual(seen, [...snapshot])
            })
          for (const size of inject("full") ? Array.from({ length: 100 }, (_, index) => index + 1) : [1, 25, 100])
            yield* walk([size], size > 20)
          const sizes = FastCheck.array(FastCheck.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 5 })
          for (const some of FastCheck.sample(sizes, inject("full") ? 6 : 3)) yield* walk([...some, 50], true)
        }),
      600_000
    )
  })
