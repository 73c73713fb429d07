import { Context, Effect } from "effect"
import { readdirSync } from "node:fs"
import { join, resolve } from "node:path"

/** Words and rules that use cases share, which know no workspace. */
export const shared = [
  "Authorization.byOf",
  "Authorization.denial",
  "Authorization.isPerson",
  "AuditFile.nameOf",
  "AuditFile.write",
  "Backoff.plan",
  "Backoff.waitAfter",
  "Csv.file",
  "Cursors.claim",
  "Incidents.incidentFact",
  "JobTry.make",
  "JsonBody.isNestedDeeper",
  "JsonBody.parse",
  "Listing.claim",
  "Listing.page",
  "Listing.settle",
  "RequestOrigin.marked",
  "OutageLog.logFailure",
  "PeriodicTasks.oldestDueJob",
  "RequireWorkspace.present",
  "Sealing.lazily",
  "Services.serviceNamed",
  "MapSeverities.mapped",
  "Sources.named",
  "Sources.sourceChanged",
  "DeniedTarget.named",
  "DeniedTarget.ofWorkspace",
  "Tokens.limited",
  "Tokens.hashOf"
]

/** What changes nothing: those, and reads. */
export const harmless = [
  ...shared,
  "Authorization.admit",
  "Authorization.member",
  "Authorization.permit",
  "AuditExport.verify",
  "Intake.find",
  "DeniedTarget.ofMember",
  "DeniedTarget.ofService",
  "DeniedTarget.ofSource",
  "DeniedTarget.ofTeam",
  "Tokens.list",
  "Workspaces.idOf"
]

/** Refusals of strangers are counted and kept for a while, off the record. */
export const counted = ["Intake.refuse"]

/** Done by jobs that a use case on record has queued; what they write has tests of its own. */
export const jobs = [
  "FollowIncident.follow",
  "FollowIncident.given",
  "FollowIncident.investigate",
  "UpdateSource.update",
  "SendNotice.mail",
  "SendNotice.post"
]

/** Seals anew what rests sealed, which says the same as before. */
export const sealing = ["KeyRotation.begin"]

/** Made of other use cases. */
export const demo = ["Demo.onFirstStart", "Demo.recreate", "DemoRun.drive"]

const rooms = ["workspace", "work", "oncall", "jobs", "paging", "secrets"]

const folder = resolve(import.meta.dirname, "../../application")

const isUseCase = (value: unknown) =>
  (!Context.isTag(value) && Effect.isEffect(value)) ||
  (typeof value === "function" && !/^class\b/.test(Function.prototype.toString.call(value)))

/** Every use case there is, by its module and name. */
export const found = async (): Promise<ReadonlyArray<string>> => {
  const modules = rooms.flatMap((room) =>
    readdirSync(join(folder, room)).flatMap((file) => {
      const name = /^(\w+)\.ts$/.exec(file)?.[1]
      return name === undefined ? [] : [{ room, name }]
    })
  )
  const names = await Promise.all(
    modules.map(async ({ name, room }) => {
      const exported = (await import(`../../application/${room}/${name}.ts`)) as Record<string, unknown>
      return Object.keys(exported).flatMap((key) => (isUseCase(exported[key]) ? [`${name}.${key}`] : []))
    })
  )
  return names.flat().sort()
}
