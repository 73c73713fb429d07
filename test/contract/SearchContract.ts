import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as Teams from "../../application/work/Teams.ts"
import { WorkspaceSearch } from "../../application/ports/search/WorkspaceSearch.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"

export const searchContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`WorkspaceSearch (${adapter})`, (it) => {
    const made = Effect.gen(function* () {
      const { id, slug } = yield* Seed.workspace
      yield* Seed.load(slug, Seed.small)
      const find = (key: string, words: ReadonlyArray<string>) =>
        Effect.flatMap(WorkspaceSearch, (search) =>
          Effect.map(search.find(id, { key, words }), (hits) =>
            hits.map((hit) => `${hit.type} ${hit.key}: ${hit.title}`)
          )
        )
      return { id, slug, find }
    })

    it.effect("finds every type by its key", () =>
      Effect.gen(function* () {
        const { find } = yield* made
        assert.deepStrictEqual(yield* find("pay-1", []), ["story PAY-1: Refund in part"])
        assert.deepStrictEqual(yield* find("run-aaaa", []), ["run run-aaaa: Refund in part"])
        assert.deepStrictEqual(yield* find("dec-aaaa", []), ["decision dec-aaaa: Plan?"])
        assert.deepStrictEqual(yield* find("web", []), ["team web: Web shop"])
        assert.deepStrictEqual(yield* find("pay-9", []), [])
      })
    )

    it.effect("names the team of each", () =>
      Effect.gen(function* () {
        const { id } = yield* made
        for (const key of ["web-1", "run-bbbb", "dec-bbbb", "web"]) {
          const hits = yield* Effect.flatMap(WorkspaceSearch, (search) => search.find(id, { key, words: [] }))
          assert.deepStrictEqual(
            hits.map(({ team }) => team),
            ["Web shop"]
          )
        }
      })
    )

    it.effect("finds titles in which a word begins with each of the words", () =>
      Effect.gen(function* () {
        const { find } = yield* made
        assert.deepStrictEqual(yield* find("", ["ref", "part"]), ["story PAY-1: Refund in part"])
        assert.deepStrictEqual(yield* find("", ["pay"]), ["team payments: Payments", "story PAY-2: Pay by invoice"])
        assert.deepStrictEqual(yield* find("", ["efund"]), [])
        assert.deepStrictEqual(yield* find("", ["refund", "wish"]), [])
        assert.deepStrictEqual(yield* find("", []), [])
      })
    )

    it.effect("finds nothing of other workspaces, and nothing of deleted teams", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* made, yield* made]
        yield* Seed.load(other.slug, { stories: [{ key: "PAY-7", team: "payments", title: "Elsewhere" }] })
        assert.deepStrictEqual(yield* one.find("pay-7", ["elsewhere"]), [])
        const owner = yield* People.person(one.slug)
        yield* Teams.remove(owner, "web" as TeamSlug, "web")
        assert.deepStrictEqual(yield* one.find("web-1", ["wish"]), [])
        assert.deepStrictEqual(yield* one.find("web", ["web"]), [])
        assert.deepStrictEqual(yield* other.find("web-1", []), ["story WEB-1: Wish list"])
      })
    )
  })
