import { Effect, Option, Schema } from "effect"
import * as Incidents from "../../../../application/oncall/Incidents.ts"
import type { Cursors } from "../../../../application/workspace/Cursors.ts"
import * as Listing from "../../../../application/workspace/Listing.ts"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import * as Json from "../../../../application/ports/Json.ts"
import { DecisionStore } from "../../../../application/ports/DecisionStore.ts"
import { OnCallStore } from "../../../../application/ports/OnCallStore.ts"
import { AlertView } from "../../../../domain/oncall/Alert.ts"
import { IncidentHistory, IncidentNotFound, IncidentView } from "../../../../domain/oncall/Incident.ts"
import { DecisionView } from "../../../../domain/work/Decision.ts"
import { parseKey } from "../../../../domain/value/IncidentKey.ts"
import type { Done } from "../Flash.ts"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { type Detail, IncidentDetail, ResolvePage } from "./IncidentDetail.tsx"
import { type Asked, IncidentList, statuses } from "./IncidentList.tsx"
import { counted } from "./IncidentWords.ts"

const incidentsOf = Json.decoder(Schema.Array(IncidentView))
const incidentOf = Json.decoder(IncidentView)
const alertsOf = Json.decoder(Schema.Array(AlertView))
const historyOf = Json.decoder(IncidentHistory)
const decisionOf = Json.decoder(DecisionView)

const rowsPerPage = 25

/** Most alerts of one incident on its page. */
const mostAlerts = 100

const askedOf = ({ query }: Visit): Asked => ({
  status: statuses.find((status) => status === query.get("status")) ?? "open",
  service: (query.get("service") ?? "").slice(0, 200)
})

const list = Effect.fnUntraced(function* (visit: Visit) {
  const { base, person, query } = visit
  const { workspace } = person
  const store = yield* OnCallStore
  const asked = askedOf(visit)
  const filters = {
    status: asked.status === "all" ? null : asked.status,
    service: asked.service === "" ? null : asked.service
  }
  const [{ services }, { items, nextCursor }] = yield* Effect.all(
    [
      store.look(workspace),
      Listing.page(
        { workspace, list: "pages of incidents", filters },
        { limit: rowsPerPage, cursor: query.get("cursor") },
        (request) => store.incidentPage(workspace, { ...filters, since: null }, request)
      )
    ],
    { concurrency: "unbounded" }
  )
  const incidents = incidentsOf(items)
  const names = services.filter(({ deletedAt, name }) => deletedAt === null || name === asked.service)
  const view: View = {
    title:
      asked.status === "open" && incidents.length > 0 && nextCursor === null
        ? counted(incidents.length, "open incident")
        : "Incidents",
    section: "incidents",
    body: (
      <IncidentList
        base={base}
        asked={asked}
        incidents={incidents}
        nextCursor={nextCursor}
        path={`${base}/incidents?${query.toString()}`}
        services={names.map(({ name }) => name)}
      />
    )
  }
  return view
})

const keyOf = ({ parameters }: Visit) => {
  const { key: incident = "" } = parameters
  return Effect.mapError(parseKey(incident), () => new IncidentNotFound({ incident }))
}

const detailOf = Effect.fnUntraced(function* (visit: Visit) {
  const { base, person } = visit
  const { member, workspace } = person
  const key = yield* keyOf(visit)
  const store = yield* OnCallStore
  const incident = incidentOf(yield* store.incident(workspace, key))
  const asked = incident.investigation?.decision ?? null
  const filter = { incident: key, source: null, status: null }
  const [{ services }, alerts, history, decision] = yield* Effect.all(
    [
      store.look(workspace),
      store.alertPage(workspace, filter, { limit: mostAlerts, before: null }),
      store.history(workspace, key),
      asked === null
        ? Effect.succeedNone
        : Effect.flatMap(DecisionStore, (decisions) => Effect.option(decisions.get(workspace, asked)))
    ],
    { concurrency: "unbounded" }
  )
  const service = services.find(({ deletedAt, name }) => deletedAt === null && name === incident.service)
  const detail: Detail = {
    base,
    self: member.id,
    incident,
    alerts: alertsOf(alerts.items),
    hasMoreAlerts: alerts.next !== null,
    history: historyOf(history),
    decision: Option.getOrNull(Option.map(decision, decisionOf)),
    settings: service?.settings ?? null
  }
  return detail
})

const viewOf = (detail: Detail, status = 200): View => ({
  title: `${detail.incident.status === "open" ? "Open" : "Resolved"}: ${detail.incident.title}`,
  section: "incidents",
  status,
  body: <IncidentDetail {...detail} />
})

const shown = (visit: Visit) => Effect.map(detailOf(visit), viewOf)

/** Shows the incident as it is now, and why the request changed nothing. */
const notDone = (visit: Visit, title: string, text: string) =>
  Effect.map(detailOf(visit), (detail) => viewOf({ ...detail, refusal: { title, text } }, 409))

const back = ({ base }: Visit, { key }: Pick<IncidentView, "key">, done?: Done, part = "") =>
  redirect(`${base}/incidents/${key}${part}`, done)

const acknowledge = (visit: Visit) =>
  Effect.flatMap(keyOf(visit), (key) => Incidents.acknowledge(visit.person, key)).pipe(
    Effect.map((incident) => back(visit, incident, "acknowledged")),
    Effect.catchTags({
      IncidentAcknowledged: ({ by }) => notDone(visit, `${by} was faster`, `${by} looks after this incident already.`),
      IncidentResolved: () => notDone(visit, "It is resolved already", "There is nothing to look after any more.")
    })
  )

const resolve = (visit: Visit) =>
  Effect.flatMap(keyOf(visit), (key) => Incidents.resolve(visit.person, key)).pipe(
    Effect.map((incident) => back(visit, incident, "resolved")),
    Effect.catchTag("IncidentResolved", () =>
      notDone(visit, "It was resolved already", "The time line says by whom and when.")
    )
  )

const confirmResolve = (visit: Visit) =>
  Effect.map(detailOf(visit), (detail) => {
    const { incident } = detail
    if (incident.status === "resolved") return back(visit, incident)
    const view: View = { title: `Resolve ${incident.key}?`, section: "incidents", body: <ResolvePage {...detail} /> }
    return view
  })

const noteProblem = (visit: Visit, problem: string) =>
  Effect.map(detailOf(visit), (detail) =>
    viewOf({ ...detail, note: { values: { note: visit.form.get("note") }, errors: { note: problem } } }, 400)
  )

const note = (visit: Visit) =>
  Effect.flatMap(keyOf(visit), (key) => Incidents.note(visit.person, key, visit.form.get("note"))).pipe(
    Effect.map((incident) => back(visit, incident, "note-added", "#time-line")),
    Effect.catchTags({
      IncidentNoteMissing: () => noteProblem(visit, "Write what you saw or did."),
      NoteTooLong: ({ length }) =>
        noteProblem(visit, `Shorten it to 4,000 characters; it has ${length.toLocaleString("en")}.`)
    })
  )

export const pages: ReadonlyArray<Page<AuditLog | Cursors | DecisionStore | OnCallStore>> = [
  { path: "incidents", get: list },
  { path: "incidents/:key", get: shown },
  { path: "incidents/:key/acknowledge", post: acknowledge },
  { path: "incidents/:key/resolve", get: confirmResolve, post: resolve },
  { path: "incidents/:key/note", post: note }
]
