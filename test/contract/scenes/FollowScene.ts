import { inboxOf as notificationsOf } from "../../support/OnCall.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Json from "../../../application/ports/Json.ts"
import { DecisionStore } from "../../../application/ports/DecisionStore.ts"
import { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import { StoryStore } from "../../../application/ports/StoryStore.ts"
import * as Runs from "../../../application/work/Runs.ts"
import * as Services from "../../../application/oncall/Services.ts"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import * as Audit from "../../../domain/workspace/Audit.ts"
import { answered, type Rows } from "../../../domain/Change.ts"
import { DecisionView } from "../../../domain/work/Decision.ts"
import { follow, type FollowContext } from "../../../domain/oncall/NotifyPlan.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import type { Finding } from "../../../domain/oncall/Investigation.ts"
import type { Job, JobKind } from "../../../domain/work/Job.ts"
import { Place } from "../../../domain/oncall/Place.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import { type StoryKey, StorySummary } from "../../../domain/work/Story.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import { fires } from "../../domain/oncall/TriageScene.ts"
import * as Queue from "../../jobs/Queue.ts"
import * as Seed from "../../support/Seed.ts"
import * as At from "./OnCallScene.ts"

export const atOnce = { concurrency: "unbounded" } as const
export const page = { limit: 1000, before: null }
export const [payments, web] = ["payments" as TeamSlug, "web" as TeamSlug]

export type Plan = (at: FollowContext) => { readonly added: Rows; readonly changed: Rows }

export const opened: Plan = (at) => follow(at, { event: "opened", isLater: false }, () => "https://acme.test")

/** Oldest first. */
export const jobs = ({ id }: Pick<At.Place, "id">, kind: JobKind) =>
  Effect.map(Queue.all(id), (all) => all.filter((job) => job.kind === kind).toReversed())

export const onlyJob = (at: Pick<At.Place, "id">, kind: JobKind) =>
  Effect.map(jobs(at, kind), ([job, ...more]) =>
    job === undefined || more.length > 0 ? assert.fail(`not one job is ${kind}`) : job.id
  )

/** Stored places of teams. */
export const addPlaces = (at: At.Place, ...places: ReadonlyArray<readonly [TeamSlug, string, "removed"?]>) =>
  Effect.flatMap(OnCallStore, (store) =>
    store.change(at.id, {}, ({ now }) =>
      answered(
        {
          added: {
            places: places.map(
              ([team, name, removed]) =>
                new Place({
                  team,
                  name,
                  kind: "webhook",
                  address: "sealed",
                  createdAt: now,
                  removedAt: removed === undefined ? null : now
                })
            )
          },
          audit: [Audit.fact(bySystem, "service_changed", { type: "team", id: payments, name: payments })]
        },
        undefined
      )
    )
  )

/** A workspace whose owner is notified of incidents, and an incident that just opened. */
export const place = Effect.gen(function* () {
  const at = yield* At.place
  yield* Services.set(at.owner, "checkout", { notify: [Seed.ownerEmail] })
  yield* addPlaces(at, [payments, "ops"])
  yield* At.tell(at, fires("cpu"))
  const [incident] = yield* At.incidents(at)
  return { ...at, incident: incident?.key ?? ("" as IncidentKey), job: yield* onlyJob(at, "follow_incident") }
})

/** The same after the follow-up, with its investigation job. */
export const investigated = Effect.gen(function* () {
  const at = yield* place
  yield* (yield* OnCallStore).follow(at.id, at.job, opened)
  return { ...at, job: yield* onlyJob(at, "investigate_incident") }
})

export const inboxOf = ({ id, owner }: At.Place) => notificationsOf(id, owner.member.id)

export const everything = (at: At.Place) =>
  Effect.all([Queue.all(at.id), inboxOf(at), At.incidents(at), At.entries(at), decisions(at), stories(at)])

export const decisions = ({ id }: Pick<At.Place, "id">) =>
  Effect.map(
    Effect.flatMap(DecisionStore, (store) => store.page(id, { status: null, team: null, run: null }, page)),
    ({ items }) => Json.each(items).map(Json.decoder(DecisionView))
  )

export const stories = ({ id }: Pick<At.Place, "id">) =>
  Effect.map(
    Effect.flatMap(StoryStore, (store) => store.page(id, { team: payments, drafts: true }, page)),
    ({ items }) => Json.each(items).map(Json.decoder(StorySummary))
  )

/** Ages merges by hours. */
export const age = At.ageing("runs.merged_at", "jobs.updated_at")

/** A run of a new story that is not merged yet. */
export const run = (at: Pick<At.Place, "slug" | "owner">, team: TeamSlug, story: string) =>
  Effect.gen(function* () {
    yield* Seed.load(at.slug, { stories: [{ key: story, team, title: story, column: { role: "ready" } }] })
    const { run: started } = yield* Runs.start(at.owner, story as StoryKey)
    yield* Runs.lease(at.owner, { team: null, run: started.key })
    const pullRequest = { url: `https://git.acme.test/${story}`, number: 7 }
    yield* Runs.report(at.owner, started.key, [{ type: "pull_request", pullRequest }])
    return started.key
  })

export const merged = (at: Pick<At.Place, "slug" | "owner">, team: TeamSlug, story: string) =>
  Effect.tap(run(at, team, story), (key) => Runs.report(at.owner, key, [{ type: "merged" }]))

/** A merge job of a run, in this status. */
export const merging = (at: Pick<At.Place, "slug">, runKey: RunKey, status: Job["status"]) => {
  const fields = { days: 0, status, runKey }
  return Queue.put(at, ["merge_pull_request"], fields)
}

export const evidence = ({ id }: Pick<At.Place, "id">, incident: IncidentKey) =>
  Effect.flatMap(OnCallStore, (store) => store.evidence(id, incident))

export const merges = (at: Pick<At.Place, "id">, incident: IncidentKey) =>
  Effect.map(evidence(at, incident), (found) => found?.merges.map(({ runKey }) => runKey))

export const inCode: Finding = {
  summary: "It is in the code.",
  suspect: null,
  isCodeCaused: true,
  confidence: null,
  reasons: []
}

/** Asserts some fields of an object. */
export const has = (actual: object | null | undefined, expected: object) =>
  assert.deepInclude(actual ?? {}, expected as Partial<object>)
