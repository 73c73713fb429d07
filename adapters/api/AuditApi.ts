import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { AuditEntry } from "../../domain/workspace/Audit.ts"
import { ReadAccess } from "./AccessApi.ts"
import * as Parameters from "./Parameters.ts"
import * as Refusal from "./OperationErrors.ts"

const filters = {
  team: Parameters.auditTeamFilter,
  actor: Parameters.actorFilter,
  event: Parameters.eventFilter,
  run: Parameters.runFilter,
  from: Parameters.fromFilter,
  to: Parameters.toFilter
}

export class AuditApi extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("listAudit", "/")
      .setUrlParams(Schema.Struct({ ...filters, ...Parameters.paging }))
      .addSuccess(Parameters.page(AuditEntry, "AuditPage"))
      .addError(Refusal.InvalidCursor)
      .annotate(OpenApi.Summary, "Audit entries, newest first")
      .annotate(OpenApi.Description, "Needs a token of a workspace owner or admin.")
  )
  .add(
    HttpApiEndpoint.get("exportAudit", "/export")
      .setUrlParams(Schema.Struct({ format: Parameters.formatFilter, ...filters }))
      .addSuccess(Schema.Array(AuditEntry))
      .annotate(OpenApi.Summary, "A file with the newest 5,000 matching entries")
      .annotate(
        OpenApi.Description,
        "The entries a filtered read returns, in the same order. X-Service-Export-Count says how many; X-Service-Export-Truncated is true when more matched: narrow from and to and export again. Every export is recorded, after its snapshot."
      )
  )
  .addError(Refusal.InvalidParameter)
  .addError(Refusal.AdminRequired)
  .addError(Refusal.TeamNotFound)
  .middleware(ReadAccess)
  .prefix("/v1/audit")
  .annotate(OpenApi.Description, "What happened, by whom.") {}
