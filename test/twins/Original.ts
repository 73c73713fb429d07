import { DateTime, Effect, Redacted } from "effect"
import * as Decisions from "../../application/work/Decisions.ts"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import * as FollowIncident from "../../application/oncall/FollowIncident.ts"
import { CheckStore } from "../../application/ports/CheckStore.ts"
import { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import { SentForms } from "../../application/ports/identity/SentForms.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import { RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Services from "../../application/oncall/Services.ts"
import * as Teams from "../../application/work/Teams.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import { hashOf, type TokenId } from "../../domain/workspace/ApiToken.ts"
import { acknowledge } from "../../domain/oncall/AcknowledgeInSource.ts"
import type { DeliveryId } from "../../domain/oncall/Delivery.ts"
import type { Job, JobKind } from "../../domain/work/Job.ts"
import type { SignalSource } from "../../domain/oncall/SignalSource.ts"
import { mirrorIssues } from "./Mirrored.ts"
import * as Pulls from "../codehost/Pulls.ts"
import type { RunnerId } from "../../domain/work/Lease.ts"
import { answered } from "../../domain/Change.ts"
import { Runner } from "../../domain/runner/Runner.ts"
import { runnerFact } from "../../domain/runner/TakeOffline.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { callerOf, introduction } from "../application/forge.ts"
import * as House from "../application/house.ts"
import { fires } from "../domain/oncall/TriageScene.ts"
import * as Queue from "../jobs/Queue.ts"
import * as Equipment from "../support/Equipment.ts"
import * as OnCall from "../support/OnCall.ts"
import * as Seed from "../support/Seed.ts"

/** A workspace with rows in every table. */
export interface Original extends House.Place {
  /** A token of the owner with read and write permission. */
  readonly bearer: string
  readonly token: TokenId
  /** A runner that left, and one whose token was revoked. */
  readonly runners: { readonly gone: RunnerId; readonly removed: RunnerId; readonly stale: RunnerId }
  readonly uptime: SignalSource
  readonly pager: SignalSource
  /** One queued job of each kind that follows an incident. */
  readonly jobs: Readonly<Record<"follow" | "asked" | "investigate" | "mail" | "post" | "update" | "done", Job>>
}

const proposal = {
  recommendation: "yes",
  options: [
    { id: "yes", label: "Do it", action: "accept_proposal" },
    { id: "no", label: "Leave it", action: "decline_proposal" }
  ]
}

const merge = {
  recommendation: "merge",
  options: [
    { id: "merge", label: "Merge it", action: "merge" },
    { id: "no", label: "Close it", action: "reject" }
  ]
}

const pullRequest = { url: "https://example.test/pull/8", number: 8 }

const tracker = { platform: "github", key: "#71", url: "https://github.com/acme/web/issues/71" }

/** Objects that the house lacks: merges, proposals, more queued jobs, and a team without work. */
const document = {
  teams: [{ slug: "ops", name: "Operations", keyPrefix: "OPS" }],
  stories: [
    { key: "PAY-10", team: House.payments, title: "Queued later" },
    { key: "WEB-3", team: House.web, title: "Queued in a hurry", classOfService: "expedite" },
    { key: "PAY-8", team: House.payments, title: "Merged by its agent", tracker },
    { key: "PAY-9", team: House.payments, title: "Merged by us" },
    { key: "PAY-11", team: House.payments, title: "Handed off" }
  ],
  runs: [
    { key: "run-jjjj", story: "PAY-10" },
    { key: "run-kkkk", story: "WEB-3" },
    { key: "run-gggg", story: "PAY-8", pullRequest },
    { key: "run-hhhh", story: "PAY-9", status: "waiting", pullRequest },
    { key: "run-vvvv", story: "PAY-11", status: "running", stage: "handing_off" }
  ],
  decisions: [
    { key: "dec-dddd", kind: "merge_approval", run: "run-hhhh", title: "Merge?", body: "Verified", ...merge },
    {
      key: "dec-eeee",
      kind: "strategy_proposal",
      team: House.payments,
      title: "An idea",
      status: "resolved",
      resolution: { optionId: "no", note: "Not now" },
      ...proposal
    },
    {
      key: "dec-ffff",
      kind: "maintenance_proposal",
      team: House.payments,
      title: "Tidy up",
      authority: "admin",
      ...proposal
    },
    {
      key: "dec-gggg",
      kind: "strategy_proposal",
      team: House.payments,
      title: "Too late",
      createdAt: "1960-01-01T00:00:00.000Z",
      ...proposal
    }
  ]
}

const work = (place: House.Place, token: TokenId) =>
  Effect.gen(function* () {
    const { owner } = place.people
    yield* Seed.load(place.slug, document)
    yield* Runs.lease(owner, { team: null, run: House.run("run-gggg") })
    yield* Runs.report(owner, House.run("run-gggg"), [
      { type: "cost", costCents: 70 },
      { type: "evidence", evidence: { gates: [], acceptance: [], demonstrate: [], diff: null } },
      { type: "merged" }
    ])
    yield* Decisions.answer(owner, { ...House.answer("merge", "dec-dddd"), idempotency: { token, key: "once" } })
    yield* (yield* SentForms).take(place.id, { token, key: "form" })
    const merged = yield* onlyJob(place, "merge_pull_request")
    yield* (yield* JobStore).note(place.id, merged.id, Queue.holder, { status: "done", tries: 1 })
    return merged
  })

const onlyJob = ({ id }: House.Place, kind: JobKind, incident?: string) =>
  Effect.flatMap(Queue.all(id), (all) => {
    const ofKind = all.filter(
      (job) => job.kind === kind && (incident ?? job.payload["incident"]) === job.payload["incident"]
    )
    return Effect.orDie(Effect.fromNullable(ofKind.at(-1)))
  })

const credentials = Redacted.make('{"key":"of-the-tests","from":"oncall@acme.test"}')

const tell = (
  place: House.Place,
  source: SignalSource,
  fingerprint: string,
  said: Parameters<typeof fires>[1],
  name: string | null = null
) =>
  Effect.gen(function* () {
    const id = crypto.randomUUID() as string as DeliveryId
    const signals = [fires(fingerprint, said)]
    const body = JSON.stringify({ title: "Sent" })
    const delivery = { workspace: place.id, source: source.id, id, name, signals, known: [], body }
    yield* (yield* SignalStore).receive(delivery)
  })

const onCall = (place: House.Place) =>
  Effect.gen(function* () {
    const { owner } = place.people
    const store = yield* OnCallStore
    yield* Services.set(owner, "checkout", { notify: [Seed.ownerEmail], acknowledgeInSource: true })
    yield* Sources.setCredentials(owner, "pager", credentials)
    const { sources } = yield* store.look(place.id)
    const named = (name: string) => Effect.orDie(Effect.fromNullable(sources.find((one) => one.name === name)))
    const [pager, uptime] = [yield* named("pager"), yield* named("shop")]
    yield* tell(place, pager, "queue", { severity: "critical", environment: "stage" })
    yield* tell(place, place.onCall.source, "disk", { severity: "low", environment: "later" })
    yield* TriageWorker.drain()
    const alerts = (yield* OnCall.alertsOf(place.id)).map((json) => JSON.parse(json) as Record<string, string>)
    const staged = alerts.find(({ environment }) => environment === "stage")?.["incident"]
    yield* OnCall.refused(place.onCall, '{"title":"Down"}')
    const follow = (job: Job) => FollowIncident.follow({ workspace: place.id, job })
    yield* follow(yield* onlyJob(place, "follow_incident", place.onCall.incidents.open))
    yield* follow(yield* onlyJob(place, "follow_incident", staged))
    yield* store.follow(place.id, (yield* onlyJob(place, "notify_member", staged)).id, acknowledge)
    const payload = { incident: place.onCall.incidents.open, event: "asked", decision: "dec-aaaa", isLater: false }
    yield* Queue.put(place, ["merge_pull_request"])
    yield* Queue.put(place, ["tell_agent", "merge_pull_request"], { status: "no_adapter" })
    const posted = yield* onlyJob(place, "post_to_place", place.onCall.incidents.open)
    yield* (yield* JobStore).note(place.id, posted.id, Queue.holder, { status: "no_adapter", tries: 1 })
    yield* Queue.put(place, ["follow_incident"], { payload })
    const [asked] = yield* Queue.all(place.id)
    // It opens an incident where an alert fires that opened none.
    yield* tell(place, place.onCall.source, "memory", { severity: "critical", environment: "later" }, "named")
    return {
      pager,
      uptime,
      jobs: {
        asked: yield* Effect.orDie(Effect.fromNullable(asked)),
        follow: yield* onlyJob(place, "follow_incident", place.onCall.incidents.acknowledged),
        investigate: yield* onlyJob(place, "investigate_incident", staged),
        mail: yield* onlyJob(place, "notify_member", staged),
        post: yield* onlyJob(place, "post_to_place", staged),
        update: yield* onlyJob(place, "update_source", staged)
      }
    }
  })

const watch = (place: House.Place, name: string, more = {}) =>
  Sources.create(place.people.owner, {
    name,
    kind: "uptime",
    services: ["basket"],
    secret: null,
    isTimestampRequired: false,
    check: { url: `https://${name}.example.com/health`, ...more }
  })

/** Records a failure of every check that exists by then. */
const checked = Effect.gen(function* () {
  const store = yield* CheckStore
  for (const due of yield* store.claim(10))
    yield* store.record(due, (before, now) => ({
      health: { ...before, failures: 1, failingSince: now, lastAt: now, lastProblem: "answered 500" },
      delivery: null
    }))
})

/** One that was merged, its revert, and one that is open. */
const pulls = ({ id }: House.Place) =>
  Effect.gen(function* () {
    yield* Teams.set({ workspace: id }, House.payments, { repositories: [Pulls.proposal.repository] })
    const [gone, handed] = [House.run("run-gggg"), House.run("run-vvvv")]
    yield* Pulls.open(id, { runKey: gone, story: House.story("PAY-8"), branch: Pulls.branch("one") })
    yield* Pulls.merge(id, 1)
    const onHost = { number: Pulls.number(1), url: "https://git.acme.test/acme/pay/pull/1" }
    yield* Pulls.open(id, { runKey: gone, branch: Pulls.branch("revert-1"), reverts: Pulls.number(1), onHost })
    const branch = Pulls.branch("gatehouse/PAY-11-run-vvvv")
    yield* Pulls.open(id, { runKey: handed, story: House.story("PAY-11"), branch, head: Pulls.commit("c") })
  })

/** A log, and runners that may hold nothing. */
const runners = (place: House.Place) =>
  Effect.gen(function* () {
    const store = yield* RunnerStore
    const { lease, run } = place.forge
    for (const [seq, text] of [
      [1, "planning\n"],
      [2, "half done\n"]
    ] as const)
      yield* store.appendLog(place.id, { run, attempt: 1, lease, seq, text })
    const caller = callerOf(place.people.owner, place.forge)
    const { id: gone } = yield* Runners.hello(caller, { ...introduction, name: "gone-1" })
    yield* Runners.goodbye(caller, gone)
    const { id: removed } = yield* Runners.hello(caller, { ...introduction, name: "removed-1" })
    yield* Runners.remove(place.people.owner, "removed-1")
    const { prefix, value } = yield* Seed.token(place.slug, ["read"])
    const { token } = yield* (yield* TokenStore).identify(yield* hashOf(Redacted.make(value)))
    const stale = yield* Runners.hello({ ...caller, token }, { ...introduction, name: "stale-1" })
    yield* Tokens.revoke(bySystem, { workspace: place.slug, prefix })
    const online = new Runner({ ...stale, lastSeenAt: DateTime.add(stale.lastSeenAt, { days: 1 }) })
    yield* store.change(place.id, { id: stale.id }, () =>
      answered(
        { changed: { runners: [online] }, audit: [runnerFact(bySystem, "runner_registered", online)] },
        undefined
      )
    )
    return { gone, removed, stale: stale.id }
  })

/** Created by use cases, as people do. */
export const make = Effect.gen(function* () {
  const place = yield* House.arrange
  const { value: bearer } = yield* Seed.token(place.slug, ["read", "write"])
  const { token } = yield* (yield* TokenStore).authenticate(yield* hashOf(Redacted.make(bearer)))
  const done = yield* work(place, token)
  const { jobs, pager, uptime } = yield* onCall(place)
  yield* pulls(place)
  const connections = yield* ConnectionStore
  yield* connections.receive(place.id, place.connection.id, "first", true)
  yield* connections.report(place.id, place.connection.id, "https://git.acme.test/acme/pay", Pulls.commit("a"))
  yield* mirrorIssues(place)
  const ofRunners = yield* runners(place)
  yield* watch(place, "site", { intervalSeconds: 86_400 })
  yield* checked
  yield* watch(place, "page")
  yield* (yield* TokenStore).touch([{ workspace: place.id, token, at: yield* DateTime.now }])
  return { ...place, bearer, token, runners: ofRunners, pager, uptime, jobs: { ...jobs, done } } satisfies Original
}).pipe(Effect.provide(Equipment.layer))
