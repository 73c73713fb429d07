import { type DateTime, Effect } from "effect"
import { type DecisionKey, proposals } from "../../domain/work/Decision.ts"
import type { Incident, Standing } from "../../domain/oncall/Incident.ts"
import { type Fresh, fresh } from "../../domain/work/Fresh.ts"
import * as Key from "../../domain/value/Key.ts"
import type { WorkContext, MergeContext } from "../../domain/work/WorkContext.ts"
import { mergeHold } from "../../domain/work/MergeHold.ts"
import type { RaiseContext } from "../../domain/work/RaiseDecision.ts"
import type { Run } from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { isOver } from "../../domain/work/RunTransitions.ts"
import type { ServiceId } from "../../domain/oncall/Service.ts"
import { numberOf, type Story } from "../../domain/work/Story.ts"
import type { Team, TeamSlug } from "../../domain/workspace/Team.ts"
import type { Tenant } from "./MemoryState.ts"

/** Keys drawn before the synchronous step, which skips taken ones. */
export const drawn = Effect.all({
  decisions: Key.drawMany<DecisionKey>("dec", 32),
  runs: Key.drawMany<RunKey>("run", 32)
})
export type Drawn = Effect.Effect.Success<typeof drawn>

export const values = <A>(rows: Map<string, { readonly value: A }> | undefined): ReadonlyArray<A> =>
  [...(rows?.values() ?? [])].map((row) => row.value)

export const freeRuns = (tenant: Tenant, { runs }: Drawn): ReadonlyArray<RunKey> =>
  runs.filter((key) => !tenant.runs.has(key))

/** Objects of a deleted team are hidden from readers. */
export const isHeld = (tenant: Tenant | undefined, team: TeamSlug): boolean =>
  tenant?.teams.get(team)?.deletedAt === null

export const freshFor = (tenant: Tenant, team: Team, keys: Drawn): Fresh => {
  const numbers = values(tenant.stories).flatMap(({ key, team: of }) => (of === team.slug ? [numberOf(key)] : []))
  return fresh(team, Math.max(0, ...numbers) + 1, freeRuns(tenant, keys)[0] as RunKey)
}

const declined = (tenant: Tenant, team: TeamSlug) =>
  values(tenant.decisions).filter(
    (decision) =>
      decision.team === team &&
      proposals.includes(decision.kind) &&
      decision.options.find(({ id }) => id === decision.resolution?.optionId)?.action === "decline_proposal"
  )

const pendingOf = (tenant: Tenant, run: Run | null, story: Story | null, team: TeamSlug) =>
  values(tenant.decisions).filter(
    (decision) =>
      decision.status === "pending" &&
      (run ? decision.runKey === run.key : story ? decision.story === story.key : decision.team === team)
  )

export const unfinished = (tenant: Tenant, matches: (run: Run) => boolean): ReadonlyArray<Run> =>
  values(tenant.runs).filter((run) => !isOver(run.latest.status) && matches(run))

export const standing = (tenant: Tenant, incident: Incident): Standing => ({
  incident,
  firing: values(tenant.alerts).filter((alert) => alert.incident === incident.key && alert.status === "firing").length
})

/** Open incidents and firing alerts of all or some services. */
export const wrong = (tenant: Tenant, isWanted: (service: ServiceId | null) => boolean) => ({
  openIncidents: values(tenant.incidents)
    .filter(({ service, status }) => status === "open" && isWanted(service))
    .map((incident) => standing(tenant, incident)),
  firingAlerts: values(tenant.alerts).filter(({ service, status }) => status === "firing" && isWanted(service))
})

export const workContext = (
  tenant: Tenant,
  now: DateTime.Utc,
  team: Team,
  story: Story | null,
  run: Run | null
): WorkContext => ({
  now,
  team,
  story,
  run,
  pending: pendingOf(tenant, run, story, team.slug)
})

export const merging = (tenant: Tenant, team: TeamSlug): Omit<MergeContext, keyof WorkContext> => ({
  mergeHold: mergeHold(values(tenant.decisions).filter((decision) => decision.team === team))
})

export const raising = (
  tenant: Tenant,
  { decisions }: Drawn,
  team: TeamSlug
): Omit<RaiseContext, keyof WorkContext> => ({
  freshDecisions: decisions.filter((key) => !tenant.decisions.has(key)),
  declined: declined(tenant, team)
})
