import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import * as Stories from "../../application/work/Stories.ts"
import * as Bindings from "../../application/work/tracker/Bindings.ts"
import type { Stores } from "../support/World.ts"
import { bind, mirrored, place, storyOf, team, to, writer } from "../tracker/Place.ts"

export const rebindContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`a team that is bound again (${adapter})`, (it) => {
    it.effect("keeps the rows of a removed binding for a week, and goes on with a move that was not written", () =>
      Effect.gen(function* () {
        const fake = MemoryTracker.make()
        const at = yield* place
        yield* Effect.provide(bind(at), to(fake))
        const store = yield* TrackerStore
        const texts = yield* StoryStore
        yield* fake.people.open(writer, { title: "Pay", labels: ["ready"] })
        yield* mirrored(fake)
        const { key } = yield* storyOf(at, "#1")
        assert.deepStrictEqual(yield* texts.ownership(at.id, key), { stated: [], isReleased: false })
        yield* Stories.move(at.owner, key, "review")
        yield* Bindings.unbind(at.owner, team)
        yield* store.purge
        assert.isTrue((yield* texts.ownership(at.id, key)).isReleased)
        assert.isFalse((yield* texts.ownership((yield* place).id, key)).isReleased)
        const { id } = yield* Effect.provide(bind(at), to(fake))
        assert.isFalse((yield* texts.ownership(at.id, key)).isReleased)
        yield* mirrored(fake)
        assert.strictEqual((yield* storyOf(at, "#1")).column.role, "review")
        const [row] = yield* store.issues(at.id, id, ["i1"])
        assert.deepStrictEqual([row?.shown, row?.settled], ["ready", "ready"])
        assert.strictEqual((yield* store.list(at.id))[0]?.unwritten, 1)
      })
    )
  })
