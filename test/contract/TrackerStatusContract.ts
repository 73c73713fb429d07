import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { MirroredIssue } from "../../domain/tracker/MirroredIssue.ts"
import type { Stores } from "../support/World.ts"
import { bind, mirrored, place, project, to, writer } from "../tracker/Place.ts"

export const trackerStatusContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`TrackerStore and boards (${adapter})`, (it) => {
    it.effect("names open issues with their status, after an id", () =>
      Effect.gen(function* () {
        const fake = MemoryTracker.make({ statuses: ["Ready", "Doing"] })
        const at = yield* place
        const columns = [
          { mark: { kind: "status" as const, name: "Ready" }, column: "ready" as const },
          { mark: { kind: "status" as const, name: "Doing" }, column: "in_progress" as const }
        ]
        const binding = yield* Effect.provide(bind(at, { columns, board: { name: "b/1", field: "Status" } }), to(fake))
        const store = yield* TrackerStore
        for (const title of ["One", "Two", "Three", "Four"]) yield* fake.people.open(writer, { title })
        yield* fake.people.move(writer, "i1", "Doing")
        yield* fake.people.close("i2", "completed")
        yield* mirrored(fake)
        yield* fake.people.leave("i4", "deleted")
        yield* store.hint(at.id, at.connection.id, project, { id: "i4", key: "#4" })
        yield* mirrored(fake)
        const statusSince = fake.issues.get("i1")?.snapshot.statusSince ?? null
        assert.isNotNull(statusSince)
        const first = { id: "i1", key: "#1", status: "Doing", statusSince }
        const third = { id: "i3", key: "#3", status: null, statusSince: null }
        assert.deepStrictEqual(yield* store.open(at.id, binding.id, null, 10), [first, third])
        assert.deepStrictEqual(yield* store.open(at.id, binding.id, null, 1), [first])
        assert.deepStrictEqual(yield* store.open(at.id, binding.id, "i1", 10), [third])
        assert.deepStrictEqual(yield* store.open((yield* place).id, binding.id, null, 10), [])
        const [row] = yield* store.issues(at.id, binding.id, ["i1"])
        assert.strictEqual(row?.status, "Doing")
        if (row === undefined) return
        yield* store.wrote(at.id, new MirroredIssue({ ...row, status: "Ready" }), row)
        assert.deepStrictEqual(yield* store.open(at.id, binding.id, null, 1), [{ ...first, status: "Ready" }])
      })
    )
  })
