import { DateTime, Effect, Either, Schema } from "effect"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as ResolveDecision from "../../domain/work/ResolveDecision.ts"
import { answered, type Decided } from "../../domain/Change.ts"
import { Step } from "../../domain/work/Step.ts"
import { type Decision, type DecisionKey, DecisionView, isDue } from "../../domain/work/Decision.ts"
import { AuditEntry } from "../../domain/workspace/Audit.ts"
import { IdempotencyKeyReused, IdempotencyRecord } from "../../domain/workspace/IdempotencyRecord.ts"
import { skipValidation } from "../../domain/value/SkipValidation.ts"
import { type JobId, JobView } from "../../domain/work/Job.ts"
import { raise as raiseOne } from "../../domain/work/RaiseDecision.ts"
import type { Ask } from "../../domain/work/DecisionTriggers.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import * as Json from "../ports/Json.ts"
import { type AnswerContext, DecisionStore, type Idempotency } from "../ports/DecisionStore.ts"
import { JobStore } from "../ports/JobStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { StoryStore } from "../ports/StoryStore.ts"
import { TeamStore } from "../ports/TeamStore.ts"

/** A decision that was just resolved, with the steps taken. */
export const ResolvedView = Schema.Struct({ ...DecisionView.fields, effects: Schema.Array(Step) }).annotations({
  identifier: "ResolvedDecision",
  title: "ResolvedDecision"
})
export type ResolvedView = typeof ResolvedView.Type

const encode = Json.encoder(ResolvedView)
const decodeJob = Json.decoder(JobView)

interface Resolved {
  readonly json: Json.Json<ResolvedView>
  /** True when it repeats an earlier answer. */
  readonly isReplay: boolean
}

type Refusal = ResolveDecision.AnswerRefusal | IdempotencyKeyReused

/** Returns the first answer again for the same key and request; only an answer that took effect is kept. */
const once =
  (idempotency: Idempotency | null, request: string, decide: ReturnType<typeof ResolveDecision.answer>) =>
  (at: AnswerContext): Either.Either<Decided<Resolved, Refusal>, Refusal | Resolved> => {
    if (at.kept !== null)
      return Either.left(
        at.kept.request === request
          ? { json: Json.trust<ResolvedView>(at.kept.answer), isReplay: true }
          : new IdempotencyKeyReused({ key: at.kept.key })
      )
    return Either.map(decide(at), ({ answer, change }) => {
      const response = Either.map(answer, ({ decision, effects }) => ({
        json: encode({ ...decision, effects }),
        isReplay: false
      }))
      if (idempotency === null || Either.isLeft(response)) return { change, answer: response }
      const kept = new IdempotencyRecord(
        { ...idempotency, request, answer: response.right.json, createdAt: at.now },
        skipValidation
      )
      return { change: { ...change, changed: { ...change.changed, keptAnswers: [kept] } }, answer: response }
    })
  }

/** Resolves a decision; every channel uses it. The decision's authority sets the required role. */
export const answer = Effect.fnUntraced(function* (
  person: Person,
  input: {
    readonly decision: DecisionKey
    readonly optionId: string
    readonly note: string | null
    readonly idempotency: Idempotency | null
  }
) {
  const note = yield* ResolveDecision.checkNote(input.note)
  const { decision, idempotency, optionId } = input
  const { channel } = person
  const decide = ResolveDecision.answer(
    { by: byOf(person), role: person.member.role, channel, optionId, note },
    bySystem
  )
  const store = yield* DecisionStore
  const request = JSON.stringify([decision, optionId, note])
  return yield* Effect.catchAll(
    store.change(person.workspace, decision, idempotency, once(idempotency, request, decide)),
    (refusal) => ("isReplay" in refusal ? Effect.succeed(refusal) : Effect.fail(refusal))
  )
})

/** A decision with its context, the steps that each option would take now, and what happens if nobody answers. */
export const look = Effect.fn("Decisions.look")(function* (person: Person, decision: DecisionKey) {
  const at = yield* (yield* DecisionStore).context(person.workspace, decision)
  const isPending = at.decision.status === "pending"
  return {
    at,
    options: isPending ? ResolveDecision.preview(byOf(person), at) : [],
    expiry: isPending ? ResolveDecision.previewExpiry(bySystem, at) : []
  }
})

const entriesOf = Json.decoder(Schema.Array(AuditEntry))

/** True if the member resolved the decision in the app; names may be shared, so the audit entry decides. */
export const isAnswerOf = Effect.fn("Decisions.isAnswerOf")(function* (
  { member, workspace }: Person,
  { key, resolvedAt, resolvedBy, resolvedVia, runKey }: Decision
) {
  if (resolvedAt === null || resolvedVia !== "app" || resolvedBy !== member.name) return false
  const { items } = yield* Effect.orDie(
    (yield* AuditLog).page(
      workspace,
      {
        team: null,
        actor: "human",
        event: "decision_resolved",
        run: runKey,
        from: resolvedAt,
        to: DateTime.add(resolvedAt, { minutes: 1 })
      },
      { limit: 1000, before: null }
    )
  )
  return entriesOf(items).some(({ actor, entity }) => entity.id === key && actor.userId === member.id)
})

/** Jobs of the steps that a resolution left to other systems. */
export const jobsOf = Effect.fn("Decisions.jobsOf")(function* (person: Person, steps: ReadonlyArray<Step>) {
  const ids = steps.flatMap(({ ref }) => (ref?.type === "job" ? [ref.id as JobId] : []))
  if (ids.length === 0) return []
  return (yield* (yield* JobStore).find(person.workspace, ids)).map(decodeJob)
})

/** The run, story or team of a decision. */
export type Place = { readonly run: RunKey } | { readonly story: StoryKey } | { readonly team: TeamSlug }

const encodeView = Json.encoder(DecisionView)

export const raise = Effect.fn("Decisions.raise")(function* (person: Person, place: Place, ask: Ask) {
  yield* permit(person, "decision raise")
  const by = byOf(person)
  const decision = yield* "run" in place
    ? (yield* RunStore).change(person.workspace, place.run, (at) => raiseOne(by, at, ask))
    : "story" in place
      ? (yield* StoryStore).change(person.workspace, place.story, (at) => raiseOne(by, at, ask))
      : (yield* TeamStore).change(person.workspace, place.team, (at) => raiseOne(by, at, ask))
  return encodeView(decision)
})

/** Expires overdue decisions. Every instance may call it; the second finds nothing due. */
export const expireDue = Effect.fn("Decisions.expireDue")(function* () {
  const store = yield* DecisionStore
  const due = yield* store.due(100)
  const expired = yield* Effect.forEach(due, ({ key, workspace }) =>
    store
      .change(workspace, key, null, (at) =>
        isDue(at.decision, at.now) ? answered(ResolveDecision.expire(bySystem, at), true) : Either.left("not due")
      )
      .pipe(Effect.orElseSucceed(() => false))
  )
  return expired.filter(Boolean).length
})
