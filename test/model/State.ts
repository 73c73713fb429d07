import { Effect } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as Seed from "../support/Seed.ts"
import type { Snapshot } from "../support/Snapshot.ts"
import type { Attempt, Entry, State } from "./Model.ts"
import { isReady, told } from "./Model.ts"
import * as Json from "../../application/ports/Json.ts"
import { named, type RealWorkspace } from "./Answer.ts"

const millis = (at: string | null | undefined) => (at === null || at === undefined ? null : Date.parse(at))

/** The part of a workspace that the model and a snapshot share. */
export const ofModel = (state: State) => {
  const isThere = ({ team }: { readonly team: "pay" | "web" }) => !state.teams[team].isDeleted
  return {
    members: [...state.members].map(([name, role]) => `${name} ${role}`).sort(),
    teams: Object.values(state.teams).flatMap(({ isDeleted, isPaused, slug, version }) =>
      isDeleted ? [] : [{ slug, isPaused, version }]
    ),
    stories: state.stories
      .filter((story) => isThere(story) && !story.isRejected)
      .map((story) => ({
        key: story.key,
        title: story.title,
        column: story.column,
        draft: story.draft,
        isReady: isReady(story),
        runs: state.runs.flatMap((run) => (run.story === story ? [run.is] : []))
      })),
    runs: state.runs.filter(isThere).map((run) => ({
      is: run.is,
      ...told(run),
      story: run.story.key,
      hasPullRequest: run.hasPullRequest,
      attempts: [...run.earlier, run.current],
      decisions: state.decisions.flatMap((one) => (one.run === run ? [`${one.is} ${one.kind} ${one.status}`] : []))
    })),
    decisions: state.decisions
      .filter(isThere)
      .map(({ answer, authority, expiresAt, is, kind, run, status, story }) => ({
        is,
        kind,
        authority,
        status,
        story: story?.key ?? null,
        run: run?.is ?? null,
        expiresAt,
        answer
      })),
    jobs: state.jobs,
    audit: state.audit
  }
}

type Told = ReturnType<typeof ofModel>

const attemptOf = (
  attempt: Snapshot["runs"][number]["attemptList"][number],
  titles: ReadonlyArray<string>
): Attempt => ({
  status: attempt.status,
  stage: attempt.stage,
  costCents: attempt.costCents,
  failureClass: attempt.failureClass,
  error: titles.includes(attempt.error ?? "") ? "the decision's title" : attempt.error,
  verification: attempt.verification?.status ?? null,
  startedAt: millis(attempt.startedAt),
  completedAt: millis(attempt.completedAt)
})

const byName: ReadonlySet<string> = new Set(["team", "policy", "member", "workspace"])

/** Details of an event that the model predicts; the stores are compared in full. */
const detailsOf = ({ details, event }: Snapshot["audit"][number]): object | undefined => {
  const { channel: _, requestId: __, v: ___, ...rest } = details
  switch (event) {
    case "decision_resolved":
      return { ...rest, channel: details["channel"] }
    case "run_state_changed":
    case "access_denied":
    case "story_moved":
      return rest
    case "story_changed":
      return "draft" in (rest["before"] as object) ? rest : undefined
    default:
      return undefined
  }
}

const entryOf = (entry: Snapshot["audit"][number]) => {
  const told = detailsOf(entry)
  return {
    event: entry.event,
    result: entry.result,
    actor: entry.actor.name,
    team: entry.team,
    run: entry.runKey,
    entity: byName.has(entry.entity.type) ? entry.entity.name : entry.entity.id,
    ...(told && { told })
  }
}

/** The newest entries of a log in the model's form, oldest first. */
export const newest = (real: RealWorkspace, count: number) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* AuditLog).page(real.id, Seed.anyEntry, {
      limit: Math.max(1, count),
      before: null
    })
    const entries = Json.each(items)
      .slice(0, count)
      .map((item) => entryOf(JSON.parse(item) as Snapshot["audit"][number]))
    return JSON.parse(named(real, JSON.stringify(entries.toReversed()))) as ReadonlyArray<Entry>
  })

/** The model's part of a snapshot and as many entries as it has, with names in place of drawn keys. */
export const ofSnapshot = (real: RealWorkspace, snapshot: Snapshot, entries: number): Told => {
  const name = (key: string) => named(real, key)
  const titles = snapshot.decisions.map(({ title }) => title)
  const oldestFirst = <A>(rows: ReadonlyArray<A>) => rows.toReversed()
  return JSON.parse(
    name(
      JSON.stringify({
        members: snapshot.members.map(({ name, role }) => `${name} ${role}`).sort(),
        teams: snapshot.teams.map(({ paused, policy, slug }) => ({
          slug,
          isPaused: paused,
          version: policy?.version ?? 0
        })),
        stories: real.stories.flatMap((key) => {
          const story = snapshot.stories.find((one) => one.key === key)
          if (story === undefined) return []
          const { column, draft, readinessScore, runKeys, title } = story
          return [
            { key, title, column: column.role, draft, isReady: readinessScore === 100, runs: oldestFirst(runKeys) }
          ]
        }),
        runs: oldestFirst(snapshot.runs).map((run) => ({
          is: run.key,
          status: run.status,
          stage: run.stage,
          attempts: run.attemptList.map((attempt) => attemptOf(attempt, titles)),
          costCents: run.costCents,
          budgetCents: run.budgetCents,
          failureClass: run.failureClass,
          story: run.story.key,
          hasPullRequest: run.pullRequest !== null,
          decisions: oldestFirst(run.decisions).map(({ key, kind, status }) => `${key} ${kind} ${status}`)
        })),
        decisions: oldestFirst(snapshot.decisions).map((one) => ({
          is: one.key,
          kind: one.kind,
          authority: one.authority,
          status: one.status,
          story: one.story,
          run: one.runKey,
          expiresAt: millis(one.expiresAt),
          answer: one.resolution && { option: one.resolution.optionId, via: one.resolvedVia }
        })),
        jobs: oldestFirst(snapshot.jobs).map(({ kind }) => kind),
        audit: snapshot.audit.slice(snapshot.audit.length - entries).map(entryOf)
      })
    )
  ) as Told
}
