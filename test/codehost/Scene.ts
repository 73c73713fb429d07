import { Effect, Layer } from "effect"
import * as LocalCodeHost from "../../adapters/localgit/LocalCodeHost.ts"
import * as OpenRevert from "../../application/codehost/OpenRevert.ts"
import * as PullRequests from "../../application/codehost/PullRequests.ts"
import * as RestoreSpec from "../../application/codehost/RestoreSpec.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { CodeHosts } from "../../application/ports/codehost/CodeHost.ts"
import { PullRequestStore } from "../../application/ports/codehost/PullRequestStore.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import type { Handler, Unfinished } from "../../application/ports/JobHandlers.ts"
import type { WorkspaceJob } from "../../application/ports/JobStore.ts"
import * as Json from "../../application/ports/Json.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import type { TeamStore } from "../../application/ports/TeamStore.ts"
import { type CommitId, PullRequestNumber, PullRequestView } from "../../domain/codehost/PullRequestRecord.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { DecisionView } from "../../domain/work/Decision.ts"
import { RunView } from "../../domain/work/Run.ts"
import { type StoryKey, StoryView } from "../../domain/work/Story.ts"
import { RecordedEntry } from "../../domain/workspace/Audit.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Engine from "../jobs/Engine.ts"
import * as Queue from "../jobs/Queue.ts"
import * as Seed from "../support/Seed.ts"
import { bare, lines } from "./Repositories.ts"

export const run = "run-aaaa" as RunKey
export const own = "gatehouse/PAY-1-run-aaaa"

export const local = Layer.sync(CodeHosts, () => [LocalCodeHost.make({ email: "gatehouse@acme.test" })])

type Needed = AuditLog | PullRequestStore | RunStore | TeamStore

/** The handlers as the service has them. */
export const handlers = Effect.map(Effect.context<Needed>(), (context) => {
  const handler =
    (handle: (work: WorkspaceJob) => Effect.Effect<void, Unfinished, Needed>): Handler =>
    (work) =>
      Effect.provide(handle(work), context)
  return {
    open_pull_request: handler(PullRequests.open),
    merge_pull_request: handler(PullRequests.merge),
    open_revert: handler(OpenRevert.open),
    restore_spec: handler(RestoreSpec.restore)
  }
})

/** A team with a repository and a run that hands its change off. */
export const arrange = (mergePolicy: "verified" | "manual", repositories: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const repository = yield* bare
    const place = yield* Seed.workspace
    const policy = { preset: "autonomous", mergePolicy }
    yield* Seed.load(place.slug, {
      teams: [
        {
          slug: "payments",
          name: "Payments",
          keyPrefix: "PAY",
          policy,
          repositories: [repository.path, ...repositories]
        }
      ],
      stories: [{ key: "PAY-1", team: "payments", title: "Round the fees", column: { role: "in_progress" } }],
      runs: [{ key: run, story: "PAY-1", status: "running", stage: "verifying", startedAt: "2026-01-01T00:00:00Z" }]
    })
    const head = repository.commit(own, { "fees.txt": lines([5, "rounded"]) }, { from: "main", message: "Round" })
    return { ...place, repository, head }
  })

export type Place = Effect.Effect.Success<ReturnType<typeof arrange>>

/** Hands the change of the run off, as a runner does. */
export const handOff = (place: Place, more: Record<string, string | boolean> = {}) =>
  Runs.report({ workspace: place.id }, run, [
    {
      type: "handed_off",
      repository: place.repository.path,
      branch: own,
      head: place.head,
      base: "main",
      title: "Round the fees",
      summary: "All 3 gates passed.",
      ...more
    }
  ])

/** Waits until no job is left to do, and returns them oldest first. */
export const settled = ({ id }: Place) =>
  Effect.map(
    Engine.eventually(Queue.all(id), (jobs) => jobs.every(({ status }) => status !== "queued" && status !== "running")),
    (jobs) => jobs.toReversed()
  )

export const told = (jobs: Effect.Effect.Success<ReturnType<typeof settled>>) =>
  jobs.map(({ kind, status }) => `${kind} ${status}`)

const decodeRun = Json.decoder(RunView)
const decodePull = Json.decoder(PullRequestView)
const decodeStory = Json.decoder(StoryView)
const decodeDecisions = Json.decoder(DecisionView)
const decodeEntry = Json.decoder(RecordedEntry)

export const runOf = ({ id }: Place) =>
  Effect.map(
    Effect.flatMap(RunStore, (store) => store.get(id, run)),
    decodeRun
  )

export const storyOf = ({ id }: Place) =>
  Effect.map(
    Effect.flatMap(StoryStore, (store) => store.get(id, "PAY-1" as StoryKey)),
    decodeStory
  )

export const pull = ({ id }: Place, number: number) =>
  Effect.map(
    Effect.flatMap(PullRequestStore, (store) => store.get(id, PullRequestNumber.make(number))),
    decodePull
  )

/** The pending decision of the run. */
export const asked = ({ id }: Place) =>
  Effect.gen(function* () {
    const store = yield* DecisionStore
    const filter = { status: "pending", team: null, run } as const
    const { items } = yield* store.page(id, filter, { limit: 10, before: null })
    return yield* Effect.orDie(Effect.fromNullable(Json.each(items).map(decodeDecisions)[0]))
  })

/** Entries about the run, oldest first. */
export const entries = ({ id }: Place) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* AuditLog).page(id, { ...Seed.anyEntry, run }, { limit: 100, before: null })
    return Json.each(items).map(decodeEntry).toReversed()
  })

/** Merge commits on the main branch. */
export const merges = ({ repository }: Place) =>
  repository.git("rev-list", "--merges", "main").split("\n").filter(Boolean) as Array<CommitId>

/** A worker with the service's handlers, which does all jobs. */
export const started = Effect.suspend(() => Effect.flatMap(handlers, (all) => Engine.start(all)))
