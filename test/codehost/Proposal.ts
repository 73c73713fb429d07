import { DateTime, Effect } from "effect"
import type { CodeHost } from "../../application/ports/codehost/CodeHost.ts"
import { CommitId, PullRequestNumber, PullRequestRecord } from "../../domain/codehost/PullRequestRecord.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { branch, lines, type Repository } from "./Repositories.ts"

/** A repository on the host: its address, and a way to push to it. */
export interface Place {
  readonly host: CodeHost
  readonly address: string
  readonly repository: Repository
}

export const pullRequest = (
  repository: string,
  head: CommitId,
  more: Partial<PullRequestRecord> = {}
): PullRequestRecord => {
  const at = DateTime.unsafeMake("2026-01-01T00:00:00Z")
  return new PullRequestRecord({
    number: PullRequestNumber.make(7),
    team: "payments" as TeamSlug,
    repository,
    branch: branch("gatehouse/PAY-1-run-aaaa"),
    base: branch("main"),
    head,
    title: "Round the fees",
    state: "open",
    mergeCommit: null,
    runKey: null,
    story: "PAY-1" as StoryKey,
    reverts: null,
    createdAt: at,
    updatedAt: at,
    mergedAt: null,
    ...more
  })
}

export const gone = CommitId.make("0123456789".repeat(4))

export const own = "gatehouse/PAY-1-run-aaaa"

/** A repository with a branch that changes a line, and its pull request. */
export const proposedAt = <P extends Place, E, R>(place: Effect.Effect<P, E, R>, text = lines([5, "rounded"])) =>
  Effect.map(place, (at) => {
    const head = at.repository.commit(own, { "fees.txt": text }, { from: "main", message: "Round" })
    return { ...at, head, pull: pullRequest(at.address, head) }
  })
