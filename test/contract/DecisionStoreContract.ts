import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Either, type Layer } from "effect"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Json from "../../application/ports/Json.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import type { Channel } from "../../domain/workspace/Actor.ts"
import { RecordedEntry } from "../../domain/workspace/Audit.ts"
import { type DecisionKey, DecisionView } from "../../domain/work/Decision.ts"
import { usual } from "../../domain/work/DecisionTriggers.ts"
import { RunView } from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { StoryView, type StoryKey } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import { rounds } from "../support/Range.ts"

const everything = { limit: 1000, before: null }
const asked = "dec-aaaa" as DecisionKey

const small = { decision: asked, optionId: "yes", note: "go", idempotency: null }

const entries = (workspace: WorkspaceId) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* AuditLog).page(workspace, Seed.anyEntry, everything)
    return Json.each(items).map(Json.decoder(RecordedEntry))
  })

const decisionOf = (workspace: WorkspaceId, key: DecisionKey = asked) =>
  Effect.map(
    Effect.flatMap(DecisionStore, (store) => store.get(workspace, key)),
    Json.decoder(DecisionView)
  )
const runOf = (workspace: WorkspaceId) =>
  Effect.map(
    Effect.flatMap(RunStore, (store) => store.get(workspace, "run-aaaa" as RunKey)),
    Json.decoder(RunView)
  )
const storyOf = (workspace: WorkspaceId) =>
  Effect.map(
    Effect.flatMap(StoryStore, (store) => store.get(workspace, "PAY-1" as StoryKey)),
    Json.decoder(StoryView)
  )

const seeded = Effect.gen(function* () {
  const { id, slug } = yield* Seed.workspace
  yield* Seed.load(slug, Seed.small)
  return { id, slug, owner: yield* People.person(slug) }
})

export const decisionStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`DecisionStore (${adapter})`, (it) => {
    it.effect("an answer, what follows from it and its entries are written together", () =>
      Effect.gen(function* () {
        const { id, owner } = yield* seeded
        const { json } = yield* Decisions.answer(owner, small)
        const { effects, ...answered } = Json.decoder(Decisions.ResolvedView)(json)
        assert.deepStrictEqual(answered, yield* decisionOf(id))
        assert.strictEqual(answered.status, "resolved")
        assert.deepStrictEqual(answered.resolution, { optionId: "yes", note: "go" })
        assert.strictEqual(answered.resolvedVia, "app")
        assert.deepStrictEqual(
          effects.map(({ status, type }) => [type, status]),
          [
            ["plan_approved", "done"],
            ["implementation_started", "done"],
            ["story_moved", "done"]
          ]
        )
        const run = yield* runOf(id)
        assert.deepStrictEqual([run.status, run.stage], ["running", "implementing"])
        assert.strictEqual((yield* storyOf(id)).column.role, "in_progress")
        assert.deepStrictEqual(
          (yield* entries(id)).slice(0, 3).map(({ event }) => event),
          ["story_moved", "run_state_changed", "decision_resolved"]
        )
      })
    )

    it.effect("of many answers through every channel one wins, and the others learn whose", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* seeded
        const channels: ReadonlyArray<Channel> = ["app", "slack", "mcp", "api"]
        const people = yield* Effect.forEach(channels, (channel) => People.person(slug, "member", channel))
        const attempts = Array.from({ length: 10 }, () => people)
          .flat()
          .map((person) => Effect.either(Decisions.answer(person, small)))
        const ends = yield* Effect.all(attempts, { concurrency: "unbounded" })
        const winner = ends.findIndex(Either.isRight)
        assert.strictEqual(ends.filter(Either.isRight).length, 1)
        for (const end of ends)
          if (Either.isLeft(end)) {
            assert.strictEqual(end.left._tag, "DecisionAlreadyResolved")
            assert.include(end.left.message, `by Mika Member`)
            assert.include(end.left.message, `via ${channels[winner % 4]}`)
          }
        const resolved = (yield* entries(id)).filter(({ event }) => event === "decision_resolved")
        assert.strictEqual(resolved.length, 1)
      })
    )

    it.effect("a decision about no run and no story is answered once too", () =>
      Effect.gen(function* () {
        const { id, owner, slug } = yield* seeded
        for (const round of rounds(5)) {
          const proposal = {
            kind: "maintenance_proposal",
            title: `Tidy up ${round}`,
            body: "",
            subject: null,
            authority: "member",
            ...usual("maintenance_proposal")
          } as const
          const raised = yield* Decisions.raise(owner, { team: "payments" as TeamSlug }, proposal)
          const { key } = Json.decoder(DecisionView)(raised)
          const accept = Decisions.answer(owner, { ...small, decision: key, optionId: "accept_proposal" })
          const ends = yield* Effect.replicateEffect(Effect.either(accept), 16, { concurrency: "unbounded" })
          assert.strictEqual(ends.filter(Either.isRight).length, 1)
        }
        const { count } = yield* (yield* StoryStore).page(
          id,
          { team: "payments" as TeamSlug, drafts: true },
          everything
        )
        assert.strictEqual(count, 2 + rounds(5).length, slug)
      })
    )

    it.effect("what is due expires once, and its run is told that nobody answered", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const [decision] = Seed.small.decisions
        const now = yield* DateTime.now
        const past = DateTime.formatIso(DateTime.subtract(now, { days: 400 }))
        yield* Seed.load(slug, { ...Seed.small, decisions: [{ ...decision, expiresAt: past, createdAt: past }] })
        const swept = yield* Effect.replicateEffect(Decisions.expireDue(), 4, { concurrency: "unbounded" })
        assert.strictEqual(
          swept.reduce((sum, one) => sum + one, 0),
          1
        )
        assert.strictEqual((yield* decisionOf(id)).status, "expired")
        const run = yield* runOf(id)
        assert.deepStrictEqual([run.status, run.attemptList[0]?.error], ["timed_out", "nobody answered dec-aaaa"])
        assert.strictEqual((yield* storyOf(id)).column.role, "backlog")
      })
    )
  })
