import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { RecordedEntry } from "../../domain/workspace/Audit.ts"
import * as Story from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import { isLong } from "../support/Long.ts"

const team = { slug: "payments", name: "Payments", keyPrefix: "PAY" }
const story = { team: "payments", title: "Story" }
const everything = { limit: 2000, before: null }

export const importStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "120 seconds" })(`ImportStore (${adapter})`, (it) => {
    it.effect("later documents build on what is there: teams, story numbers, runs", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        yield* Seed.load(slug, { teams: [team], stories: [story, { ...story, key: "PAY-7" }, story] })
        yield* Seed.load(slug, { stories: [story], runs: [{ story: "PAY-7", key: "run-zzzz" }] })
        yield* Seed.load(slug, {
          decisions: [
            { kind: "plan_approval", title: "?", recommendation: "yes", options: Seed.options, run: "run-zzzz" }
          ]
        })
        const page = yield* (yield* StoryStore).page(id, { team: "payments" as TeamSlug, drafts: true }, everything)
        const keys = Json.each(page.items)
          .map(Json.decoder(Story.StorySummary))
          .map((one) => String(one.key))
        assert.deepStrictEqual(keys, ["PAY-10", "PAY-9", "PAY-7", "PAY-8"])
      })
    )

    const refused = (name: string, document: object, path: string) =>
      it.effect(`${name} is refused at ${path} and stores nothing`, () =>
        Effect.gen(function* () {
          const { id, slug } = yield* Seed.workspace
          yield* Seed.load(slug, Seed.small)
          const log = yield* AuditLog
          const before = yield* log.page(id, Seed.anyEntry, everything)
          const error = yield* Effect.flip(Seed.load(slug, document))
          assert.strictEqual(error._tag, "InvalidDocument")
          assert.strictEqual("path" in error ? error.path : "", path)
          assert.deepStrictEqual(yield* log.page(id, Seed.anyEntry, everything), before)
        })
      )
    refused("a taken team slug", { teams: [{ ...team, keyPrefix: "P2" }] }, "teams[0].slug")
    refused("a taken key prefix", { teams: [{ ...team, slug: "p2" }] }, "teams[0].keyPrefix")
    refused("a taken service name", { services: [{ team: "web", name: "Checkout" }] }, "services[0].name")
    refused("a taken story key", { stories: [{ ...story, key: "pay-1" }] }, "stories[0].key")
    refused("a taken run key", { runs: [{ story: "PAY-1", key: "run-aaaa" }] }, "runs[0].key")
    refused("a taken story id", { stories: [{ ...story, id: Seed.small.stories[0]?.id }] }, "stories[0].id")
    refused(
      "a taken decision key",
      { decisions: [{ ...Seed.small.decisions[0], key: "dec-aaaa" }] },
      "decisions[0].key"
    )
    refused(
      "a good team with a bad story",
      { teams: [{ slug: "new", name: "New", keyPrefix: "NEW" }], stories: [{ ...story, team: "old" }] },
      "stories[0].team"
    )

    it.effect("an unknown workspace is refused", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Seed.load("nowhere" as WorkspaceSlug, { teams: [team] }))
        assert.strictEqual(error._tag, "WorkspaceNotFound")
      })
    )

    const count = isLong ? 1000 : 200
    it.effect("keys that are made are unique, and everything made is on record", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const decision = { kind: "plan_approval", title: "?", recommendation: "yes", options: Seed.options }
        yield* Seed.load(slug, { teams: [team], decisions: Array.from({ length: count }, () => decision) })
        const { items } = yield* (yield* DecisionStore).page(id, { status: null, team: null, run: null }, everything)
        assert.strictEqual(
          new Set(Json.each(items).map((item) => (JSON.parse(item) as { key: string }).key)).size,
          count
        )
        const entries = Json.each((yield* (yield* AuditLog).page(id, Seed.anyEntry, everything)).items).map(
          Json.decoder(RecordedEntry)
        )
        assert.strictEqual(entries.filter((entry) => entry.event === "decision_raised").length, count)
        assert.isTrue(entries.every((entry) => entry.actor.type === "system"))
      })
    )
  })
