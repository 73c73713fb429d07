import { Effect } from "effect"
import { PullRequestStore } from "../../application/ports/codehost/PullRequestStore.ts"
import * as ChangePullRequest from "../../domain/codehost/ChangePullRequest.ts"
import { BranchName, CommitId, PullRequestNumber } from "../../domain/codehost/PullRequestRecord.ts"
import { byService } from "../../domain/workspace/Actor.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"

export const commit = (digit: string) => CommitId.make(digit.repeat(40))
export const commitOf = (id: string) => CommitId.make(id)
export const number = (value: number) => PullRequestNumber.make(value)
export const branch = (name: string) => BranchName.make(name)

/** A pull request of no run. */
export const proposal: ChangePullRequest.Proposal = {
  team: "payments" as TeamSlug,
  repository: "/srv/git/pay.git",
  branch: branch("gatehouse/PAY-1-run-aaaa"),
  base: branch("main"),
  head: commit("a"),
  title: "Round the fees",
  runKey: null,
  story: null,
  reverts: null
}

export const open = (workspace: WorkspaceId, more: Partial<ChangePullRequest.Proposal> = {}) => {
  const whole = { ...proposal, ...more }
  return Effect.flatMap(PullRequestStore, (store) =>
    store.open(workspace, whole, ChangePullRequest.open(byService, whole))
  ).pipe(Effect.merge)
}

export const merge = (workspace: WorkspaceId, wanted: number, by = commit("f")) =>
  Effect.flatMap(PullRequestStore, (store) =>
    store.change(workspace, number(wanted), ChangePullRequest.merge(byService, by))
  )
