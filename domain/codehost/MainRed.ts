import { Either } from "effect"
import { answered, type Decided } from "../Change.ts"
import { cut } from "../value/Text.ts"
import { close, type Decision } from "../work/Decision.ts"
import { type Ask, raisedBy, settingsOf } from "../work/DecisionTriggers.ts"
import { holdingKind } from "../work/MergeHold.ts"
import { asked, type RaiseContext, type RaiseRefusal } from "../work/RaiseDecision.ts"
import { decisionFact } from "../work/WorkContext.ts"
import type { By } from "../workspace/Actor.ts"
import type { CheckReport, Health } from "./BranchHealth.ts"
import type { CommitId, PullRequestRecord } from "./PullRequestRecord.ts"

/** The main branch of a repository, as its checks show it. */
export interface MainBranch {
  /** Name of the repository for people, such as acme/pay. */
  readonly repository: string
  readonly branch: string
  readonly health: Health
  /** The oldest commit of the red ones at the end of the branch, and the checks that it broke. */
  readonly culprit: {
    readonly commit: CommitId
    readonly broken: ReadonlyArray<CheckReport>
    /** The pull request of the service that the commit merged. */
    readonly merged: Pick<PullRequestRecord, "number" | "title" | "reverts" | "runKey"> | null
    /** True when the commit reverts another one. */
    readonly isRevert: boolean
  } | null
  /** The culprit that decisions were raised about. */
  readonly reported: CommitId | null
}

/** Nothing is to be raised or closed. */
export interface Unchanged {
  readonly _tag: "Unchanged"
}

const evidence = (checks: ReadonlyArray<CheckReport>): string =>
  checks.map(({ name, url }) => `- ${url === null ? name : `[${name}](${url})`} failed`).join("\n")

const named = ({ branch, repository }: MainBranch) => `\`${branch}\` of ${repository}`

/** The decisions about a red main branch: its incident, and a revert where a merge of the service broke it. */
export const asksOf = (main: MainBranch, policy: Parameters<typeof settingsOf>[0]): ReadonlyArray<Ask> => {
  const { culprit, health } = main
  if (culprit === null) return []
  const reason = `Checks fail on ${named(main)} since ${culprit.commit}:\n\n${evidence(health.failed)}`
  const settings = settingsOf(policy)
  const red = raisedBy(settings, null, { type: "main_red", reason })
  const isOurs = culprit.merged !== null && culprit.merged.reverts === null && !culprit.isRevert
  const revert =
    isOurs && culprit.broken.length > 0
      ? raisedBy(settings, null, {
          type: "main_broken",
          merge: `#${culprit.merged.number}`,
          reason: `${culprit.merged.title} was merged as ${culprit.commit}. These checks passed or did not run before it:\n\n${evidence(culprit.broken)}`
        })
      : null
  // The state of the branch ends the incident, so that the hold on merges lasts as long as the branch is red.
  return [red && { ...red, isLasting: true }, revert].flatMap((ask) =>
    ask === null ? [] : [{ ...ask, subject: culprit.commit }]
  )
}

const isAbout =
  (commit: CommitId) =>
  ({ kind, runKey, subject }: Decision): boolean =>
    runKey === null && subject === commit && (kind === holdingKind || kind === "revert_approval")

/** Raises the decisions about a main branch that turned red, once, and closes them when it is green again. */
export const judge =
  (by: By, main: MainBranch) =>
  (at: RaiseContext): Either.Either<Decided<CommitId | null>, RaiseRefusal | Unchanged> =>
    Either.gen(function* () {
      const unchanged = Either.left<Unchanged>({ _tag: "Unchanged" })
      const { culprit, health, reported } = main
      const moot = reported === null ? [] : at.pending.filter(isAbout(reported))
      const superseded = moot.map((decision) => close(decision, "superseded"))
      const facts = (reason: string) =>
        moot.map((decision) => decisionFact(by, "decision_superseded", decision, { reason: cut(reason, 500) }))
      if (health.state === "green") {
        const [first, ...rest] = facts(`${named(main)} is green again`)
        if (first === undefined) return yield* unchanged
        return yield* answered({ changed: { decisions: superseded }, audit: [first, ...rest] }, null)
      }
      if (health.state !== "red" || culprit === null || culprit.commit === reported) return yield* unchanged
      const asks = asksOf(main, at.team.policy).filter(
        ({ kind }) => !at.pending.some((decision) => decision.kind === kind && isAbout(culprit.commit)(decision))
      )
      const { audit, decisions, replaced } = yield* asked(by, at, asks)
      const [first, ...rest] = [...audit, ...facts(`${named(main)} is red since ${culprit.commit} now`)]
      if (first === undefined) return yield* unchanged
      return yield* answered(
        { added: { decisions }, changed: { decisions: [...replaced, ...superseded] }, audit: [first, ...rest] },
        culprit.commit
      )
    })
