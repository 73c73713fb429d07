import { type DateTime, Either } from "effect"
import { answered, type Decided } from "../Change.ts"
import { skipValidation } from "../value/SkipValidation.ts"
import { record } from "../work/ApplyReport.ts"
import type { Decision } from "../work/Decision.ts"
import { type Ask, usual } from "../work/DecisionTriggers.ts"
import { raise, type RaiseRefusal } from "../work/RaiseDecision.ts"
import type { Run } from "../work/Run.ts"
import type { Progress, RunContext, RunDecided } from "../work/RunContext.ts"
import { written } from "../work/RunContext.ts"
import { end, isOver, resume, RunOver } from "../work/RunTransitions.ts"
import { moveTo, Story } from "../work/Story.ts"
import { cancelled } from "../work/WorkContext.ts"
import type { By } from "../workspace/Actor.ts"
import type { CommitId, PullRequestRecord } from "./PullRequestRecord.ts"

/** True while the run waits for the end of its pull request. */
const isHandedOff = ({ latest }: Run): boolean =>
  !isOver(latest.status) && (latest.stage === "handing_off" || latest.stage === "done")

const over = ({ key, latest }: Run) => Either.left(new RunOver({ run: key, status: latest.status }))

const ended = (by: By, at: RunContext, run: Run, story: Story): Either.Either<Decided<Progress>> => {
  const { audit, decisions } = cancelled(by, at.pending)
  const change = written(by, at, run, story, { changed: { decisions } })
  return answered(
    { ...change, audit: [change.audit[0], ...change.audit.slice(1), ...audit] },
    { run, story, raised: [], mergeHold: null }
  )
}

/** Somebody merged the pull request on its host: the run succeeded, and its questions are moot. */
export const merged =
  (by: By) =>
  (at: RunContext): RunDecided<RunOver> => {
    if (!isHandedOff(at.run)) return over(at.run)
    const after = record(resume(at.run, at.now), at.story, { type: "merged" }, false, at.now)
    return ended(by, at, end(after.run, at.now, "succeeded"), after.story)
  }

const returned = (story: Story, note: string, now: DateTime.Utc) =>
  new Story({ ...moveTo(story, "backlog", now), returnNote: note }, skipValidation)

/** Somebody closed the pull request on its host: the run ends as if it was rejected. */
export const closed =
  (by: By, { hostUrl }: Pick<PullRequestRecord, "hostUrl">) =>
  (at: RunContext): RunDecided<RunOver> => {
    if (!isHandedOff(at.run)) return over(at.run)
    const error = `${hostUrl} was closed without a merge.`
    const run = end(at.run, at.now, "stopped", { failureClass: "policy", error })
    return ended(by, at, run, returned(at.story, error, at.now))
  }

const mergeAsk = (title: string, body: string, recommendation: "merge" | "request_changes"): Ask => ({
  kind: "merge_approval",
  title,
  body,
  subject: null,
  authority: "member",
  ...usual("merge_approval"),
  recommendation
})

/** Asks again about a pull request whose branch moved after its verification. */
export const movedAsk = ({ head, hostNumber, hostUrl, number }: PullRequestRecord, to: CommitId): Ask =>
  mergeAsk(
    `Merge pull request #${hostNumber ?? number} at a commit that was not verified?`,
    `The pull request is ${hostUrl}. It was verified at ${head}; somebody pushed ${to} afterwards, for which no gates have run. An earlier approval does not count any more. Ask for changes to have the branch verified again.`,
    "request_changes"
  )

/** Asks about a pull request that a rule of its repository keeps from being merged. */
export const blockedAsk = ({ hostNumber, hostUrl, number }: PullRequestRecord, rule: string): Ask =>
  mergeAsk(
    `A rule keeps pull request #${hostNumber ?? number} from being merged`,
    `The pull request is ${hostUrl}. The code host answered: ${rule}\n\nDo what the rule asks for, then merge.`,
    "merge"
  )

/** Raises such a question while the run waits for its pull request. */
export const ask =
  (by: By, question: Ask) =>
  (at: RunContext): Either.Either<Decided<Decision>, RaiseRefusal> =>
    isHandedOff(at.run) ? raise(by, at, question) : over(at.run)
