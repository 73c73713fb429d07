import { Effect, Either, FiberSet, Random } from "effect"
import * as UptimeChecks from "../../application/oncall/UptimeChecks.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { CheckStore } from "../../application/ports/CheckStore.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { Inbox } from "../../application/ports/Inbox.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import { RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { SecretStore } from "../../application/ports/SecretStore.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Scheduler from "../../application/work/Scheduler.ts"
import { Sealing } from "../../application/secrets/Sealing.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { triage } from "../../domain/oncall/Triage.ts"
import type { TriageSnapshot } from "../../domain/oncall/TriageBoard.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { dueBindings, trackerSweeps, unwrittenIssues } from "./TrackerCases.ts"
import { connectionLooks, connectionSweeps } from "./ConnectionCases.ts"
import { hashed } from "./Asking.ts"
import type { Act, Cases } from "./Case.ts"
import { recorded } from "./OnCallPorts.ts"
import { lease } from "../jobs/Queue.ts"

/** The workspace's own part. */
const ours =
  (id: WorkspaceId) =>
  <A extends { readonly workspace: WorkspaceId }>(all: ReadonlyArray<A>) =>
    all.filter(({ workspace }) => workspace === id)

const taken: Act = ({ id }) =>
  Effect.gen(function* () {
    const kinds = ["follow_incident", "merge_pull_request", "tell_agent", "post_to_place"] as const
    return ours(id)((yield* (yield* JobStore).take(lease, kinds, 1000)).jobs)
  })

/** The whole snapshot that a triage of the workspace reads. */
const judged: Act = ({ onCall }) =>
  Effect.gen(function* () {
    const store = yield* SignalStore
    const wards: Array<TriageSnapshot> = []
    const judge = (ward: TriageSnapshot) => {
      wards.push(ward)
      return triage(ward)
    }
    // In any order of the callers, each draws the same keys.
    const one = Effect.suspend(() => Effect.withRandom(store.drain(50, judge), Random.make("ward")))
    yield* Effect.repeat(one, { while: (count) => count > 0 })
    return wards.filter(({ sources }) => sources.some(({ token }) => token === onCall.source.token))
  })

/** As many times as there may be workspaces with waiting deliveries. */
const unjudged: Act = () =>
  Effect.flatMap(SignalStore, (store) => {
    const never = store.drain(1, () => {
      throw new Error("it cannot be judged")
    })
    const once = Effect.catchAllDefect(never, () => Effect.succeed(0))
    return Effect.all([once, once, once])
  })

const claimed: Act = ({ id }) =>
  Effect.map(
    Effect.flatMap(CheckStore, (store) => store.claim(100)),
    ours(id)
  )

const idle: Act = ({ id }) =>
  Effect.map(
    Effect.flatMap(TeamStore, (store) => store.withRoom),
    ours(id)
  )

/** Operations on all workspaces at once: each gets the result it would get alone. */
export const forAll: Cases = {
  ...connectionSweeps,
  ...trackerSweeps,
  "CheckStore.claim": claimed,
  "DecisionStore.due": ({ id }) =>
    Effect.map(
      Effect.flatMap(DecisionStore, (store) => store.due(1000)),
      ours(id)
    ),
  "DecisionStore.purgeKept": () => Effect.flatMap(DecisionStore, (store) => store.purgeKept),
  "Inbox.noticeExpiring": ({ id }) =>
    Effect.map(
      Effect.flatMap(Inbox, (inbox) => inbox.noticeExpiring(() => ({ subject: "It ends", text: "Soon." }))),
      (all) => all.filter(({ workspace }) => workspace.id === id)
    ),
  "Inbox.purge": () => Effect.flatMap(Inbox, (inbox) => inbox.purge(0)),
  "JobStore.take": taken,
  "JobStore.renew": () => Effect.flatMap(JobStore, (store) => store.renew(lease, [])),
  "JobStore.release": () => Effect.flatMap(JobStore, (store) => store.release(lease.holder)),
  "JobStore.purge": () => Effect.flatMap(JobStore, (store) => store.purge(0)),
  "RunStore.lapsed": ({ id }) =>
    Effect.map(
      Effect.flatMap(RunStore, (store) => store.lapsed(1000)),
      ours(id)
    ),
  "RunnerStore.purge": () => Effect.flatMap(RunnerStore, (store) => store.purge(0)),
  "RunnerStore.silent": ({ id }) =>
    Effect.map(
      Effect.flatMap(RunnerStore, (store) => store.silent),
      ours(id)
    ),
  "SecretStore.rewrap": () =>
    Effect.gen(function* () {
      const [store, sealing] = [yield* SecretStore, yield* Sealing]
      let count = 0
      yield* store.rewrap(yield* sealing.keyIds, (sealed) => {
        count++
        return Effect.succeed(sealed.replace(/^v1\.\w+/, "v1.ffffffff"))
      })
      return count
    }),
  "SignalStore.drain": { judged, "what cannot be judged": unjudged },
  "SignalStore.purge": () => Effect.flatMap(SignalStore, (store) => store.purge(0)),
  "TeamStore.withRoom": idle,
  "WorkspaceStore.list": ({ id }) =>
    Effect.map(
      Effect.flatMap(WorkspaceStore, (store) => store.list(null, 1000)),
      (all) => all.filter(({ workspace }) => workspace.id === id)
    ),
  "Decisions.expireDue": () => Effect.asVoid(Decisions.expireDue()),
  "Runners.sweep": () => Effect.asVoid(Runners.sweep()),
  "TriageWorker.drain": () => Effect.asVoid(TriageWorker.drain()),
  "Scheduler.tick": () => Effect.asVoid(Scheduler.tick()),
  "UptimeChecks.round": () =>
    Effect.scoped(
      Effect.gen(function* () {
        const running = yield* FiberSet.make<void>()
        yield* UptimeChecks.round(running)
        yield* FiberSet.awaitEmpty(running)
      })
    )
}

const gone =
  (act: Act): Act =>
  (at) =>
    Effect.zipRight(Workspaces.remove(bySystem, { slug: at.slug, confirm: at.slug }), act(at))

/** The rest of a deleted workspace, while its twins go on. */
export const once: Cases = {
  "ConnectionStore.due: once deleted": gone(connectionLooks.due),
  "ConnectionStore.find: once deleted": gone(connectionLooks.found),
  "SignalStore.find: once deleted": gone(({ onCall }) =>
    Effect.flatMap(SignalStore, (store) => store.find(onCall.source.token))
  ),
  "TokenStore.authenticate: once deleted": gone((at) =>
    Effect.flatMap(TokenStore, (store) => store.authenticate(hashed(at)))
  ),
  "TokenStore.identify: once deleted": gone((at) => Effect.flatMap(TokenStore, (store) => store.identify(hashed(at)))),
  "TokenStore.change: once deleted": gone(({ slug, tokens }) =>
    Effect.flatMap(TokenStore, (store) => store.change(slug, tokens.owner, (token) => Either.left(token)))
  ),
  "JobStore.take: once deleted": gone(taken),
  "CheckStore.record: once deleted": gone(recorded),
  "CheckStore.claim: once deleted": gone(claimed),
  "TeamStore.withRoom: once deleted": gone(idle),
  "TrackerStore.due: once deleted": gone(dueBindings),
  "TrackerStore.unwritten: once deleted": gone(unwrittenIssues)
}
