import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Schema } from "effect"
import type { Person } from "../../../application/workspace/Authorization.ts"
import * as Incidents from "../../../application/oncall/Incidents.ts"
import { ServiceUnknown } from "../../../domain/oncall/commands/ChangeService.ts"
import { SourceUnknown } from "../../../domain/oncall/commands/SourceErrors.ts"
import { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import type { AlertView } from "../../../domain/oncall/Alert.ts"
import type { IncidentView } from "../../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import { formatOrNull } from "../../../domain/value/Timestamp.ts"
import { flat, row } from "../Columns.ts"
import { incident, line, moment, oneOf } from "../Options.ts"
import { type Listed, paged, pageOf, personalList } from "../Paging.ts"
import { personalVerb } from "../Command.ts"

type Shown = typeof IncidentView.Encoded
type ShownAlert = typeof AlertView.Encoded

/** Most alerts that one incident shows. */
const mostAlerts = 1000

const alertsOf = (workspace: Person["workspace"], incident: IncidentKey) =>
  Effect.gen(function* () {
    const filter = { incident, source: null, status: null }
    const { items } = yield* (yield* OnCallStore).alertPage(workspace, filter, { limit: mostAlerts, before: null })
    return JSON.parse(items) as ReadonlyArray<ShownAlert>
  })

const incidentOf = (workspace: Person["workspace"], key: IncidentKey) =>
  Effect.map(
    Effect.flatMap(OnCallStore, (store) => store.incident(workspace, key)),
    (json) => JSON.parse(json) as Shown
  )

/** Refuses an unknown name; deleted services and sources keep their lists. */
const known = <A, E>(
  workspace: Person["workspace"],
  { items }: Listed<A>,
  kind: "services" | "sources",
  name: string | null,
  unknown: (name: string) => E
) =>
  Effect.gen(function* () {
    if (items.length > 0 || name === null) return
    const all = (yield* (yield* OnCallStore).look(workspace))[kind]
    if (!all.some((one) => one.name.toLowerCase() === name.toLowerCase())) return yield* Effect.fail(unknown(name))
  })

const IncidentStatus = Schema.Literal("open", "resolved")
const AlertStatus = Schema.Literal("firing", "resolved")

const spotOf = (service: string | null, environment: string | null) =>
  [service ?? "no service", ...(environment === null ? [] : [environment])].join(" in ")

const incidentLine = ({
  acknowledgedBy,
  alerts,
  environment,
  key,
  openedAt,
  service,
  severity,
  status,
  title
}: Shown) =>
  row([
    key,
    status === "open" && acknowledgedBy !== null ? `open, ${acknowledgedBy} looks after it` : status,
    severity,
    spotOf(service, environment),
    `${alerts} ${alerts === 1 ? "alert" : "alerts"}`,
    openedAt,
    title
  ])

const cause = ({ decision, runKey, storyKey, summary }: NonNullable<Shown["investigation"]>) =>
  [
    `          ${flat(summary)}`,
    ...(decision === null ? [] : [`${decision} asks about it.`]),
    ...(storyKey === null ? [] : [`The fix is ${storyKey}${runKey === null ? "" : ` (${runKey})`}.`])
  ].join(" ")

const alertLine = (alert: ShownAlert) => {
  const { environment, explanation, lastSeenAt, service, severity, source, stale, status, title } = alert
  const first = row([
    stale ? "firing, stale" : status,
    severity,
    source,
    spotOf(service, environment),
    lastSeenAt,
    title
  ])
  return `${first}\n          ${alert.incident ?? "no incident"}: ${flat(explanation)}`
}

const list = personalList(
  "list",
  "List incidents, newest first",
  {
    status: Options.optional(oneOf("status", IncidentStatus, "Only incidents with this status")),
    service: Options.optional(line("service", "Only those of the service of this name")),
    since: Options.optional(moment("since", "Only those that opened then or later")),
    ...paged
  },
  ({ workspace }, { since, service, status, ...asked }) =>
    Effect.gen(function* () {
      const store = yield* OnCallStore
      const filter = {
        status: Option.getOrNull(status),
        service: Option.getOrNull(service),
        since: Option.getOrNull(since)
      }
      const page = yield* pageOf<IncidentView, Shown, never, never>(
        { workspace, list: "incidents", filters: { ...filter, since: formatOrNull(filter.since) } },
        asked,
        (request) => store.incidentPage(workspace, filter, request)
      )
      yield* known(workspace, page, "services", filter.service, (service) => new ServiceUnknown({ service }))
      return page
    }),
  "No incidents.",
  (incidents) => incidents.map(incidentLine)
)

const show = personalVerb(
  "show",
  "Show an incident with its alerts",
  { incident },
  ({ workspace }, input) =>
    Effect.gen(function* () {
      const found = yield* incidentOf(workspace, input.incident)
      return { ...found, alertList: yield* alertsOf(workspace, input.incident) }
    }),
  ({ alertList, ...found }) =>
    [
      incidentLine(found),
      ...(found.investigation === null ? [] : [cause(found.investigation)]),
      ...alertList.map(alertLine)
    ].join("\n")
)

const acknowledge = personalVerb(
  "acknowledge",
  "Say that you look after an incident",
  { incident },
  (person, input) =>
    Effect.zipRight(Incidents.acknowledge(person, input.incident), incidentOf(person.workspace, input.incident)),
  ({ acknowledgedBy, key }) => `${acknowledgedBy} looks after ${key}.`
)

const resolve = personalVerb(
  "resolve",
  "Resolve an incident by hand: its alerts are over too",
  { incident },
  (person, input) =>
    Effect.zipRight(Incidents.resolve(person, input.incident), incidentOf(person.workspace, input.incident)),
  ({ key }) => `Resolved ${key}.`
)

export const incidentCommand = Command.make("incident").pipe(
  Command.withDescription("List, show, acknowledge and resolve incidents"),
  Command.withSubcommands([list, show, acknowledge, resolve])
)

const listAlerts = personalList(
  "list",
  "List alerts with why they are in an incident or are not, newest first",
  {
    incident: Options.optional(incident),
    source: Options.optional(line("source", "Only those of the signal source of this name")),
    status: Options.optional(oneOf("status", AlertStatus, "Only alerts with this status")),
    ...paged
  },
  ({ workspace }, { incident, source, status, ...asked }) =>
    Effect.gen(function* () {
      const store = yield* OnCallStore
      const filter = {
        incident: Option.getOrNull(incident),
        source: Option.getOrNull(source),
        status: Option.getOrNull(status)
      }
      const page = yield* pageOf<AlertView, ShownAlert, never, never>(
        { workspace, list: "alerts", filters: filter },
        asked,
        (request) => store.alertPage(workspace, filter, request)
      )
      if (page.items.length === 0 && filter.incident !== null) yield* incidentOf(workspace, filter.incident)
      yield* known(workspace, page, "sources", filter.source, (source) => new SourceUnknown({ source }))
      return page
    }),
  "No alerts.",
  (alerts) => alerts.map(alertLine)
)

export const alertCommand = Command.make("alert").pipe(
  Command.withDescription("List alerts"),
  Command.withSubcommands([listAlerts])
)
