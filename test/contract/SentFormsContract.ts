import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { SentForms } from "../../application/ports/identity/SentForms.ts"
import * as Seed from "../support/Seed.ts"

const form = () => ({ token: crypto.randomUUID(), key: "form:1" })

export const sentFormsContract = <E>(adapter: string, layer: Layer.Layer<Seed.Writers | SentForms, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`SentForms (${adapter})`, (it) => {
    it.effect("a form is taken once, and its end is for those who send it again", () =>
      Effect.gen(function* () {
        const store = yield* SentForms
        const [{ id }, other] = [yield* Seed.workspace, yield* Seed.workspace]
        const one = form()
        const taken = yield* Effect.all(
          Array.from({ length: 8 }, () => store.take(id, one)),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          taken.filter(({ isFirst }) => isFirst),
          1
        )
        assert.deepStrictEqual([...new Set(taken.map(({ answer }) => answer))], [null])
        yield* store.keep(id, one, "/there")
        yield* store.release(id, one)
        assert.deepStrictEqual(yield* store.take(id, one), { isFirst: false, answer: "/there" })
        for (const [workspace, another] of [
          [other.id, one],
          [id, form()],
          [id, { ...one, key: "form:2" }]
        ] as const)
          assert.deepStrictEqual(yield* store.take(workspace, another), { isFirst: true, answer: null })
      })
    )

    it.effect("a form that changed nothing is taken anew", () =>
      Effect.gen(function* () {
        const store = yield* SentForms
        const { id } = yield* Seed.workspace
        const one = form()
        yield* store.take(id, one)
        yield* store.release(id, one)
        assert.isTrue((yield* store.take(id, one)).isFirst)
      })
    )
  })
