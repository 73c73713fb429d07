import { Effect, Either } from "effect"
import { type Clue, PullRequestStore } from "../../application/ports/codehost/PullRequestStore.ts"
import * as ChangePullRequest from "../../domain/codehost/ChangePullRequest.ts"
import type { BranchName, CommitId, PullRequestNumber } from "../../domain/codehost/PullRequestRecord.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import { byService } from "../../domain/workspace/Actor.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { payments, run } from "../application/house.ts"
import type { Act, Cases } from "./Case.ts"

const commit = (digit: string) => digit.repeat(40) as CommitId
const number = (value: number) => value as PullRequestNumber
const repository = "/srv/git/pay.git"

export const proposal = {
  team: payments,
  repository,
  branch: "gatehouse/PAY-8-run-gggg" as BranchName,
  base: "main" as BranchName,
  head: commit("1"),
  title: "Round the fees",
  runKey: run("run-gggg"),
  story: "PAY-8" as StoryKey,
  reverts: null
}

/** One that is merged, and one that reverts it. */
export const makePulls = (id: WorkspaceId) =>
  Effect.gen(function* () {
    const store = yield* PullRequestStore
    const revert = { ...proposal, branch: "gatehouse/revert-1" as BranchName, runKey: null, story: null }
    yield* store.open(id, proposal, ChangePullRequest.open(byService, proposal))
    yield* store.change(id, number(1), ChangePullRequest.merge(byService, commit("a")))
    const reverting = { ...revert, reverts: number(1) }
    yield* store.open(id, reverting, ChangePullRequest.open(byService, reverting))
  })

const seen = <M>(at: M): Either.Either<never, M> => Either.left(at)

const found =
  (clue: Clue): Act =>
  ({ id }) =>
    Effect.flatMap(PullRequestStore, (store) => store.find(id, clue))

const gotten =
  (value: number): Act =>
  ({ id }) =>
    Effect.flatMap(PullRequestStore, (store) => store.get(id, number(value)))

const changed =
  (value: number): Act =>
  ({ id }) =>
    Effect.flatMap(PullRequestStore, (store) => store.change(id, number(value), seen))

const opened =
  (branch: string): Act =>
  ({ id }) =>
    Effect.map(
      Effect.flip(Effect.flatMap(PullRequestStore, (store) => store.open(id, { repository, branch }, seen))),
      ({ newest, next }) => ({ newest, next })
    )

export const pullPorts: Cases = {
  "PullRequestStore.get": { there: gotten(1), "not reverted": gotten(2), missing: gotten(9) },
  "PullRequestStore.find": {
    "of a run": found({ run: run("run-gggg") }),
    "of another run": found({ run: run("run-aaaa") }),
    "by its commit": found({ repository, mergeCommit: commit("a") }),
    "by another commit": found({ repository, mergeCommit: commit("b") }),
    "by what it reverts": found({ reverts: number(1) }),
    "by what nothing reverts": found({ reverts: number(2) })
  },
  "PullRequestStore.open": { there: opened(proposal.branch), missing: opened("gatehouse/PAY-99") },
  "PullRequestStore.change": { there: changed(2), missing: changed(9) }
}

/** Other pull requests under the same numbers. */
export const contraryPulls = (id: string) => `
  UPDATE pull_requests SET merge_commit = '${commit("b")}' WHERE workspace_id = '${id}' AND state = 'merged';
  UPDATE pull_requests SET number = 9, reverts = 2, run_key = 'run-aaaa' WHERE workspace_id = '${id}' AND number = 2;
  INSERT INTO pull_requests (workspace_id, number, team, repository, branch, base, head, title, state, run_key,
      created_at, updated_at)
    SELECT workspace_id, 8, team, repository, 'gatehouse/PAY-99', base, head, 'Other cedar', 'open', 'run-aaaa', created_at,
      updated_at FROM pull_requests WHERE workspace_id = '${id}' AND number = 1;`
