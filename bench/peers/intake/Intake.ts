import { randomUUID } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { FastifyInstance } from "fastify"
import * as Alerts from "./Alerts.ts"
import * as Body from "../Body.ts"
import type { Ledger, SourceRow, Verdict } from "./Deliveries.ts"
import { prove } from "./Proof.ts"
import { notFound, Refusal } from "../Refusal.ts"
import * as Schemas from "../Schemas.ts"
import { type Sql, statement } from "../Statements.ts"

const largestDelivery = 524_288

declare module "fastify" {
  interface FastifyRequest {
    source: SourceRow
  }
}

const refused = statement(
  "source_refused",
  `INSERT INTO source_refusals (workspace_id, source_id, count, last_at, last)
   VALUES ($1, $2, 1, statement_timestamp(), $3) ON CONFLICT (workspace_id, source_id)
   DO UPDATE SET count = source_refusals.count + 1, last_at = excluded.last_at, last = excluded.last`
)

const rejectedOf = (index: number, message: string): Verdict => ({
  verdict: "rejected",
  explanation: `Alert ${index + 1}: ${message}`,
  fingerprint: null,
  alert: null,
  incident: null
})

/** Counts posts that fail the proof. */
const proofs = (sql: Sql) => async (source: SourceRow, secret: string, headers: IncomingHttpHeaders, body: Buffer) => {
  try {
    return prove(headers, body, { secret, isTimestampRequired: source.is_timestamp_required })
  } catch (error) {
    if (error instanceof Refusal) await sql.query(refused, [source.workspace_id, source.id, error.message])
    throw error
  }
}

/** Checks address, size and proof, decodes, stores: in this order. Only the generic tool is implemented. */
export const routes = (app: FastifyInstance, sql: Sql, { find, keep }: Ledger, wake: () => void) => {
  const proof = proofs(sql)
  app.route<{ Params: { readonly source: string } }>({
    method: ["POST", "PUT"],
    url: "/signals/:source",
    bodyLimit: largestDelivery,
    schema: { response: Schemas.accepted },
    onRequest: async (request) => {
      const token = request.params.source
      const source = /^[A-Za-z0-9]{32}$/.test(token) ? await find(token) : undefined
      if (source === undefined) throw notFound("source")
      request.source = source
    },
    handler: async ({ body: given, headers, source }, reply) => {
      const { secret } = source
      if (secret === null)
        throw new Refusal(503, "unavailable", "The source's secret is not known.", { "retry-after": "1" })
      const body = Buffer.isBuffer(given) ? given : Buffer.alloc(0)
      const proven = await proof(source, secret, headers, body)
      const json = Body.parse(body)
      const { rejected, signals } = Alerts.read(json)
      const delivery = {
        workspace: source.workspace_id,
        source: source.id,
        id: randomUUID(),
        name: proven.name,
        signals,
        known: rejected.map(({ index, message }) => rejectedOf(index, message)),
        body: JSON.stringify(Body.redacted(json))
      }
      const { isDuplicate } = await keep(delivery)
      if (!isDuplicate) wake()
      const count = signals.length
      return reply.code(202).send({
        deliveryId: delivery.id,
        accepted: isDuplicate ? 0 : count,
        duplicates: isDuplicate ? count : 0,
        rejected
      })
    }
  })
}
