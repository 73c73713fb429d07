import { Effect } from "effect"
import type { Person } from "../../application/workspace/Authorization.ts"
import type { OnCall } from "../../domain/oncall/commands/OnCallContext.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import type { Service } from "../../domain/oncall/Service.ts"
import type { SignalSource } from "../../domain/oncall/SignalSource.ts"
import { program } from "./Wording.ts"

/** A tool whose steps do not contain our secret generates its own. */
export const isOurs = (secret: string, setup: ReadonlyArray<string>): boolean =>
  setup.some((step) => step.includes(secret) || step.includes(encodeURIComponent(secret)))

const quoted = (word: string) => (/^[\w@.+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** A command to paste. */
const commandOf = (person: Person, { members }: OnCall, verb: string, rest: string): string => {
  const email = members.find(({ id }) => id === person.member.id)?.email ?? ""
  return `  ${program} ${verb} --workspace ${person.workspaceSlug} --as ${quoted(email)} ${rest}`
}

const hoursOf = ({ settings: { hours } }: Service): string =>
  hours === "always"
    ? "at any hour"
    : `${hours.days.join(", ")} from ${hours.start} to ${hours.end} (${hours.timeZone})`

const recipientsOf = ({ settings, team }: Service, { places }: OnCall): ReadonlyArray<string> => [
  ...settings.notify,
  ...places
    .filter((place) => place.team === team && (settings.places === null || settings.places.includes(place.name)))
    .map(({ name }) => `the place ${name}`)
]

/** The alerts of a service that page, and their recipients. */
const pagesOf = (person: Person, service: Service, at: OnCall): ReadonlyArray<string> => {
  const recipients = recipientsOf(service, at)
  const rule = `Alerts of ${service.name} open an incident from ${service.settings.minimumSeverity} on, ${hoursOf(service)}.`
  if (recipients.length > 0) return [`${rule} Notified: ${recipients.join(", ")}.`]
  const settings = `--name ${quoted(service.name)} --settings '{"notify":["you@example.com"]}'`
  return [
    `${rule} WARNING: nobody is notified. Name members of the workspace:`,
    commandOf(person, at, "service set", settings)
  ]
}

const plainHttp =
  "WARNING: the address is plain http. Most tools post to https only, and secrets would travel in the clear: put a proxy in front, and set PUBLIC_URL or SIGNAL_WEBHOOK_URL to its https address."

/** Steps to set up a tool, to hand over a secret the tool generated, and the alerts that will page. */
export const setupSteps = (
  person: Person,
  source: SignalSource,
  { secret, setup, url }: { readonly url: string; readonly secret: string; readonly setup: ReadonlyArray<string> }
) =>
  Effect.map(
    Effect.flatMap(OnCallStore, (store) => store.look(person.workspace)),
    (at): ReadonlyArray<string> => {
      const name = `--name ${quoted(source.name)}`
      const fed = at.services.filter(({ deletedAt, id }) => deletedAt === null && source.services.includes(id))
      return [
        ...(url.startsWith("http://") ? [plainHttp, ""] : []),
        ...setup,
        "",
        ...(isOurs(secret, setup)
          ? []
          : [
              "Once the tool shows its own secret, write it into a file and hand it over:",
              commandOf(person, at, "source secret", `${name} --secret-stdin < secret.txt`),
              ""
            ]),
        ...fed.flatMap((service) => pagesOf(person, service, at)),
        ...(fed.length === 0 ? ["WARNING: it feeds no service, so none of its alerts opens an incident."] : []),
        "A severity that is not known is read as medium; map words of your own:",
        commandOf(person, at, "source set", `${name} --severity page=critical`)
      ]
    }
  )
