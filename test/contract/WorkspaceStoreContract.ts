import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Json from "../../application/ports/Json.ts"
import * as Members from "../../application/workspace/Members.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { RecordedEntry } from "../../domain/workspace/Audit.ts"
import * as Decision from "../../domain/work/Decision.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import * as Run from "../../domain/work/Run.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { fires, recovers } from "../domain/oncall/TriageScene.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import * as At from "./scenes/OnCallScene.ts"
import { rounds } from "../support/Range.ts"

const everything = { limit: 1000, before: null }
const owner = { email: Seed.ownerEmail, name: "Olga" }

const entries = (workspace: WorkspaceId) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* AuditLog).page(workspace, Seed.anyEntry, everything)
    return Json.each(items).map(Json.decoder(RecordedEntry))
  })
const events = (workspace: WorkspaceId) => Effect.map(entries(workspace), (all) => all.map((entry) => entry.event))

export const workspaceStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`WorkspaceStore (${adapter})`, (it) => {
    it.effect("is empty until the first workspace is created", () =>
      Effect.gen(function* () {
        const store = yield* WorkspaceStore
        assert.isTrue(yield* store.isEmpty)
        yield* Seed.workspace
        assert.isFalse(yield* store.isEmpty)
      })
    )

    it.effect("of many that create one slug at once, one wins", () =>
      Effect.gen(function* () {
        for (const round of rounds(5)) {
          const slug = `race-${round}` as WorkspaceSlug
          const create = Effect.isSuccess(Workspaces.create(bySystem, { slug, name: "Race", owner }))
          const wins = yield* Effect.replicateEffect(create, 8, { concurrency: "unbounded" })
          assert.strictEqual(wins.filter(Boolean).length, 1)
        }
      })
    )

    it.effect("of many that add one member at once, one wins", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const member = { workspace: slug, email: "ana@acme.test" as Email, name: "Ana", role: "admin" } as const
        const added = yield* Effect.replicateEffect(Effect.either(Members.add(bySystem, member)), 8, {
          concurrency: "unbounded"
        })
        assert.strictEqual(added.filter((one) => one._tag === "Right").length, 1)
        assert.deepStrictEqual(yield* events(id), ["member_added", "member_added", "workspace_created"])
      })
    )

    it.effect("the last owner stays, also when two owners are removed at once", () =>
      Effect.gen(function* () {
        const { slug } = yield* Seed.workspace
        const second = "second@acme.test" as Email
        yield* Members.add(bySystem, { workspace: slug, email: second, name: "Two", role: "owner" })
        const removals = [Seed.ownerEmail, second].map((email) =>
          Effect.either(Members.remove(bySystem, { workspace: slug, email }))
        )
        const ends = yield* Effect.all(removals, { concurrency: "unbounded" })
        assert.deepStrictEqual(ends.map((end) => (end._tag === "Left" ? end.left._tag : "removed")).toSorted(), [
          "LastOwner",
          "removed"
        ])
      })
    )

    it.effect("a refusal changes nothing and leaves no entry", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const before = yield* entries(id)
        yield* Effect.flip(Members.remove(bySystem, { workspace: slug, email: Seed.ownerEmail }))
        yield* Effect.flip(Members.remove(bySystem, { workspace: slug, email: "nobody@acme.test" }))
        yield* Effect.flip(Workspaces.remove(bySystem, { slug, confirm: "wrong" }))
        assert.deepStrictEqual(yield* entries(id), before)
      })
    )

    it.effect("deleting ends what is unfinished, keeps rows and audit, and never frees the slug", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        yield* Seed.load(slug, Seed.small)
        yield* Workspaces.remove(bySystem, { slug, confirm: slug })
        const runs = yield* (yield* RunStore).page(id, { team: null, story: null }, everything)
        assert.deepStrictEqual(
          Json.each(runs.items)
            .map(Json.decoder(Run.RunSummary))
            .map((run) => run.status),
          ["stopped", "stopped"]
        )
        const decisions = yield* (yield* DecisionStore).page(id, { status: null, team: null, run: null }, everything)
        assert.deepStrictEqual(
          Json.each(decisions.items)
            .map(Json.decoder(Decision.DecisionView))
            .map((decision) => decision.status),
          ["expired", "cancelled"]
        )
        const [cancelled, stopped, alsoStopped, deleted] = yield* entries(id)
        assert.deepStrictEqual(
          [cancelled?.event, stopped?.event, alsoStopped?.event, deleted?.event],
          ["decision_cancelled", "run_state_changed", "run_state_changed", "workspace_deleted"]
        )
        assert.strictEqual(cancelled?.runKey, "run-aaaa")
        const again = Workspaces.create(bySystem, { slug, name: "Again", owner })
        assert.strictEqual((yield* Effect.flip(again))._tag, "WorkspaceSlugTaken")
        const twice = Workspaces.remove(bySystem, { slug, confirm: slug })
        assert.strictEqual((yield* Effect.flip(twice))._tag, "WorkspaceNotFound")
      })
    )

    it.effect("deleting resolves what is open, on record as whoever deleted it", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        yield* At.tell(place, fires("cpu"), fires("disk", { environment: "prod" }), recovers("disk"))
        const by = { actor: { type: "human", name: "Ana", userId: null }, requestId: null } as const
        yield* Workspaces.remove(by, { slug: place.slug, confirm: place.slug })
        assert.deepStrictEqual(
          (yield* At.incidents(place)).map(({ status }) => status),
          ["resolved", "resolved"]
        )
        assert.deepStrictEqual(new Set((yield* At.alerts(place)).map(({ status }) => status)), new Set(["resolved"]))
        assert.deepStrictEqual(
          (yield* At.entries(place)).slice(-2).map(({ actor, entity, event }) => [event, entity.name, actor.name]),
          [
            ["workspace_deleted", "Acme", "Ana"],
            ["incident_resolved", "cpu is wrong", "Ana"]
          ]
        )
      })
    )

    it.effect("audit entries are numbered without gaps under concurrent changes", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const add = (index: number) =>
          Members.add(bySystem, { workspace: slug, email: `m${index}@acme.test` as Email, name: "M", role: "member" })
        yield* Effect.forEach(
          Array.from({ length: 30 }, (_, index) => index),
          add,
          { concurrency: "unbounded" }
        )
        const log = yield* AuditLog
        const seen: Array<bigint> = []
        let before: bigint | null = null
        do {
          const page: { readonly next: bigint | null } = yield* log.page(id, Seed.anyEntry, { limit: 1, before })
          if (page.next !== null) seen.push(page.next)
          before = page.next
        } while (before !== null)
        assert.deepStrictEqual(
          seen,
          Array.from({ length: 31 }, (_, index) => BigInt(32 - index))
        )
      })
    )
  })
