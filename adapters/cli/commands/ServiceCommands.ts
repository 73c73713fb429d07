import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Schema } from "effect"
import type { Person } from "../../../application/workspace/Authorization.ts"
import { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import * as Services from "../../../application/oncall/Services.ts"
import { serviceNamed } from "../../../domain/oncall/commands/ChangeService.ts"
import { type Channels, warnings } from "../../../domain/oncall/Reach.ts"
import { OnCallSettings, type Service } from "../../../domain/oncall/Service.ts"
import { format, formatOrNull } from "../../../domain/value/Timestamp.ts"
import * as Settings from "../../Settings.ts"
import { confirmName, line, newName, team } from "../Options.ts"
import { worded } from "../Wording.ts"
import * as ServiceSettings from "../ServiceSettings.ts"
import { complete, personalList } from "../Paging.ts"
import { personalVerb } from "../Command.ts"

const encode = Schema.encodeSync(OnCallSettings)

const shown = (service: Service, channels: Channels) => {
  const { createdAt, id, name, settings, team, updatedAt } = service
  return {
    id,
    name,
    team,
    settings: encode(settings),
    createdAt: format(createdAt),
    updatedAt: formatOrNull(updatedAt),
    warnings: warnings(service, channels).map(worded)
  }
}

type Shown = ReturnType<typeof shown>

const look = (workspace: Person["workspace"]) =>
  Effect.gen(function* () {
    const { members, places, services } = yield* (yield* OnCallStore).look(workspace)
    return { services, channels: { members, places, isMailSet: Option.isSome(yield* Settings.smtpUrl) } }
  })

const showing = ({ workspace }: Person, service: Service) =>
  Effect.map(look(workspace), ({ channels }) => shown(service, channels))

const warned = (text: string, { warnings: all }: Pick<Shown, "warnings">) =>
  [text, ...all.map((warning) => `Warning: ${warning}`)].join("\n")

const hoursOf = (hours: Shown["settings"]["hours"]) => {
  if (hours === undefined || hours === "always") return "always"
  return `${hours.days.join(", ")} ${hours.start} to ${hours.end} ${hours.timeZone}`
}

const onOff = (isOn: boolean | undefined) => (isOn === true ? "on" : "off")

const page = ({ name, settings, team, ...rest }: Shown) =>
  warned(
    [
      `${name} of the team ${team}`,
      `  Observe only             ${onOff(settings.observeOnly)}`,
      `  Start fixes on its own   ${onOff(settings.startFixes)}`,
      `  Acknowledge in source    ${onOff(settings.acknowledgeInSource)}`,
      `  Opens incidents from     ${settings.minimumSeverity}`,
      `  On-call hours            ${hoursOf(settings.hours)}`,
      `  Notified                 ${settings.notify?.join(", ") || "nobody"}`,
      `  Incidents are posted to  ${settings.places?.join(", ") ?? "every place of the team"}`
    ].join("\n"),
    rest
  )

const name = line("name", "Name of the service")

const create = personalVerb(
  "create",
  "Create a service: something a team runs, which alerts are about",
  { team, name: newName("name", "Name of the service") },
  (person, input) => Effect.flatMap(Services.create(person, input), (service) => showing(person, service)),
  ({ name, team, ...rest }) =>
    warned(`Created the service ${name} of the team ${team}. A signal source that feeds it opens incidents.`, rest)
)

const set = personalVerb(
  "set",
  "Change how a service behaves on call; other settings keep their values",
  {
    name,
    settings: Options.text("settings").pipe(
      Options.withPseudoName("JSON"),
      Options.withDescription(`Any of ${Object.keys(OnCallSettings.fields).join(", ")}`),
      Options.mapEffect(ServiceSettings.read)
    )
  },
  (person, { name, settings }) =>
    Effect.flatMap(Services.set(person, name, settings), (service) => showing(person, service)),
  page
)

const list = personalList(
  "list",
  "List services with their on-call settings, by name",
  {},
  ({ workspace }) =>
    Effect.map(look(workspace), ({ channels, services }) =>
      complete(services.filter(({ deletedAt }) => deletedAt === null).map((service) => shown(service, channels)))
    ),
  "No services.",
  (services) =>
    services.map(({ name, settings, team }) =>
      [
        name,
        team,
        `from ${settings.minimumSeverity}`,
        hoursOf(settings.hours),
        ...(settings.observeOnly === true ? ["observe only"] : [])
      ].join("  ")
    )
)

const show = personalVerb(
  "show",
  "Show a service with its on-call settings",
  { name },
  ({ workspace }, { name }) =>
    Effect.gen(function* () {
      const { channels, services } = yield* look(workspace)
      return shown(yield* serviceNamed(services, name), channels)
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
