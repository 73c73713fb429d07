import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import { permit } from "../../application/Acting.ts"
import { ofWorkspace } from "../../application/Targets.ts"
import * as Auditing from "../../application/Auditing.ts"
import * as Listing from "../../application/Listing.ts"
import { type AuditFilter, AuditLog } from "../../application/ports/AuditLog.ts"
import { formatOrNull } from "../../domain/Timestamp.ts"
import { Api } from "./api/Api.ts"
import { InvalidParameter } from "./api/Errors.ts"
import { caller } from "./Exchange.ts"
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

const contentTypes = { csv: "text/csv; charset=utf-8", json: "application/json" }

export const layer = HttpApiBuilder.group(Api, "audit", (handlers) =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    return handlers
      .handle("listAudit", ({ urlParams }) =>
        Effect.gen(function* () {
          const person = yield* caller
          yield* permit(person, "audit read", ofWorkspace(person))
          const filter = yield* filterOf(urlParams)
          const paging = yield* Query.paging(urlParams)
          const filters = { ...filter, from: formatOrNull(filter.from), to: formatOrNull(filter.to) }
          const listing = { workspace: person.workspace, list: "audit", filters }
          const read = Listing.page(listing, paging, (page) => log.page(person.workspace, filter, page))
          return Respond.page(yield* read)
        })
      )
      .handle("exportAudit", ({ urlParams }) =>
        Effect.gen(function* () {
          const person = yield* caller
          yield* permit(person, "audit export", ofWorkspace(person))
          const filter = yield* filterOf(urlParams)
          const format = (yield* Query.format(urlParams.format)) ?? "json"
          const file = yield* Auditing.exportFile(person, person.now, filter, format)
          const headers = {
            "content-disposition": `attachment; filename="${file.name}"`,
            "x-service-export-count": String(file.count),
            ...(file.truncated ? { "x-service-export-truncated": "true" } : {})
          }
          return HttpServerResponse.text(file.text, { contentType: contentTypes[format], headers })
        })
      )
  })
)
