import type { FastifyInstance } from "fastify"
import type { Caller, Role } from "../Access.ts"
import { actions } from "./Answer.ts"
import { facts } from "./AnswerFacts.ts"
import { lock, lockAround, write } from "./AnswerRows.ts"
import * as AuditLog from "./AuditLog.ts"
import { type DecisionRow, view } from "../Decisions.ts"
import type { Entrance } from "../Entrance.ts"
import { parseKey } from "../Parameters.ts"
import { notFound, Refusal } from "../Refusal.ts"
import { type Given, givenOf } from "./Resolution.ts"
import * as Schemas from "../Schemas.ts"
import type { Sql } from "../Statements.ts"

const rank: Record<Role, number> = { member: 0, admin: 1, owner: 2 }

const final = {
  resolved: "decision_already_resolved",
  expired: "decision_expired",
  cancelled: "decision_cancelled",
  superseded: "decision_superseded"
}

/** Checks state before option. Refuses an overdue decision, but does not mark it as expired. */
const optionOf = (decision: DecisionRow, now: Date, optionId: string) => {
  if (decision.status !== "pending") throw new Refusal(409, final[decision.status], "There is nothing to answer.")
  if (decision.expires_at !== null && decision.expires_at <= now)
    throw new Refusal(409, final.expired, "Its time to answer is over.")
  const option = decision.options.find(({ id }) => id === optionId)
  if (option === undefined) throw new Refusal(400, "unknown_option", "The decision has no option with this id.")
  return option
}

/** One transaction: lock, read, decide, write. A returned refusal is recorded, a thrown one is not. */
const answer = async (sql: Sql, caller: Caller, requestId: string, key: string, { note, optionId }: Given) => {
  const workspace = caller.workspace_id
  const locked = await lock(sql, workspace, key)
  const decision = locked.find((one) => one.key === key)
  if (decision === undefined) throw notFound("decision")
  const { now, run_key, team, title } = decision
  if (rank[caller.role] < rank[decision.authority]) {
    const told = { event: "access_denied", result: "denied", team, runKey: run_key } as const
    const entity = { type: "decision", id: key, name: title }
    const denied = AuditLog.byCaller(caller, requestId, { ...told, entity }, { operation: "decision answer" })
    await AuditLog.append(sql, workspace, now, [denied])
    return new Refusal(403, "insufficient_authority", `It must be answered by an ${decision.authority}.`)
  }
  const { action } = optionOf(decision, now, optionId)
  const follow = decision.kind === "plan_approval" ? actions[action] : undefined
  // Only the measured kinds of decisions and their actions are implemented here.
  if (follow === undefined) throw new Refusal(501, "not_implemented", `${action} of a ${decision.kind} is not here.`)
  const others = locked.filter((one) => one.key !== key)
  const about = await lockAround(sql, workspace, decision)
  const at = { now, caller, requestId, decision, others, ...about, action, note }
  const outcome = follow(at)
  const resolved = await write(sql, at, outcome, optionId)
  await AuditLog.append(sql, workspace, now, facts(at, outcome, optionId))
  return { ...view(resolved), effects: outcome.steps }
}

/** The first answer wins. Idempotency keys are ignored. */
export const route = (app: FastifyInstance, { access, sql }: Entrance) =>
  app.post<{ Params: { readonly decision: string } }>(
    "/v1/decisions/:decision/resolve",
    { onRequest: access("write"), schema: { response: Schemas.resolved } },
    async (request) => {
      const given = givenOf(request)
      const key = parseKey("decision", request.params.decision)
      if (key === null) throw notFound("decision")
      const answered = await sql.transaction((inside) => answer(inside, request.caller, request.id, key, given))
      if (answered instanceof Refusal) throw answered
      return answered
    }
  )
