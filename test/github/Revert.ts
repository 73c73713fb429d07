import { refuse } from "./Answer.ts"
import * as Git from "./Git.ts"
import { inWorktree } from "./Merge.ts"
import { openPull } from "./PullRoutes.ts"
import { refreshRefs } from "./Refs.ts"
import * as State from "./State.ts"
import type { World } from "./World.ts"

const textOr = (value: unknown, other: string) => (typeof value === "string" ? value : other)

/** Reverts a merged pull request on a branch of its own, and opens a pull request of it. */
export const revert = async (
  world: World,
  repository: State.Repository,
  issue: State.PullRequest,
  token: State.Token,
  input: Readonly<Record<string, unknown>>
): Promise<State.PullRequest> => {
  const { pull } = issue
  const { mergeCommit } = pull
  if (mergeCommit === null) throw refuse(422, "Pull request is not merged")
  const base = await Git.commitOf(repository.path, `refs/heads/${pull.base}`)
  if (base === null) throw refuse(422, "The base branch is gone")
  const commit = await Git.infoOf(repository.path, mergeCommit, State.timestamp)
  const isMerge = (commit?.parents.length ?? 0) > 1
  const made = await inWorktree(repository, base, async (folder) => {
    const variables = Git.signedBy(Git.personOf(token.user), world.clock.now())
    const args = ["revert", "--no-edit", ...(isMerge ? ["-m", "1"] : []), mergeCommit]
    const ran = await Git.tryGit(folder, args, { variables })
    return ran.code === 0 ? Git.git(folder, ["rev-parse", "HEAD"]) : null
  })
  if (made === null) throw refuse(422, "This pull request cannot be reverted automatically")
  const headRef = `revert-${issue.number}-${pull.headRef}`
  if (!(await Git.moveRef(repository.path, `refs/heads/${headRef}`, made, "0".repeat(40))))
    throw refuse(422, `A branch named ${headRef} already exists`)
  await refreshRefs(world, repository, token.user)
  return openPull(world, repository, token.user, token.installation?.app ?? null, {
    title: textOr(input["title"], `Revert "${issue.title}"`),
    body: textOr(input["body"], `Reverts ${repository.owner.login}/${repository.name}#${issue.number}`),
    headRef,
    base: pull.base,
    draft: input["draft"] === true
  })
}
