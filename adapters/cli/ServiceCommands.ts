import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Schema } from "effect"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Services from "../../application/Services.ts"
import { OnCallSettings, type Service } from "../../domain/Service.ts"
import { format, formatOrNull } from "../../domain/Timestamp.ts"
import { confirmName, line, team } from "./Given.ts"
import * as ServiceSettings from "./ServiceSettings.ts"
import { personalVerb } from "./Verb.ts"

const encode = Schema.encodeSync(OnCallSettings)

const shown = ({ createdAt, id, name, settings, team, updatedAt }: Service) => ({
  id,
  name,
  team,
  settings: encode(settings),
  createdAt: format(createdAt),
  updatedAt: formatOrNull(updatedAt)
})

type Shown = ReturnType<typeof shown>

const hoursOf = (hours: Shown["settings"]["hours"]) => {
  if (hours === undefined || hours === "always") return "always"
  return `${hours.days.join(", ")} ${hours.start} to ${hours.end} ${hours.timeZone}`
}

const onOff = (isOn: boolean | undefined) => (isOn === true ? "on" : "off")

const page = ({ name, settings, team }: Shown) =>
  [
    `${name} of the team ${team}`,
    `  Observe only             ${onOff(settings.observeOnly)}`,
    `  Start fixes on its own   ${onOff(settings.startFixes)}`,
    `  Acknowledge in source    ${onOff(settings.acknowledgeInSource)}`,
    `  Opens incidents from     ${settings.minimumSeverity}`,
    `  On-call hours            ${hoursOf(settings.hours)}`,
    `  Notified                 ${settings.notify?.join(", ") || "nobody"}`,
    `  Incidents are posted to  ${settings.places?.join(", ") ?? "every place of the team"}`
  ].join("\n")

const name = line("name", "Name of the service")

const create = personalVerb(
  "create",
  "Create a service: something a team runs, which alerts are about",
  { team, name },
  (person, input) => Effect.map(Services.create(person, input), shown),
  ({ name, team }) => `Created the service ${name} of the team ${team}. A signal source that feeds it opens incidents.`
)

const set = personalVerb(
  "set",
  "Change how a service behaves on call; what is not named stays",
  {
    name,
    settings: Options.text("settings").pipe(
      Options.withPseudoName("JSON"),
      Options.withDescription(`Any of ${Object.keys(OnCallSettings.fields).join(", ")}`),
      Options.mapEffect(ServiceSettings.read)
    )
  },
  (person, { name, settings }) => Effect.map(Services.set(person, name, settings), shown),
  page
)

const list = personalVerb(
  "list",
  "List services with their on-call settings, by name",
  {},
  ({ workspace }) =>
    Effect.gen(function* () {
      const { services } = yield* (yield* OnCallStore).look(workspace)
      return services.filter(({ deletedAt }) => deletedAt === null).map(shown)
    }),
  (services) =>
    services.length === 0
      ? "No services."
      : services
          .map(({ name, settings, team }) =>
            [
              name,
              team,
              `from ${settings.minimumSeverity}`,
              hoursOf(settings.hours),
              ...(settings.observeOnly === true ? ["observe only"] : [])
            ].join("  ")
          )
          .join("\n")
)

const show = personalVerb(
  "show",
  "Show a service with its on-call settings",
  { name },
  ({ workspace }, { name }) =>
    Effect.gen(function* () {
      const { services } = yield* (yield* OnCallStore).look(workspace)
      return shown(yield* Services.serviceNamed(services, name))
    }),
  page
)

const remove = personalVerb(
  "delete",
  "Delete a service: its open incidents are resolved; rows and audit stay",
  { name, confirm: confirmName },
  (person, { confirm, name }) =>
    Effect.map(Services.remove(person, name, confirm), ({ name }) => ({ name, deleted: true })),
  ({ name }) => `Deleted the service ${name}.`
)

export const serviceCommand = Command.make("service").pipe(
  Command.withDescription("Create, set up, show, list and delete services"),
  Command.withSubcommands([create, set, show, list, remove])
)
