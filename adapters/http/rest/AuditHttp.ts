import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import { permit } from "../../../application/workspace/Authorization.ts"
import { ofWorkspace } from "../../../application/workspace/DeniedTarget.ts"
import * as AuditExport from "../../../application/workspace/AuditExport.ts"
import * as Listing from "../../../application/workspace/Listing.ts"
import { type AuditFilter, AuditLog } from "../../../application/ports/AuditLog.ts"
import { formatOrNull } from "../../../domain/value/Timestamp.ts"
import { Api } from "../../api/Api.ts"
import { InvalidParameter } from "../../api/HttpErrors.ts"
import { caller } from "../server/RequestNotes.ts"
import * as QueryParameters from "./QueryParameters.ts"
import * as Responses from "./Responses.ts"

type Parameters = { readonly [Name in keyof AuditFilter]?: string | undefined }

const filterOf = Effect.fnUntraced(function* (query: Parameters) {
  const filter: AuditFilter = {
    team: yield* QueryParameters.team(query.team),
    actor: yield* QueryParameters.actor(query.actor),
    event: yield* QueryParameters.event(query.event),
    run: yield* QueryParameters.run(query.run),
    from: yield* QueryParameters.from(query.from),
    to: yield* QueryParameters.to(query.to)
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
          const paging = yield* QueryParameters.paging(urlParams)
          const filters = { ...filter, from: formatOrNull(filter.from), to: formatOrNull(filter.to) }
          const listing = { workspace: person.workspace, list: "audit", filters }
          const read = Listing.page(listing, paging, (page) => log.page(person.workspace, filter, page))
          return Responses.page(yield* read)
        })
      )
      .handle("exportAudit", ({ urlParams }) =>
        Effect.gen(function* () {
          const person = yield* caller
          yield* permit(person, "audit export", ofWorkspace(person))
          const filter = yield* filterOf(urlParams)
          const format = (yield* QueryParameters.format(urlParams.format)) ?? "json"
          const file = yield* AuditExport.exportFile(person, person.now, filter, format)
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
