import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { type DateTime, Effect } from "effect"
import * as Auditing from "../../application/Auditing.ts"
import * as Json from "../../application/Json.ts"
import * as Listing from "../../application/Listing.ts"
import { type AuditFilter, AuditLog } from "../../application/ports/AuditLog.ts"
import { AuditEntry } from "../../domain/Audit.ts"
import { format as iso } from "../../domain/Timestamp.ts"
import { Caller } from "./api/Access.ts"
import { Api } from "./api/Api.ts"
import { InvalidParameter } from "./api/Errors.ts"
import * as Csv from "./Csv.ts"
import { Exchange } from "./Exchange.ts"
import * as Query from "./Query.ts"
import * as Respond from "./Respond.ts"

type Parameters = { readonly [Name in keyof AuditFilter]?: string | undefined }

const filterOf = Effect.fnUntraced(function* (query: Parameters) {
  const filter: AuditFilter = {
    team: yield* Query.team(query.team),
    actor: yield* Query.actor(query.actor),
    event: yield* Query.event(query.event),
    run: yield* Query.run(query.run),
    from: yield* Query.from(query.from),
    to: yield* Query.to(query.to)
  }
  if (filter.from !== null && filter.to !== null && filter.from.epochMillis > filter.to.epochMillis)
    return yield* new InvalidParameter({
      name: "from",
      received: query.from ?? "",
      allowed: `not after to (${query.to})`
    })
  return filter
})

const text = (at: DateTime.Utc | null) => (at === null ? null : iso(at))

/** Who asks, once they may. */
const admitted = Effect.fnUntraced(function* (operation: string) {
  const bearer = yield* Caller
  const { requestId } = yield* Exchange
  const by = { actor: { type: "human", name: bearer.member.name, userId: bearer.member.id }, requestId } as const
  yield* Auditing.admit(by, bearer, operation)
  return { bearer, by }
})

const columns =
  "id,timestamp,event,result,actor_type,actor_name,actor_user_id,team,run_key,entity_type,entity_id,entity_name,details"
const decode = Json.decoder(AuditEntry)
const cells = ({ actor, details, entity, ...entry }: AuditEntry) => [
  entry.id,
  iso(entry.timestamp),
  entry.event,
  entry.result,
  actor.type,
  actor.name,
  actor.userId,
  entry.team,
  entry.runKey,
  entity.type,
  entity.id,
  entity.name,
  JSON.stringify(details)
]

const fileName = (slug: string, filter: AuditFilter, now: DateTime.Utc, format: string) => {
  const from = text(filter.from)?.slice(0, 10) ?? "start"
  const to = (text(filter.to) ?? iso(now)).slice(0, 10)
  return `audit-${slug}-${from}-${to}.${format}`
}

export const layer = HttpApiBuilder.group(Api, "audit", (handlers) =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    return handlers
      .handle("listAudit", ({ urlParams }) =>
        Effect.gen(function* () {
          const { bearer } = yield* admitted("GET /v1/audit")
          const filter = yield* filterOf(urlParams)
          const paging = yield* Query.paging(urlParams)
          const filters = { ...filter, from: text(filter.from), to: text(filter.to) }
          const listing = { workspace: bearer.workspace, list: "audit", filters }
          const read = Listing.page(listing, paging, (page) => log.page(bearer.workspace, filter, page))
          return Respond.page(yield* read)
        }).pipe(Effect.provideService(AuditLog, log))
      )
      .handle("exportAudit", ({ urlParams }) =>
        Effect.gen(function* () {
          const { bearer, by } = yield* admitted("GET /v1/audit/export")
          const filter = yield* filterOf(urlParams)
          const format = (yield* Query.format(urlParams.format)) ?? "json"
          const name = fileName(bearer.workspaceSlug, filter, bearer.now, format)
          const { items, truncated } = yield* Auditing.exportEntries(by, bearer, filter, { format, name })
          const headers = {
            "content-disposition": `attachment; filename="${name}"`,
            "x-service-export-count": String(items.length),
            ...(truncated ? { "x-service-export-truncated": "true" } : {})
          }
          if (format === "json") return Respond.json(`[${items.join(",")}]`, headers)
          const rows = items.map((item) => cells(decode(item)))
          return HttpServerResponse.text(Csv.file([columns.split(","), ...rows]), {
            contentType: "text/csv; charset=utf-8",
            headers
          })
        }).pipe(Effect.provideService(AuditLog, log))
      )
  })
)
