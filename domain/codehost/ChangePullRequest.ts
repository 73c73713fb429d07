import { type DateTime, Either } from "effect"
import { answered, type Decided } from "../Change.ts"
import { skipValidation } from "../value/SkipValidation.ts"
import type { By } from "../workspace/Actor.ts"
import * as Audit from "../workspace/Audit.ts"
import type { WorkspaceSlug } from "../workspace/Workspace.ts"
import { type CommitId, type OnHost, type PullRequestNumber, PullRequestRecord } from "./PullRequestRecord.ts"

/** A branch to open a pull request for. */
export type Proposal = Pick<
  PullRequestRecord,
  "team" | "repository" | "branch" | "base" | "head" | "title" | "runKey" | "story" | "reverts"
> & { readonly onHost?: OnHost | null }

/** The newest pull request of a branch, and the number of the next one. */
export interface BranchContext {
  readonly now: DateTime.Utc
  readonly slug: WorkspaceSlug
  readonly newest: PullRequestRecord | null
  readonly next: PullRequestNumber
}

/** A pull request is recorded with its run; a revert without one, with its team. */
const changed = (by: By, record: PullRequestRecord): Audit.Fact => {
  const { base, branch, head, hostUrl, mergeCommit, number, repository, reverts, runKey, state, team } = record
  const details = {
    pullRequest: {
      number,
      state,
      repository,
      branch,
      base,
      head,
      ...(hostUrl && { url: hostUrl }),
      ...(mergeCommit && { mergeCommit }),
      ...(reverts && { reverts })
    }
  }
  return runKey === null
    ? Audit.fact(by, "team_changed", { type: "team", id: team, name: team }, { team, details })
    : Audit.fact(by, "run_state_changed", { type: "run", id: runKey, name: runKey }, { team, runKey, details })
}

/** A pull request with the workspace of its page. */
export interface Opened {
  readonly record: PullRequestRecord
  readonly slug: WorkspaceSlug
}

/** Opens a pull request once: a later proposal of its branch moves it, and a merged one is left as it is. */
export const open =
  (by: By, proposal: Proposal) =>
  ({ newest, next, now, slug }: BranchContext): Either.Either<Decided<Opened>, Opened> => {
    const { base, head, onHost, title, ...rest } = proposal
    const host = { hostNumber: onHost?.number ?? null, hostUrl: onHost?.url ?? null }
    if (newest !== null && newest.state !== "closed" && newest.head === head) {
      const isSame =
        newest.state === "merged" || (newest.base === base && newest.title === title && newest.hostUrl === host.hostUrl)
      if (isSame) return Either.left({ record: newest, slug })
    }
    if (newest?.state === "open") {
      const record = new PullRequestRecord({ ...newest, ...host, base, head, title, updatedAt: now }, skipValidation)
      return answered({ changed: { pullRequests: [record] }, audit: [changed(by, record)] }, { record, slug })
    }
    const record = new PullRequestRecord(
      {
        ...rest,
        ...host,
        base,
        head,
        title,
        number: next,
        state: "open",
        mergeCommit: null,
        createdAt: now,
        updatedAt: now,
        mergedAt: null
      },
      skipValidation
    )
    return answered({ added: { pullRequests: [record] }, audit: [changed(by, record)] }, { record, slug })
  }

const ended =
  (by: By, end: Pick<PullRequestRecord, "state" | "mergeCommit">, isMerged: boolean) =>
  ({
    now,
    record
  }: {
    readonly now: DateTime.Utc
    readonly record: PullRequestRecord
  }): Either.Either<Decided<PullRequestRecord>, PullRequestRecord> => {
    if (record.state !== "open") return Either.left(record)
    const after = new PullRequestRecord(
      { ...record, ...end, updatedAt: now, mergedAt: isMerged ? now : null },
      skipValidation
    )
    return answered({ changed: { pullRequests: [after] }, audit: [changed(by, after)] }, after)
  }

export const merge = (by: By, mergeCommit: CommitId) => ended(by, { state: "merged", mergeCommit }, true)

export const close = (by: By) => ended(by, { state: "closed", mergeCommit: null }, false)
