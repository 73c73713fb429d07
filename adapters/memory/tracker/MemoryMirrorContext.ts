import type { DateTime } from "effect"
import type { MirrorTarget } from "../../../application/ports/tracker/TrackerStore.ts"
import type { Binding, BindingId } from "../../../domain/tracker/Binding.ts"
import type { MirrorContext } from "../../../domain/tracker/MirrorIssue.ts"
import { freshId } from "../../../domain/work/Fresh.ts"
import type { TextOwnership } from "../../../domain/work/ChangeStory.ts"
import { progress, type Run } from "../../../domain/work/Run.ts"
import { numberOf, type Story, StoryKey } from "../../../domain/work/Story.ts"
import type { Team } from "../../../domain/workspace/Team.ts"
import type { Tenant } from "../MemoryState.ts"
import { unfinished, values } from "../MemoryWorkContext.ts"
import type { KeptIssue } from "./KeptMirror.ts"

export const bound = (tenant: Tenant | undefined): ReadonlyArray<Binding> =>
  [...(tenant?.bindings.values() ?? [])]
    .filter(({ removedAt, team }) => removedAt === null && tenant?.teams.get(team)?.deletedAt === null)
    .toSorted((a, b) => (a.team < b.team ? -1 : 1))

export const at = (binding: BindingId, id: string) => `${binding} ${id}`

export const issuesOf = ({ mirror }: Tenant, binding: BindingId) =>
  [...mirror.issues.values()].filter(({ row }) => row.binding === binding)

const rowOfStory = (tenant: Tenant, bindings: ReadonlyArray<Binding>, key: StoryKey) => {
  for (const { row } of tenant.mirror.issues.values())
    if (row.story === key && bindings.some(({ id }) => id === row.binding)) return row
  return undefined
}

/** The part of a tracker in the text of a story; before a first mirror is complete, nothing is released. */
export const ownershipOf = (tenant: Tenant, story: Story): TextOwnership => {
  const bindings = [...tenant.bindings.values()].filter(({ team }) => team === story.team)
  const present = bindings.filter(({ removedAt }) => removedAt === null)
  const found = rowOfStory(tenant, present, story.key)
  const row = found?.goneAt === null ? found : undefined
  const isBeginning = present.some(({ id }) => (tenant.mirror.syncs.get(id)?.sync.sweptAt ?? null) === null)
  return {
    stated: row?.stated ?? [],
    isReleased: row === undefined && bindings.length > present.length && !isBeginning
  }
}

const freshOf = (tenant: Tenant, { keyPrefix, slug }: Team) => {
  let last = 0
  for (const { value } of tenant.stories.values()) if (value.team === slug) last = Math.max(last, numberOf(value.key))
  return { id: freshId<Story["id"]>(), key: StoryKey.make(`${keyPrefix}-${last + 1}`) }
}

/** Row of an issue under an earlier binding of the team, such as to the former name of the project. */
const formerOf = (tenant: Tenant, { connection, team }: Binding, { issue }: MirrorTarget) =>
  [...tenant.bindings.values()]
    .filter((one) => one.removedAt !== null && one.team === team && one.connection === connection)
    .toReversed()
    .flatMap(({ id }) => tenant.mirror.issues.get(at(id, issue.id)) ?? [])[0]

/** The story of a new issue: the one it was written for, that has its address, or that an earlier binding knew. */
const freeStory = (
  tenant: Tenant,
  binding: Binding,
  { story: id, url }: MirrorTarget,
  former: KeptIssue | undefined
) => {
  const written: Array<Story> = []
  const addressed: Array<Story> = []
  const renamed: Array<Story> = []
  // One pass without copies: a large project asks for every issue.
  for (const { value } of tenant.stories.values()) {
    if (value.team !== binding.team) continue
    if (value.id === id && value.tracker === null && value.rejectedAt === null) written.push(value)
    else if (value.tracker !== null && value.tracker.url === url) addressed.push(value)
    else if (url !== null && value.key === former?.row.story) renamed.push(value)
  }
  const isFree = ({ key }: Story) => rowOfStory(tenant, [binding], key) === undefined
  return [...written, ...addressed, ...renamed].find(isFree)
}

export const contextOf = (
  tenant: Tenant,
  now: DateTime.Utc,
  binding: Binding,
  target: MirrorTarget
): { readonly context: MirrorContext; readonly kept: KeptIssue | undefined } | null => {
  const team = tenant.teams.get(binding.team)
  if (team === undefined) return null
  const kept = tenant.mirror.issues.get(at(binding.id, target.issue.id))
  const former = formerOf(tenant, binding, target)
  const story = kept ? tenant.stories.get(kept.row.story)?.value : freeStory(tenant, binding, target, former)
  const context: MirrorContext = {
    now,
    binding,
    issue: kept?.row ?? null,
    former: former?.row ?? null,
    story: story ?? null,
    unfinishedRuns: story === undefined ? [] : unfinished(tenant, (run) => run.story === story.key),
    hasRun: values(tenant.runs).some((run) => run.story === story?.key),
    pending: values(tenant.decisions).filter((one) => one.status === "pending" && one.story === story?.key),
    fresh: freshOf(tenant, team),
    isWriting: (kept?.leasedUntil ?? 0) > now.epochMillis
  }
  return { context, kept }
}

/** The state of a run that its comment shows. */
export const stateOf = (tenant: Tenant, run: Run): string => {
  const { attempts, stage, status } = progress(run)
  const decisions = values(tenant.decisions).filter(({ runKey }) => runKey === run.key)
  return JSON.stringify([
    status,
    stage,
    attempts,
    run.plan,
    run.pullRequest,
    decisions.map(({ key, status }) => [key, status])
  ])
}
