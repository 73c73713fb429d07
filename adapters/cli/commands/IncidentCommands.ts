import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import type { Person } from "../../../application/workspace/Authorization.ts"
import * as Incidents from "../../../application/oncall/Incidents.ts"
import { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import type { AlertView } from "../../../domain/oncall/Alert.ts"
import { IncidentNotFound, type IncidentView } from "../../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import { incident } from "../Options.ts"
import { personalVerb } from "../Command.ts"

type Shown = typeof IncidentView.Encoded
type ShownAlert = typeof AlertView.Encoded

const incidentsOf = (workspace: Person["workspace"]) =>
  Effect.gen(function* () {
    const items = yield* (yield* OnCallStore).incidents(workspace)
    return items.map((item) => JSON.parse(item) as Shown)
  })

const alertsOf = (workspace: Person["workspace"], incident: IncidentKey | null) =>
  Effect.gen(function* () {
    const items = yield* (yield* OnCallStore).alerts(workspace, incident)
    return items.map((item) => JSON.parse(item) as ShownAlert)
  })

const incidentOf = (workspace: Person["workspace"], key: IncidentKey) =>
  Effect.flatMap(incidentsOf(workspace), (all) => {
    const found = all.find((one) => one.key === key)
    return found === undefined ? new IncidentNotFound({ incident: key }) : Effect.succeed(found)
  })

const spotOf = (service: string | null, environment: string | null) =>
  [service ?? "no service", ...(environment === null ? [] : [environment])].join(" in ")

const line = ({ acknowledgedBy, alerts, environment, key, openedAt, service, severity, status, title }: Shown) =>
  [
    key,
    status === "open" && acknowledgedBy !== null ? `open, ${acknowledgedBy} looks after it` : status,
    severity,
    spotOf(service, environment),
    `${alerts} ${alerts === 1 ? "alert" : "alerts"}`,
    openedAt,
    title
  ].join("  ")

const cause = ({ decision, runKey, storyKey, summary }: NonNullable<Shown["investigation"]>) =>
  [
    `          ${summary}`,
    ...(decision === null ? [] : [`${decision} asks about it.`]),
    ...(storyKey === null ? [] : [`The fix is ${storyKey}${runKey === null ? "" : ` (${runKey})`}.`])
  ].join(" ")

const alertLine = (alert: ShownAlert) => {
  const { environment, explanation, lastSeenAt, service, severity, source, stale, status, title } = alert
  const first = [
    stale ? "firing, stale" : status,
    severity,
    source,
    spotOf(service, environment),
    lastSeenAt,
    title
  ].join("  ")
  return `${first}\n          ${alert.incident ?? "no incident"}: ${explanation}`
}

const list = personalVerb(
  "list",
  "List incidents, newest first",
  {},
  ({ workspace }) => incidentsOf(workspace),
  (incidents) => (incidents.length === 0 ? "No incidents." : incidents.map(line).join("\n"))
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
      line(found),
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

const listAlerts = personalVerb(
  "list",
  "List alerts with why they are in an incident or are not, newest first",
  { incident: Options.optional(incident) },
  ({ workspace }, input) =>
    Effect.gen(function* () {
      if (Option.isSome(input.incident)) yield* incidentOf(workspace, input.incident.value)
      return yield* alertsOf(workspace, Option.getOrNull(input.incident))
    }),
  (alerts) => (alerts.length === 0 ? "No alerts." : alerts.map(alertLine).join("\n"))
)

export const alertCommand = Command.make("alert").pipe(
  Command.withDescription("List alerts"),
  Command.withSubcommands([listAlerts])
)
