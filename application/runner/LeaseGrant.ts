import { Schema } from "effect"
import { LeaseId } from "../../domain/work/Lease.ts"
import { DecisionKey, DecisionStatus, Kind } from "../../domain/work/Decision.ts"
import { settingsOf } from "../../domain/work/DecisionTriggers.ts"
import { Attempt, branchOf, Exception, Input, progress, PullRequest } from "../../domain/work/Run.ts"
import type { Progress } from "../../domain/work/RunContext.ts"
import { Story } from "../../domain/work/Story.ts"
import { RunKey } from "../../domain/value/RunKey.ts"
import { Timestamp } from "../../domain/value/Timestamp.ts"
import { Settings } from "../../domain/workspace/Policy.ts"
import { type Team, TeamSlug } from "../../domain/workspace/Team.ts"

/** Credential for git over https with this one repository; a runner keeps it in memory alone. */
export const LeaseGit = Schema.Struct({
  token: Schema.Redacted(Schema.String),
  /** The runner asks for the next one before this time. */
  until: Timestamp
})
export type LeaseGit = typeof LeaseGit.Type

/** Everything a runner needs to work on one attempt. */
export const LeaseGrant = Schema.Struct({
  id: LeaseId,
  fence: Schema.Int,
  expiresAt: Timestamp,
  /** Credential bound to the run, valid as long as the lease. */
  credential: Schema.String,
  team: TeamSlug,
  run: Schema.Struct({
    key: RunKey,
    attempt: Attempt.fields.attempt,
    stage: Attempt.fields.stage,
    executor: Attempt.fields.executor,
    /** Cost of this attempt so far. */
    costCents: Attempt.fields.costCents,
    /** Result of the last verification of this attempt; a second failure asks a person. */
    verification: Attempt.fields.verification,
    pullRequest: Schema.NullOr(PullRequest),
    /** Session of the agent to resume, as the last lease reported it. */
    session: Schema.NullOr(Schema.String),
    /** Plan of this attempt, as an earlier lease reported it; null before the step plan. */
    plan: Schema.NullOr(Schema.String)
  }),
  story: Schema.Struct({
    key: Story.fields.key,
    title: Story.fields.title,
    description: Story.fields.description,
    acceptanceCriteria: Story.fields.acceptanceCriteria,
    demonstrate: Story.fields.demonstrate,
    testPlan: Story.fields.testPlan,
    size: Story.fields.size
  }),
  policy: Settings,
  /** Address or path of the repository. */
  repository: Schema.String,
  /** Branch to start from and to merge into; null is the default branch of the repository. */
  base: Schema.NullOr(Schema.String),
  branch: Schema.String,
  /** Null where the code host gives none: the runner has its own. */
  git: Schema.optionalWith(Schema.NullOr(LeaseGit), { default: () => null }),
  inputs: Schema.Array(Input),
  exceptions: Schema.Array(Exception),
  budgetLeftCents: Schema.Int
}).annotations({ identifier: "Lease" })
export type LeaseGrant = typeof LeaseGrant.Type

/** `stop`: end the agent now. `drain`: finish this attempt and lease no further one. */
export const LeaseAction = Schema.Literal("continue", "stop", "drain")

export const Renewal = Schema.Struct({
  expiresAt: Timestamp,
  action: LeaseAction,
  /** Inputs of people after the number the runner has. */
  inputs: Schema.Array(Input),
  decisions: Schema.Array(Schema.Struct({ key: DecisionKey, kind: Kind, status: DecisionStatus })),
  /** The next credential, if the runner asked for it. */
  git: Schema.optionalWith(LeaseGit, { exact: true })
}).annotations({ identifier: "Renewal" })
export type Renewal = typeof Renewal.Type

/** State of the run after a report. `held` is false when the lease ended with it: a decision is pending or the run is over. */
export const Reported = Schema.Struct({
  status: Attempt.fields.status,
  stage: Attempt.fields.stage,
  held: Schema.Boolean,
  raised: Schema.Array(DecisionKey)
}).annotations({ identifier: "Reported" })
export type Reported = typeof Reported.Type

/** The grant of a lease that was just taken. */
export const grantOf = (
  { run, story }: Progress,
  { policy, repositories, slug }: Team,
  { fence, expiresAt, id }: NonNullable<Progress["run"]["lease"]>,
  credential: string,
  git: LeaseGit | null
): LeaseGrant => ({
  id,
  fence,
  expiresAt,
  credential,
  team: slug,
  run: { ...run.latest, key: run.key, pullRequest: run.pullRequest, session: run.session, plan: run.plan },
  story,
  policy: settingsOf(policy),
  repository: repositories[0] ?? "",
  base: null,
  branch: branchOf(run),
  git,
  inputs: run.inputs,
  exceptions: run.exceptions,
  budgetLeftCents: Math.max(0, run.budgetCents - progress(run).costCents)
})
