/** Test merges and the rules of protected branches. */
import * as Git from "./Git.ts"
import type * as State from "./State.ts"
import type { World } from "./World.ts"

/** Newest check run of each name, and newest status of each context. */
export const checksOf = (repository: State.Repository, sha: string) => {
  const runs = new Map<string, State.CheckRun>()
  for (const run of repository.checkRuns) if (run.head === sha) runs.set(`${run.suite.app.id} ${run.name}`, run)
  const statuses = new Map<string, State.Status>()
  for (const status of repository.statuses) if (status.sha === sha) statuses.set(status.context, status)
  return { runs: [...runs.values()], statuses: [...statuses.values()] }
}

const fine = new Set(["success", "neutral", "skipped"])

const checkProblem = (repository: State.Repository, sha: string, name: string): string | null => {
  const { runs, statuses } = checksOf(repository, sha)
  const states = [
    ...runs.filter((one) => one.name === name).map((one) => (one.status === "completed" ? one.conclusion : "pending")),
    ...statuses.filter((one) => one.context === name).map(({ state }) => state)
  ]
  if (states.length === 0) return `Required status check "${name}" is expected.`
  if (states.includes("pending")) return `Required status check "${name}" is in progress.`
  return states.every((state) => fine.has(state ?? "")) ? null : `Required status check "${name}" is failing.`
}

/** Rules of the base branch that a pull request does not keep. */
export const problemsOf = (repository: State.Repository, { pull }: State.PullRequest): ReadonlyArray<string> => {
  const rules = repository.protections.get(pull.base)
  if (rules === undefined) return []
  const checks = rules.requiredChecks.map((name) => checkProblem(repository, pull.head, name))
  return [
    ...(rules.mergeQueue ? ["Changes must be made through the merge queue"] : []),
    ...(rules.reviews > 0
      ? [`At least ${rules.reviews} approving review is required by reviewers with write access.`]
      : []),
    ...checks.filter((problem) => problem !== null)
  ]
}

/** Merges the head into the base, on no branch; null when they conflict. */
export const testMerge = async (world: World, repository: State.Repository, issue: State.PullRequest) => {
  const { pull } = issue
  const { path } = repository
  const tree = await Git.mergedTree(path, pull.baseSha, pull.head)
  if (tree === null) return null
  const message = `Merge ${pull.head} into ${pull.baseSha}`
  const commit = await Git.commitTree(
    path,
    tree,
    [pull.baseSha, pull.head],
    message,
    Git.signedBy(Git.gitHub, world.clock.now())
  )
  await Git.git(path, ["update-ref", `refs/pull/${issue.number}/merge`, commit])
  return commit
}

/** Answers null until the test merge has been asked for often enough. */
export const judge = async (world: World, repository: State.Repository, issue: State.PullRequest) => {
  const { pull } = issue
  const pair = `${pull.baseSha} ${pull.head}`
  if (pull.judged?.pair !== pair)
    pull.judged = { pair, merge: await testMerge(world, repository, issue), nulls: world.nullsBeforeMergeable }
  if (pull.judged.nulls-- > 0) return null
  return pull.judged.merge !== null
}
