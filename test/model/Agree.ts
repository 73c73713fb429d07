import { assert } from "@effect/vitest"
import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Snapshot from "../support/Snapshot.ts"
import type { Stores } from "../support/World.ts"
import { aim } from "./Aim.ts"
import { beginning, firstMoment } from "./Beginning.ts"
import * as Clocked from "./Clocked.ts"
import { same } from "./Difference.ts"
import * as Model from "./Perform.ts"
import * as Real from "./Real.ts"
import { newest, ofModel, ofSnapshot } from "./State.ts"
import type { Step } from "./Steps.ts"
import { named, type RealWorkspace } from "./Answer.ts"

const hour = 3_600_000

const close = (slug: WorkspaceSlug) => Workspaces.remove(bySystem, { slug, confirm: slug })

/** The content of a workspace, the entries of its deletion, and a check that the log is valid. */
const ending = (real: RealWorkspace) =>
  Effect.gen(function* () {
    const held = yield* Snapshot.take(real.id, real.slug)
    yield* close(real.slug)
    const { entries, firstBad } = yield* (yield* AuditLog).verify(real.id)
    assert.isNull(firstBad)
    return { held, last: yield* newest(real, entries - held.audit.length) }
  })

const text = (real: RealWorkspace, value: object): unknown => JSON.parse(named(real, JSON.stringify(value)))

/** Takes the same steps in the model, in memory and in Postgres: they agree about each answer and about the end. */
export const agree = (slug: WorkspaceSlug, steps: ReadonlyArray<Step>, meet: (outcome: string) => void) =>
  Effect.gen(function* () {
    const memory = yield* Layer.build(Memory.layer)
    const postgres = yield* Effect.context<Stores | SqlClient.SqlClient>()
    let now = 0
    const until = (millis: number) => Effect.provide(Effect.orDie(Clocked.setTime((now = millis))), postgres)
    const open = Real.open(
      slug,
      Effect.suspend(() => until(now + 1000))
    )
    yield* until(firstMoment)
    const kept = yield* Effect.provide(open, memory)
    yield* until(firstMoment)
    const stored = yield* open
    const state = beginning()
    for (const [index, step] of steps.entries()) {
      const aimed = aim(state, step)
      yield* until(now + (aimed.do === "pass" ? aimed.hours * hour : 1000))
      state.now = now
      const before = state.audit.length
      const expected = Model.perform(state, aimed)
      const recorded = state.audit.slice(before)
      const inMemory = yield* Effect.provide(Real.perform(kept, aimed), memory)
      const inPostgres = yield* Real.perform(stored, aimed)
      const entries = yield* Effect.provide(newest(kept, recorded.length), memory)
      const told = `step ${index}: ${JSON.stringify(aimed)}`
      same(`memory and model, ${told} `, inMemory.told, expected)
      same(`memory and model, record of ${told} `, entries, recorded)
      same(`Postgres and memory, ${told} `, inPostgres.all, inMemory.all)
      for (const outcome of inMemory.outcomes) meet(`${aimed.do} ${outcome}`)
    }
    const ofMemory = yield* Effect.provide(ending(kept), memory)
    const ofPostgres = yield* ending(stored)
    same("memory and model, in the end ", ofSnapshot(kept, ofMemory.held, state.audit.length), ofModel(state))
    same("Postgres and memory, in the end ", text(stored, ofPostgres), text(kept, ofMemory))
  }).pipe(Effect.ensuring(Effect.ignore(close(slug))), Effect.scoped)
