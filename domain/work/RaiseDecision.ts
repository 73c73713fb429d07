import { DateTime, Either, Schema } from "effect"
import type { By } from "../workspace/Actor.ts"
import type { Fact } from "../workspace/Audit.ts"
import { validated } from "../value/Validated.ts"
import { answered, type Decided } from "../Change.ts"
import { close, Decision, DecisionKey } from "./Decision.ts"
import { decisionFact, type WorkContext, runChanged } from "./WorkContext.ts"
import { type Ask, raisedBy, settingsOf } from "./DecisionTriggers.ts"
import type { Run } from "./Run.ts"
import { isOver, RunNotRunning, RunOver, wait } from "./RunTransitions.ts"

export class InvalidDecision extends Schema.TaggedError<InvalidDecision>()("InvalidDecision", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.field === "" ? "The decision" : this.field}: ${this.problem}.`
  }
}

/** The team declined the same proposal before. */
export class ProposalDeclined extends Schema.TaggedError<ProposalDeclined>()("ProposalDeclined", {
  decision: DecisionKey,
  title: Schema.String
}) {
  override get message() {
    return `'${this.title}' was proposed before and declined as ${this.decision}; it is not proposed again.`
  }
}

export type RaiseRefusal = InvalidDecision | ProposalDeclined | RunOver | RunNotRunning

export interface RaiseContext extends WorkContext {
  /** Unused keys for the decisions to raise. */
  readonly freshDecisions: ReadonlyArray<DecisionKey>
  /** The declined proposals of the team. */
  readonly declined: ReadonlyArray<Pick<Decision, "key" | "kind" | "title">>
}

const draft = (by: By, at: RaiseContext, ask: Ask, key: DecisionKey): Either.Either<Decision, InvalidDecision> =>
  validated(
    () =>
      new Decision({
        key,
        kind: ask.kind,
        authority: ask.authority,
        title: ask.title,
        body: ask.body,
        status: "pending",
        recommendation: ask.recommendation,
        options: ask.options.map((option) => ({ ...option, recommended: option.id === ask.recommendation })),
        team: at.team.slug,
        story: at.story?.key ?? null,
        runKey: at.run?.key ?? null,
        resolution: null,
        resolvedVia: null,
        resolvedAt: null,
        expiresAt:
          ask.isLasting === true ? null : DateTime.add(at.now, { hours: settingsOf(at.team.policy).decisionHours }),
        createdAt: at.now,
        subject: ask.subject,
        resolvedBy: null,
        askedBy: by.token ?? null
      }),
    (field, problem) => new InvalidDecision({ field, problem })
  )

/** Raises decisions; a newer decision about a run supersedes a pending one of its kind and subject. */
export const asked = (by: By, at: RaiseContext, asks: ReadonlyArray<Ask>) =>
  Either.gen(function* () {
    const decisions: Array<Decision> = []
    const replaced: Array<Decision> = []
    const audit: Array<Fact> = []
    for (const ask of asks) {
      const before = at.declined.find(({ kind, title }) => kind === ask.kind && title === ask.title)
      if (before) return yield* Either.left(new ProposalDeclined({ decision: before.key, title: ask.title }))
      const key = at.freshDecisions[decisions.length]
      if (key === undefined) break
      const decision = yield* draft(by, at, ask, key)
      const older =
        at.run === null ? [] : at.pending.filter(({ kind, subject }) => kind === ask.kind && subject === ask.subject)
      decisions.push(decision)
      replaced.push(...older.map((other) => close(other, "superseded")))
      audit.push(
        decisionFact(by, "decision_raised", decision, { kind: decision.kind, authority: decision.authority }),
        ...older.map((other) => decisionFact(by, "decision_superseded", other, { by: decision.key }))
      )
    }
    return { decisions, replaced, audit }
  })

/** Raises one decision for a person; its run waits for the answer. */
export const raise = (by: By, at: RaiseContext, ask: Ask): Either.Either<Decided<Decision>, RaiseRefusal> =>
  at.run?.latest.status === "queued"
    ? Either.left(new RunNotRunning({ run: at.run.key, status: "queued", wanted: ask.kind }))
    : raised(by, at, ask)

/** The question is pending already, which ends the transaction without a change. */
export class AskedAlready extends Schema.TaggedError<AskedAlready>()("AskedAlready", { decision: DecisionKey }) {}

/**
 * Asks people a question about a run that is not over, or about a story. A run that has begun waits for the answer, unless
 * its holder asks and works on; one that is queued stays so and begins with it. The same question again is the same decision.
 */
export const question =
  (by: By, text: string, asker: "holder" | "other" = "other") =>
  (at: RaiseContext): Either.Either<Decided<Decision>, RaiseRefusal | AskedAlready> => {
    const ask = raisedBy(settingsOf(at.team.policy), at.run, { type: "question", question: text })
    if (ask === null) return Either.left(new InvalidDecision({ field: "question", problem: "it raises no decision" }))
    const known = at.pending.find(
      ({ kind, runKey, subject }) =>
        kind === ask.kind && subject === ask.subject && runKey === (at.run === null ? null : at.run.key)
    )
    if (known !== undefined) return Either.left(new AskedAlready({ decision: known.key }))
    return raised(by, at, ask, asker === "holder" ? (run) => run : wait)
  }

const raised = (
  by: By,
  at: RaiseContext,
  ask: Ask,
  after: (run: Run) => Run = wait
): Either.Either<Decided<Decision>, RaiseRefusal> =>
  Either.gen(function* () {
    const { run } = at
    if (run !== null && isOver(run.latest.status))
      return yield* Either.left(new RunOver({ run: run.key, status: run.latest.status }))
    const { audit, decisions, replaced } = yield* asked(by, at, [ask])
    const waiting = run && after(run)
    const hasStopped = waiting !== null && waiting !== run
    const [decision, fact] = [decisions[0], audit[0]]
    if (decision === undefined || fact === undefined)
      return yield* Either.left(new InvalidDecision({ field: "key", problem: "no free decision key was found" }))
    return yield* answered(
      {
        added: { decisions },
        changed: { decisions: replaced, ...(hasStopped && { runs: [waiting] }) },
        audit: [fact, ...audit.slice(1), ...(hasStopped ? [runChanged(by, run, waiting)] : [])]
      },
      decision
    )
  })
