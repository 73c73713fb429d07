import { DateTime, Effect, Either, Predicate, Schema, Stream } from "effect"
import { type By, bySystem } from "../../domain/workspace/Actor.ts"
import type { NoteTooLong, OwnQuestion } from "../../domain/work/DecisionErrors.ts"
import * as ResolveDecision from "../../domain/work/ResolveDecision.ts"
import { answered, type Decided } from "../../domain/Change.ts"
import { Step } from "../../domain/work/Step.ts"
import {
  type Decision,
  type DecisionKey,
  type DecisionNotFound,
  DecisionView,
  isDue
} from "../../domain/work/Decision.ts"
import { RecordedEntry } from "../../domain/workspace/Audit.ts"
import { IdempotencyKeyReused, IdempotencyRecord } from "../../domain/workspace/IdempotencyRecord.ts"
import { skipValidation } from "../../domain/value/SkipValidation.ts"
import { type JobId, JobView } from "../../domain/work/Job.ts"
import { question, raise as raiseOne } from "../../domain/work/RaiseDecision.ts"
import type { Ask } from "../../domain/work/DecisionTriggers.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import { ChangeFeed } from "../workspace/ChangeFeed.ts"
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

type Refusal<E> = ResolveDecision.AnswerRefusal | IdempotencyKeyReused | E

type Decide<E> = (
  at: ResolveDecision.DecisionContext
) => Either.Either<Decided<ResolveDecision.Answer, ResolveDecision.AnswerRefusal | E>, ResolveDecision.AnswerRefusal>

/** Returns the first answer again for the same key and request; only an answer that took effect is kept. */
const once =
  <E>(idempotency: Idempotency | null, request: string, decide: Decide<E>) =>
  (at: AnswerContext): Either.Either<Decided<Resolved, Refusal<E>>, Refusal<E> | Resolved> => {
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

const isResolved = (left: unknown): left is Resolved => Predicate.hasProperty(left, "isReplay")

interface AnswerInput {
  readonly decision: DecisionKey
  readonly optionId: string
  readonly note: string | null
  readonly idempotency: Idempotency | null
}

const answeredBy =
  <E = never>(rule: (command: ResolveDecision.Command, system: By) => Decide<E>) =>
  (
    person: Person,
    { decision, idempotency, note: given, optionId }: AnswerInput
  ): Effect.Effect<Resolved, Refusal<E> | NoteTooLong | DecisionNotFound, DecisionStore> =>
    Effect.gen(function* () {
      const note = yield* ResolveDecision.checkNote(given)
      const { channel, workspace } = person
      const decide = rule({ by: byOf(person), role: person.member.role, channel, optionId, note }, bySystem)
      const store = yield* DecisionStore
      const request = JSON.stringify([decision, optionId, note])
      const end = yield* Effect.either(
        store.change(workspace, decision, idempotency, once(idempotency, request, decide))
      )
      if (Either.isRight(end)) return end.right
      const { left } = end
      return isResolved(left) ? left : yield* Effect.fail(left)
    })

/** Resolves a decision; people use it on every channel. The decision's authority sets the required role. */
export const answer = answeredBy(ResolveDecision.answer)

/** The same for an agent with a member's token, which answers no question of its own. */
export const answerForAgent = answeredBy<OwnQuestion>(ResolveDecision.answerForAgent)

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

const entriesOf = Json.decoder(Schema.Array(RecordedEntry))

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

/** An agent asks people about a run or a story; the same question again is the same decision. */
export const ask = Effect.fn("Decisions.ask")(function* (
  person: Person,
  place: Exclude<Place, { readonly team: TeamSlug }>,
  text: string
) {
  yield* permit(person, "decision raise")
  const decide = question(byOf(person), text)
  const change = Effect.gen(function* () {
    return "run" in place
      ? yield* (yield* RunStore).change(person.workspace, place.run, decide)
      : yield* (yield* StoryStore).change(person.workspace, place.story, decide)
  })
  return yield* Effect.map(change, encodeView).pipe(
    Effect.catchTag("AskedAlready", ({ decision }) =>
      Effect.flatMap(DecisionStore, (store) => store.get(person.workspace, decision))
    )
  )
})

const isPending = (json: Json.Json<DecisionView>) =>
  (JSON.parse(json) as { readonly status: string }).status === "pending"

/** A decision, as soon as it is no longer pending or the time is over. */
export const settled = Effect.fn("Decisions.settled")(function* (
  workspace: WorkspaceId,
  key: DecisionKey,
  seconds: number
) {
  const store = yield* DecisionStore
  const feed = yield* ChangeFeed
  const position = seconds > 0 ? yield* feed.head(workspace) : 0n
  const found = yield* store.get(workspace, key)
  if (seconds <= 0 || !isPending(found)) return found
  const changed = feed.after(workspace, position).pipe(
    Stream.filter(({ entry }) => entry === null || (entry.entity.type === "decision" && entry.entity.id === key)),
    Stream.mapEffect(() => store.get(workspace, key)),
    Stream.filter((json) => !isPending(json)),
    Stream.runHead
  )
  yield* Effect.timeoutOption(changed, `${seconds} seconds`)
  return yield* store.get(workspace, key)
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
