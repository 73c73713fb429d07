import { type Call, refuse, requireToken } from "./Answer.ts"
import { reach } from "./Auth.ts"
import { commitOf } from "./Git.ts"
import * as State from "./State.ts"

export interface Reached {
  readonly repository: State.Repository
  readonly token: State.Token
  /** The person or bot that acts. */
  readonly user: State.User
  readonly app: State.App | null
}

/** The repository of a call, for a holder who may use it so. */
export const reached = (call: Call, permission: string, level: State.Level): Reached => {
  const token = requireToken(call)
  const { owner = "", repo = "" } = call.parameters
  const repository = reach(call.world, token, owner, repo, permission, level)
  return { repository, token, user: token.user, app: token.installation?.app ?? null }
}

export const issueOf = (call: Call, repository: State.Repository, name = "issue_number"): State.Issue => {
  if (name === "issue_number" && !repository.hasIssues) throw refuse(410, "Issues are disabled for this repo")
  const issue = repository.issues.find(({ number }) => String(number) === call.parameters[name])
  if (issue !== undefined) return issue
  const gone = repository.gone.get(Number(call.parameters[name]))
  if (gone === undefined) throw refuse(404, "Not Found")
  throw gone === null ? refuse(410, "This issue was deleted") : refuse(301, "Moved Permanently", { location: gone })
}

export const pullOf = (call: Call, repository: State.Repository): State.PullRequest => {
  const issue = issueOf(call, repository, "pull_number")
  if (!State.isPullRequest(issue)) throw refuse(404, "Not Found")
  return issue
}

/** The commit that a branch, tag or id names. */
export const requireCommit = async (repository: State.Repository, name: string): Promise<string> => {
  const full = /^(heads|tags)\//.test(name) ? `refs/${name}` : name
  const found = await commitOf(repository.path, full)
  if (found === null) throw refuse(422, `No commit found for SHA: ${name}`)
  return found
}
