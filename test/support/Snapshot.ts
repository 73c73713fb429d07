import { alertsOf, incidentsOf } from "./OnCall.ts"
import * as Json from "../../application/ports/Json.ts"
import { Effect, Either } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import type { AuditEntry } from "../../domain/workspace/Audit.ts"
import type { DecisionKey, DecisionView } from "../../domain/work/Decision.ts"
import type { Job } from "../../domain/work/Job.ts"
import type { RunView } from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey, StoryView } from "../../domain/work/Story.ts"
import type { TeamSlug, TeamView } from "../../domain/workspace/Team.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "./Seed.ts"

const everything = { limit: 10_000, before: null }

const parsed = <A>(items: string) => JSON.parse(items) as ReadonlyArray<A>

const drawn = new Set(["now", "fresh", "freshJob", "freshJobs", "freshRun", "freshRuns", "freshDecisions", "kept"])

/** The context a decider receives, without drawn values; declined proposals have no order. */
const plain = (matter: object): object =>
  JSON.parse(
    JSON.stringify(matter, (key, value: unknown) => {
      if (drawn.has(key)) return undefined
      if (key !== "declined" || !Array.isArray(value)) return value
      return value.map(({ kind, title }) => `${kind}: ${title}`).sort()
    })
  ) as object

/** All on-call settings, with alerts and incidents. */
const onCallOf = (id: WorkspaceId) =>
  Effect.gen(function* () {
    const store = yield* OnCallStore
    const { places, services, sources } = yield* store.look(id)
    const [incidents, alerts] = [yield* incidentsOf(id), yield* alertsOf(id)]
    return plain({ places, services, sources, incidents, alerts })
  })

/** All content of a workspace, as readers see it and as deciders receive it; a refusal commits nothing. */
export const take = (id: WorkspaceId, slug: WorkspaceSlug) =>
  Effect.gen(function* () {
    const teamStore = yield* TeamStore
    const storyStore = yield* StoryStore
    const runStore = yield* RunStore
    const decisionStore = yield* DecisionStore
    const tokenStore = yield* TokenStore
    const { members, workspace } = yield* (yield* WorkspaceStore).roster(slug)
    const tokens = yield* Effect.forEach(members, (member) => tokenStore.list(id, member.id))

    const teams = parsed<typeof TeamView.Encoded>(yield* teamStore.list(id))
    const lists = yield* Effect.forEach(teams, ({ slug: team }) =>
      storyStore.page(id, { team: team as TeamSlug, drafts: true }, everything)
    )
    const listed = lists.flatMap(({ items }) => parsed<typeof StoryView.Encoded>(items))
    const stories = yield* Effect.forEach(listed, ({ key }) => storyStore.get(id, key as StoryKey))
    const runPage = yield* runStore.page(id, { team: null, story: null }, everything)
    const runList = parsed<typeof RunView.Encoded>(runPage.items)
    const runs = yield* Effect.forEach(runList, ({ key }) => runStore.get(id, key as RunKey))
    const decisionPage = yield* decisionStore.page(id, { status: null, team: null, run: null }, everything)
    const decisions = parsed<typeof DecisionView.Encoded>(decisionPage.items)
    const runners = yield* (yield* RunnerStore).list(id)
    const connections = yield* (yield* ConnectionStore).list(id)
    const jobs = yield* (yield* JobStore).page(id, { status: null }, everything)
    const audit = yield* (yield* AuditLog).page(id, Seed.anyEntry, everything)

    const ofTeams = yield* Effect.forEach(teams, ({ slug: team }) =>
      Effect.all([
        Effect.flip(teamStore.change<never, object, never>(id, team as TeamSlug, (at) => Either.left(plain(at)))),
        Effect.flip(teamStore.schedule<never, object, never>(id, team as TeamSlug, (at) => Either.left(plain(at))))
      ])
    )
    const ofStories = yield* Effect.forEach(listed, ({ key }) =>
      Effect.flip(storyStore.change<never, object, never>(id, key as StoryKey, (at) => Either.left(plain(at))))
    )
    const ofRuns = yield* Effect.forEach(runList, ({ key }) =>
      Effect.flip(runStore.change<never, object, never>(id, key as RunKey, (at) => Either.left(plain(at))))
    )
    const ofDecisions = yield* Effect.forEach(decisions, ({ key }) =>
      Effect.flip(
        decisionStore.change<never, object, never>(id, key as DecisionKey, null, (at) => Either.left(plain(at)))
      )
    )
    return {
      workspace: plain({ workspace, members, runners, tokens, connections }),
      members,
      teams,
      stories: parsed<typeof StoryView.Encoded>(Json.array(stories)),
      runs: parsed<typeof RunView.Encoded>(Json.array(runs)),
      decisions,
      jobs: parsed<typeof Job.Encoded>(jobs.items),
      lists: { listed, runList },
      onCall: yield* onCallOf(id),
      matters: { ofTeams, ofStories, ofRuns, ofDecisions },
      audit: parsed<typeof AuditEntry.Encoded>(audit.items).toReversed()
    }
  })

export type Snapshot = Effect.Effect.Success<ReturnType<typeof take>>
