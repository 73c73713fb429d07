import { DateTime, Effect, Either, Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { type AnswerContext, DecisionStore, type Idempotency } from "../../application/ports/DecisionStore.ts"
import type { Decided } from "../../domain/Change.ts"
import { type Decision, type DecisionKey, DecisionNotFound, DecisionView, isDue } from "../../domain/work/Decision.ts"
import { type IdempotencyRecord, keptForHours } from "../../domain/workspace/IdempotencyRecord.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { type Drawn, drawn, isHeld, workContext, merging, freshFor, values } from "./MemoryWorkContext.ts"
import { present } from "./MemoryTeamStore.ts"
import { newest } from "./MemoryPages.ts"
import { cut } from "../../application/ports/Page.ts"
import { change, State, type Tenant } from "./MemoryState.ts"

const encode = Json.encoder(DecisionView)

const isKept = (now: DateTime.Utc) => (kept: IdempotencyRecord) =>
  DateTime.greaterThan(DateTime.add(kept.createdAt, { hours: keptForHours }), now)

interface Row {
  readonly seq: bigint
  readonly value: Decision
}

const deadline = ({ value }: Row) => value.expiresAt?.epochMillis ?? Number.POSITIVE_INFINITY

const byDeadline = (a: Row, b: Row): number =>
  deadline(a) === deadline(b) ? Number(a.seq - b.seq) : deadline(a) < deadline(b) ? -1 : 1

const asked = (
  tenant: Tenant | undefined,
  key: DecisionKey,
  idempotency: Idempotency | null,
  now: DateTime.Utc,
  keys: Drawn
): AnswerContext | null => {
  const decision = tenant?.decisions.get(key)?.value
  const team = decision && tenant?.teams.get(decision.team)
  if (tenant === undefined || decision === undefined || team === undefined || team.deletedAt !== null) return null
  const run = decision.runKey === null ? null : (tenant.runs.get(decision.runKey)?.value ?? null)
  const story = decision.story === null ? null : (tenant.stories.get(decision.story)?.value ?? null)
  const kept = tenant.keptAnswers
    .filter(isKept(now))
    .find(({ key, token }) => key === idempotency?.key && token === idempotency.token)
  const context = workContext(tenant, now, team, story, run)
  return {
    ...context,
    pending: run === null ? [] : context.pending.filter((one) => one.key !== key),
    ...merging(tenant, team.slug),
    decision,
    kept: kept ?? null,
    fresh: freshFor(tenant, team, keys)
  }
}

export const layer = Layer.effect(
  DecisionStore,
  Effect.map(State, (state) =>
    DecisionStore.of({
      page: (workspace, { run, status, story, team }, request) =>
        Effect.suspend(() => {
          const tenant = state.get(workspace)
          const matches = (decision: Decision) =>
            isHeld(tenant, decision.team) &&
            (status === null || decision.status === status) &&
            (team === null || decision.team === team) &&
            (run === null || decision.runKey === run) &&
            (story === undefined || decision.story === story)
          const page = () => newest(tenant?.decisions.values() ?? [], matches, encode, request)
          return team === null ? Effect.sync(page) : Effect.map(present(tenant, team), page)
        }),
      get: (workspace, key) =>
        Effect.suspend(() => {
          const tenant = state.get(workspace)
          const decision = tenant?.decisions.get(key)?.value
          return decision === undefined || !isHeld(tenant, decision.team)
            ? new DecisionNotFound({ decision: key })
            : Effect.succeed(encode(decision))
        }),
      queue: (workspace, { authorities, team }, { before, limit }) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          const rows = [...(tenant?.decisions.values() ?? [])]
            .filter(
              ({ value }) =>
                value.status === "pending" &&
                authorities.includes(value.authority) &&
                isHeld(tenant, value.team) &&
                (team === null || value.team === team)
            )
            .sort(byDeadline)
          const last = [...(tenant?.decisions.values() ?? [])].find(({ seq }) => seq === before)
          const rest = last === undefined ? rows : rows.filter((row) => byDeadline(row, last) > 0)
          return cut(
            rest.slice(0, limit + 1).map(({ seq, value }) => ({ seq, json: encode(value) })),
            limit
          )
        }),
      unanswered: (workspace, team, request) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          const matches = (decision: Decision) =>
            isHeld(tenant, decision.team) &&
            decision.status !== "pending" &&
            decision.status !== "resolved" &&
            (team === null || decision.team === team)
          return newest(tenant?.decisions.values() ?? [], matches, encode, request)
        }),
      context: (workspace, key) =>
        Effect.flatMap(Effect.all([drawn, DateTime.now]), ([keys, now]) => {
          const at = asked(state.get(workspace), key, null, now, keys)
          return at === null ? new DecisionNotFound({ decision: key }) : Effect.succeed(at)
        }),
      change: <A, E, F>(
        workspace: WorkspaceId,
        key: DecisionKey,
        idempotency: Idempotency | null,
        decide: (at: AnswerContext) => Either.Either<Decided<A, F>, E>
      ) =>
        Effect.flatMap(drawn, (keys) =>
          change<A, E | DecisionNotFound, F>(
            state,
            () => state.get(workspace),
            (tenant, now) => {
              const at = asked(tenant, key, idempotency, now, keys)
              return at === null ? Either.left(new DecisionNotFound({ decision: key })) : decide(at)
            }
          )
        ),
      due: (limit) =>
        Effect.map(DateTime.now, (now) =>
          [...state.entries()]
            .flatMap(([workspace, tenant]) =>
              values(tenant.decisions)
                .filter((decision) => isDue(decision, now) && isHeld(tenant, decision.team))
                .map(({ expiresAt, key }) => ({ workspace, key, at: expiresAt?.epochMillis ?? 0 }))
            )
            .sort((a, b) => a.at - b.at)
            .slice(0, limit)
            .map(({ key, workspace: of }) => ({ workspace: of, key }))
        ),
      purgeKept: Effect.map(DateTime.now, (now) => {
        for (const tenant of state.values()) {
          const kept = tenant.keptAnswers.filter(isKept(now))
          tenant.keptAnswers.splice(0, tenant.keptAnswers.length, ...kept)
        }
      })
    })
  )
)
