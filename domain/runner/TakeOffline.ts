import type { DateTime } from "effect"
import type { By } from "../workspace/Actor.ts"
import * as Audit from "../workspace/Audit.ts"
import type { Change } from "../Change.ts"
import { lose } from "../work/LeaseRun.ts"
import type { Run } from "../work/Run.ts"
import { Runner } from "./Runner.ts"
import type { TokenId } from "../workspace/ApiToken.ts"
import { skipValidation } from "../value/SkipValidation.ts"

/** Runners of some tokens, and the runs they hold. */
export interface HeldWork {
  readonly runners: ReadonlyArray<Runner>
  readonly held: ReadonlyArray<Run>
}

export const runnerFact = (by: By, event: Audit.Event, runner: Runner, details: Audit.Fact["details"] = {}) =>
  Audit.fact(by, event, Audit.entityOf("runner", runner), { details })

/** Marks runners as offline and ends their leases. */
export const takeOffline = (by: By, { held, runners }: HeldWork, now: DateTime.Utc, reason: string) => {
  const gone = runners.filter(({ offlineAt }) => offlineAt === null)
  const lost = lose(by, held, now, reason)
  return {
    changed: {
      runners: gone.map((runner) => new Runner({ ...runner, offlineAt: now }, skipValidation)),
      runs: lost.runs
    },
    audit: [...gone.map((runner) => runnerFact(by, "runner_offline", runner, { reason })), ...lost.audit]
  }
}

/** Tokens that a change revokes; it may change others. */
export const revokedBy = ({ changed }: Change): ReadonlyArray<TokenId> =>
  (changed?.tokens ?? []).flatMap(({ id, revokedAt }) => (revokedAt === null ? [] : [id]))

/** True for a change that ends tokens, and with them the leases of their runners. */
export const endsTokens = (change: Change): boolean => (change.leaving ?? []).length > 0 || revokedBy(change).length > 0

/** Adds the end of the leases to a change that ends tokens. */
export const withOffline = (change: Change, work: HeldWork, now: DateTime.Utc): Change => {
  const [{ actor, details }] = change.audit
  const by: By = { actor, requestId: (details["requestId"] ?? null) as string | null }
  const reason = (change.leaving ?? []).length > 0 ? "the owner of the token left" : "the token was revoked"
  // A run that the change ends has lost its lease by that.
  const runs = change.changed?.runs ?? []
  const held = work.held.filter(({ key }) => !runs.some((run) => run.key === key))
  const { audit, changed } = takeOffline(by, { ...work, held }, now, reason)
  return {
    ...change,
    changed: { ...change.changed, runners: changed.runners, runs: [...runs, ...changed.runs] },
    audit: [change.audit[0], ...change.audit.slice(1), ...audit]
  }
}
