import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Option, Schema } from "effect"
import type { Cursors } from "../../../../application/workspace/Cursors.ts"
import * as Listing from "../../../../application/workspace/Listing.ts"
import { AuditLog } from "../../../../application/ports/AuditLog.ts"
import * as Json from "../../../../application/ports/Json.ts"
import { TeamStore } from "../../../../application/ports/TeamStore.ts"
import type { WorkspaceStore } from "../../../../application/ports/WorkspaceStore.ts"
import * as AuditExport from "../../../../application/workspace/AuditExport.ts"
import { permit } from "../../../../application/workspace/Authorization.ts"
import { ChangeFeed } from "../../../../application/workspace/ChangeFeed.ts"
import { ofWorkspace } from "../../../../application/workspace/DeniedTarget.ts"
import { RecordedEntry } from "../../../../domain/workspace/Audit.ts"
import { cut } from "../../../../domain/value/Text.ts"
import { formatOrNull } from "../../../../domain/value/Timestamp.ts"
import { TeamView } from "../../../../domain/workspace/Team.ts"
import { InvalidParameter } from "../../../api/HttpErrors.ts"
import type { Page, View, Visit } from "../Page.ts"
import { askedOf } from "./AuditFilters.ts"
import { AuditPage, type Checked } from "./AuditViews.tsx"

const entriesOf = Json.decoder(Schema.Array(RecordedEntry))
const teamsOf = Json.decoder(Schema.Array(TeamView))

const rowsPerPage = 25

const page = Effect.fnUntraced(function* (visit: Visit, checked: Checked) {
  const { base, person, query, reader } = visit
  const { workspace, workspaceSlug } = person
  yield* permit(person, "audit read", ofWorkspace(person))
  const [log, teams, feed] = yield* Effect.all([AuditLog, TeamStore, ChangeFeed])
  const asked = askedOf(query, reader.zone)
  const isWrong = Object.keys(asked.filled.errors).length > 0
  const { filter } = asked
  const filters = { ...filter, from: formatOrNull(filter.from), to: formatOrNull(filter.to) }
  const cursor = query.get("cursor")
  const [json, size, { items, nextCursor }] = yield* Effect.all(
    [
      teams.list(workspace),
      feed.head(workspace),
      Listing.page({ workspace, list: "pages of audit", filters }, { limit: rowsPerPage, cursor }, (request) =>
        log.page(workspace, filter, request)
      )
    ],
    { concurrency: "unbounded" }
  )
  const view: View = {
    title: "Audit log",
    section: "audit",
    status: isWrong ? 400 : 200,
    body: (
      <AuditPage
        base={base}
        workspace={workspaceSlug}
        asked={asked}
        teams={teamsOf(json)}
        entries={entriesOf(items)}
        nextCursor={nextCursor}
        isLaterPage={cursor !== null}
        size={size}
        checked={checked}
      />
    )
  }
  return view
})

/** A page may take eight seconds at most; a longer check is for the command line. */
const mostTime = "6 seconds"

const check = (visit: Visit) =>
  Effect.gen(function* () {
    const { person } = visit
    yield* permit(person, "audit read", ofWorkspace(person))
    const verdict = yield* Effect.timeoutOption(AuditExport.verify(person.workspaceSlug), mostTime)
    return yield* page(
      visit,
      Option.getOrElse(verdict, () => "too long" as const)
    )
  })

const contentTypes = { csv: "text/csv; charset=utf-8", json: "application/json" }

const exported = (visit: Visit) =>
  Effect.gen(function* () {
    const { form, person, reader } = visit
    yield* permit(person, "audit export", ofWorkspace(person))
    const asked = askedOf(form, reader.zone)
    if (Object.keys(asked.filled.errors).length > 0)
      return yield* page({ ...visit, query: new URLSearchParams(asked.filled.values) }, "not asked")
    const format = form.get("format")
    if (format !== "csv" && format !== "json")
      return yield* new InvalidParameter({ name: "format", received: cut(format, 60), allowed: "csv or json" })
    const file = yield* AuditExport.exportFile(person, reader.now, asked.filter, format)
    return HttpServerResponse.text(file.text, {
      contentType: contentTypes[format],
      headers: {
        "content-disposition": `attachment; filename="${file.name}"`,
        "x-service-export-count": String(file.count),
        ...(file.truncated ? { "x-service-export-truncated": "true" } : {})
      }
    })
  })

export const pages: ReadonlyArray<Page<AuditLog | ChangeFeed | Cursors | TeamStore | WorkspaceStore>> = [
  { path: "audit", get: (visit) => page(visit, "not asked") },
  { path: "audit/check", post: check },
  { path: "audit/export", post: exported }
]
