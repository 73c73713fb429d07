import { DateTime, Redacted } from "effect"
import type { LeaseGit, LeaseGrant } from "../../../application/runner/LeaseGrant.ts"
import { hostOf } from "../../../domain/value/Repository.ts"
import type { GitTokens } from "../../RunnerSettings.ts"
import { type Redact, redactor } from "../SecretRedaction.ts"

/** Time before the end of a credential at which the next one is asked for. */
const margin = 10 * 60_000

/** Tokens of git during one lease: those of the runner, and the one that the lease brings for its repository. */
export const leaseTokens = (own: GitTokens, { git, repository }: Pick<LeaseGrant, "git" | "repository">) => {
  const host = hostOf(repository)
  const all = new Map(own)
  const hidden: Array<Redact> = []
  let until = Number.POSITIVE_INFINITY
  const take = ({ token, until: end }: LeaseGit) => {
    // The operator's own token comes first: it may do what the lease's may not.
    if (host === null || own.has(host)) return
    all.set(host, token)
    until = DateTime.toEpochMillis(end)
    hidden.push(redactor([Redacted.value(token), `x-access-token:${Redacted.value(token)}`]))
  }
  if (git !== null) take(git)
  return {
    all: all as GitTokens,
    take,
    isOld: (now: number): boolean => until - margin <= now,
    redact: (text: string): string => hidden.reduce((rest, hide) => hide(rest), text)
  }
}
export type LeaseTokens = ReturnType<typeof leaseTokens>
