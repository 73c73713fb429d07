import { assert, it } from "@effect/vitest"
import { Effect, Either, type Layer, Redacted } from "effect"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { AuthenticatedReads } from "../../application/ports/AuthenticatedReads.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { hashOf } from "../../domain/workspace/ApiToken.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"

const run = "run-aaaa" as RunKey
const page = { limit: 25, before: null }
const every = { status: null, team: null, run: null }
const hashed = (value: string) => hashOf(Redacted.make(value))

const visit = Effect.gen(function* () {
  const { id, slug } = yield* Seed.workspace
  yield* Seed.load(slug, Seed.small)
  const { prefix, value } = yield* Seed.token(slug)
  return { id, slug, prefix, hash: yield* hashed(value) }
})

export const pollingContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`AuthenticatedReads (${adapter})`, (it) => {
    it.effect("whoever has a token sees what its workspace's stores show, and is counted for each look", () =>
      Effect.gen(function* () {
        const { hash, id } = yield* visit
        const polling = yield* AuthenticatedReads
        const [decisions, runs, teams] = yield* Effect.all([DecisionStore, RunStore, TeamStore])
        const listed = yield* polling.decisions(hash, every, page)
        assert.deepStrictEqual(listed.answer, Either.right(yield* decisions.page(id, every, page)))
        const some = { ...every, status: "pending" as const, team: "payments" as TeamSlug, run }
        const filtered = yield* polling.decisions(hash, some, { limit: 1, before: null })
        assert.deepStrictEqual(
          filtered.answer,
          Either.right(yield* decisions.page(id, some, { limit: 1, before: null }))
        )
        assert.deepStrictEqual((yield* polling.run(hash, run)).answer, Either.right(yield* runs.get(id, run)))
        const last = yield* polling.teams(hash)
        assert.deepStrictEqual(last.answer, Either.right(yield* teams.list(id)))
        assert.strictEqual(last.bearer.workspace, id)
        assert.deepStrictEqual(
          [listed, filtered, last].map(({ bearer }) => bearer.window.remaining),
          [119, 118, 116]
        )
      })
    )

    it.effect("what is not there is told together with who asked", () =>
      Effect.gen(function* () {
        const { hash, id } = yield* visit
        const polling = yield* AuthenticatedReads
        const missing = yield* polling.run(hash, "run-zzzz" as RunKey)
        assert.deepStrictEqual([Either.isLeft(missing.answer), missing.bearer.workspace], [true, id])
        const team = yield* polling.decisions(hash, { ...every, team: "nobody" as TeamSlug }, page)
        assert.strictEqual(Either.isLeft(team.answer) && team.answer.left._tag, "TeamNotFound")
      })
    )

    it.effect("a token that does not hold sees nothing", () =>
      Effect.gen(function* () {
        const { hash, prefix, slug } = yield* visit
        const polling = yield* AuthenticatedReads
        const refusal = (of: string) => Effect.map(Effect.flip(polling.teams(of)), ({ _tag }) => _tag)
        assert.strictEqual(yield* refusal(yield* hashed("tk_nobody")), "InvalidToken")
        assert.strictEqual(yield* refusal(yield* hashed(yield* Seed.agedToken(slug, 30))), "TokenExpired")
        yield* Tokens.revoke(bySystem, { workspace: slug, prefix })
        assert.strictEqual(yield* refusal(hash), "TokenRevoked")
      })
    )

    it.effect("of what comes at once each has a number of its own, and the first 120 are within the limit", () =>
      Effect.gen(function* () {
        const { hash } = yield* visit
        const polling = yield* AuthenticatedReads
        const all = yield* Effect.forEach(Array.from({ length: 150 }), () => polling.teams(hash), {
          concurrency: "unbounded"
        })
        assert.strictEqual(all.filter(({ bearer }) => bearer.withinLimit).length, 120)
        const left = all.filter(({ bearer }) => bearer.withinLimit).map(({ bearer }) => bearer.window.remaining)
        assert.strictEqual(new Set(left).size, 120)
      })
    )

    it.effect("two workspaces that ask at once each see their own", () =>
      Effect.gen(function* () {
        const mine = yield* visit
        const other = yield* Seed.workspace
        const theirs = yield* hashed((yield* Seed.token(other.slug)).value)
        const polling = yield* AuthenticatedReads
        const [seen, nothing, run404] = yield* Effect.all(
          [polling.teams(mine.hash), polling.teams(theirs), polling.run(theirs, run)],
          { concurrency: "unbounded" }
        )
        assert.notStrictEqual(Either.getOrThrow(seen.answer), "[]")
        assert.strictEqual(Either.getOrThrow(nothing.answer), "[]")
        assert.isTrue(Either.isLeft(run404.answer))
      })
    )
  })
