import { Context, Effect } from "effect"
import { readdirSync } from "node:fs"
import { resolve } from "node:path"

/** Words and rules that use cases share, which know no workspace. */
export const shared = [
  "Acting.byOf",
  "Acting.denial",
  "Acting.isPerson",
  "AuditFile.nameOf",
  "AuditFile.write",
  "Csv.file",
  "Cursors.claim",
  "Incidents.incidentFact",
  "JsonBody.isNestedDeeper",
  "JsonBody.parse",
  "Json.array",
  "Json.decoder",
  "Json.each",
  "Json.encoder",
  "Json.trust",
  "Listing.claim",
  "Listing.page",
  "Listing.settle",
  "Origin.marked",
  "Outage.logFailure",
  "Page.cut",
  "Present.present",
  "Sealing.lazily",
  "Services.serviceNamed",
  "SeverityWords.mapped",
  "Sources.named",
  "Sources.sourceChanged",
  "Targets.named",
  "Targets.ofWorkspace",
  "Tokens.limited",
  "Tokens.hashOf"
]

/** What changes nothing: those, and reads. */
export const harmless = [
  ...shared,
  "Acting.admit",
  "Acting.member",
  "Acting.permit",
  "Auditing.verify",
  "Intake.find",
  "Targets.ofMember",
  "Targets.ofService",
  "Targets.ofSource",
  "Targets.ofTeam",
  "Tokens.list",
  "Workspaces.idOf"
]

/** Refusals of strangers are counted and kept for a while, off the record. */
export const counted = ["Intake.refuse"]

/** Done by jobs that a use case on record has queued; what they write has tests of its own. */
export const jobs = [
  "Following.follow",
  "Following.given",
  "Following.investigate",
  "SourceUpdates.update",
  "Telling.mail",
  "Telling.post"
]

/** Seals anew what rests sealed, which says the same as before. */
export const sealing = ["Rewrapping.begin"]

/** Made of other use cases. */
export const demo = ["Demo.onFirstStart", "Demo.recreate", "DemoRun.drive"]

const folder = resolve(import.meta.dirname, "../../application")

const isUseCase = (value: unknown) =>
  (!Context.isTag(value) && Effect.isEffect(value)) ||
  (typeof value === "function" && !/^class\b/.test(Function.prototype.toString.call(value)))

/** Every use case there is, by its module and name. */
export const found = async (): Promise<ReadonlyArray<string>> => {
  const modules = readdirSync(folder).flatMap((file) => /^(\w+)\.ts$/.exec(file)?.[1] ?? [])
  const names = await Promise.all(
    modules.map(async (name) => {
      const exported = (await import(`../../application/${name}.ts`)) as Record<string, unknown>
      return Object.keys(exported).flatMap((key) => (isUseCase(exported[key]) ? [`${name}.${key}`] : []))
    })
  )
  return names.flat().sort()
}
