import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { Inbox } from "../../application/ports/Inbox.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import * as Json from "../../application/ports/Json.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Teams from "../../application/work/Teams.ts"
import { type DecisionKey, DecisionView } from "../../domain/work/Decision.ts"
import type { JobId } from "../../domain/work/Job.ts"
import { type Member, Role } from "../../domain/workspace/Member.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"

const asked = (key: string, more: Readonly<Record<string, unknown>>) => ({
  key,
  kind: "plan_approval",
  title: key,
  recommendation: "yes",
  options: Seed.options,
  team: "payments",
  ...more
})

const on = (day: string) => `2035-01-${day}T00:00:00.000Z`

const document = {
  teams: Seed.small.teams,
  decisions: [
    asked("dec-aaaa", { expiresAt: on("03") }),
    asked("dec-bbbb", { expiresAt: on("01"), authority: "owner" }),
    asked("dec-cccc", { expiresAt: on("02"), team: "web" }),
    asked("dec-dddd", { expiresAt: on("02") }),
    asked("dec-eeee", { status: "expired" }),
    asked("dec-ffff", { status: "cancelled", team: "web" }),
    asked("dec-gggg", { status: "superseded" })
  ]
}

const place = Effect.gen(function* () {
  const { id, slug } = yield* Seed.workspace
  yield* Seed.load(slug, document)
  return { id, slug, owner: yield* People.person(slug), member: yield* People.person(slug, "member") }
})

const keys = (items: Json.Json<ReadonlyArray<DecisionView>>) =>
  Json.decoder(Schema.Array(DecisionView))(items)
    .map(({ key }) => key.slice(4, 5))
    .join("")

const queue = (id: WorkspaceId, authorities: ReadonlyArray<Role> = Role.literals, team: string | null = null) =>
  Effect.gen(function* () {
    const store = yield* DecisionStore
    const filter = { authorities, team: team as TeamSlug | null }
    const whole = yield* store.queue(id, filter, { limit: 10, before: null })
    let walked = ""
    let before: bigint | null = null
    do {
      const page: Effect.Effect.Success<ReturnType<typeof store.queue>> = yield* store.queue(id, filter, {
        limit: 1,
        before
      })
      walked += keys(page.items)
      before = page.next
    } while (before !== null)
    assert.strictEqual(walked, keys(whole.items))
    return walked
  })

export const decisionQueueContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`what people see of decisions (${adapter})`, (it) => {
    it.effect("pending ones come by deadline, in pages, by team and by the role they need", () =>
      Effect.gen(function* () {
        const { id } = yield* place
        assert.strictEqual(yield* queue(id), "bcda")
        assert.strictEqual(yield* queue(id, ["member"]), "cda")
        assert.strictEqual(yield* queue(id, ["admin", "owner"]), "b")
        assert.strictEqual(yield* queue(id, []), "")
        assert.strictEqual(yield* queue(id, Role.literals, "web"), "c")
        assert.strictEqual(yield* queue(id, Role.literals, "nobody"), "")
        assert.strictEqual(yield* queue((yield* Seed.workspace).id), "")
      })
    )

    it.effect("those that ended without an answer come newest first", () =>
      Effect.gen(function* () {
        const { id } = yield* place
        const store = yield* DecisionStore
        const all = yield* store.unanswered(id, null, { limit: 10, before: null })
        assert.strictEqual(keys(all.items), "gfe")
        const first = yield* store.unanswered(id, null, { limit: 2, before: null })
        const rest = yield* store.unanswered(id, null, { limit: 2, before: first.next })
        assert.deepStrictEqual([keys(first.items), keys(rest.items), rest.next], ["gf", "e", null])
        assert.strictEqual(
          keys((yield* store.unanswered(id, "web" as TeamSlug, { limit: 10, before: null })).items),
          "f"
        )
      })
    )

    it.effect("what waits for a member is counted by role", () =>
      Effect.gen(function* () {
        const { id, member, owner } = yield* place
        const inbox = yield* Inbox
        const counted = (who: Pick<Member, "id" | "role">) =>
          Effect.map(inbox.counts(id, who), ({ decisions, incidents, others, unread }) => ({
            decisions,
            others,
            incidents,
            unread
          }))
        const none = { incidents: 0, unread: 0 }
        assert.deepStrictEqual(yield* counted(owner.member), { decisions: 4, others: 0, ...none })
        assert.deepStrictEqual(yield* counted(member.member), { decisions: 3, others: 1, ...none })
      })
    )

    it.effect("the side bar names the first eight teams by name, and no deleted one", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const names = ["web shop", "Zoo", "Apps", "billing", "Éclair", "core", "Data", "edge", "flow", "gone"]
        const teams = names.map((name, n) => ({ slug: `t-${n}`, name, keyPrefix: `T${n}`, paused: name === "core" }))
        yield* Seed.load(slug, { teams })
        const owner = yield* People.person(slug)
        const listed = Effect.map(
          Effect.flatMap(Inbox, (inbox) => inbox.counts(id, owner.member)),
          (counts) => counts.teams.map(({ name, paused, slug: team }) => `${team} ${name}${paused ? ", paused" : ""}`)
        )
        const all = [
          "t-2 Apps",
          "t-3 billing",
          "t-5 core, paused",
          "t-6 Data",
          "t-7 edge",
          "t-8 flow",
          "t-9 gone",
          "t-0 web shop"
        ]
        assert.deepStrictEqual(yield* listed, all)
        yield* Teams.remove(owner, "t-9" as TeamSlug, "t-9")
        assert.deepStrictEqual(yield* listed, [...all.filter((one) => one !== "t-9 gone"), "t-1 Zoo"])
        const other = yield* Seed.workspace
        assert.deepStrictEqual((yield* (yield* Inbox).counts(other.id, owner.member)).teams, [])
      })
    )

    it.effect("an option does what it said before, and the decision keeps it", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        yield* Seed.load(slug, Seed.small)
        const owner = yield* People.person(slug)
        const decision = "dec-aaaa" as DecisionKey
        const { options } = yield* Decisions.look(owner, decision)
        const said = options.find(({ option }) => option.id === "yes")?.steps
        yield* Decisions.answer(owner, { decision, optionId: "yes", note: null, idempotency: null })
        const { at, options: none } = yield* Decisions.look(owner, decision)
        assert.deepStrictEqual(at.decision.effects, said)
        assert.deepStrictEqual(none, [])
        assert.strictEqual(at.decision.resolvedBy, "Olga Owner")
        const missing = yield* Effect.flip(Decisions.look(owner, "dec-0000" as DecisionKey))
        assert.strictEqual(missing._tag, "DecisionNotFound")
        assert.deepStrictEqual(yield* (yield* JobStore).find(id, [crypto.randomUUID() as string as JobId]), [])
      })
    )
  })
