import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Redacted } from "effect"
import * as Places from "../../../application/oncall/Places.ts"
import { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import { TeamStore } from "../../../application/ports/TeamStore.ts"
import { type Place, PlaceKind } from "../../../domain/oncall/Place.ts"
import { format } from "../../../domain/value/Timestamp.ts"
import { line, newName, oneOf, team, usage } from "../Options.ts"
import { complete, personalList } from "../Paging.ts"
import { secretLine } from "../Stdin.ts"
import { personalVerb } from "../Command.ts"
import { parseUrl } from "../../../domain/value/Text.ts"

const shown = ({ createdAt, kind, name, team }: Place) => ({ team, name, kind, createdAt: format(createdAt) })

const longest = 2000

const isAllowed = (text: string) => {
  const url = parseUrl(text)
  if (text.length > longest || url === null) return false
  const { hostname, protocol } = url
  return protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname))
}

/** The address alone allows posting, so an error repeats its origin at most. */
const originOf = (text: string) => {
  const url = parseUrl(text)
  if (url === null) return `${text.length} characters that are no address`
  return `'${url.protocol}//${url.host}${text.length > longest ? `/…', ${text.length} characters` : "/…'"}`
}

const checked = (option: string) => (address: Redacted.Redacted) =>
  isAllowed(Redacted.value(address))
    ? Effect.succeed(address)
    : Effect.fail(
        usage(
          `--${option} must be an https address of at most ${longest} characters, or an http one of localhost; got ${originOf(Redacted.value(address))}`
        )
      )

const url = Options.redacted("url").pipe(
  Options.withPseudoName("URL"),
  Options.withDescription("The chat tool's webhook address; it is a secret, so --url-stdin is better"),
  Options.mapEffect(checked("url"))
)

const addressOf = (given: Option.Option<Redacted.Redacted>, isPiped: boolean) => {
  if (isPiped === Option.isSome(given))
    return Effect.fail(usage("Give the address of the chat tool's webhook with one of --url-stdin and --url"))
  return Option.match(given, {
    onNone: () => Effect.flatMap(secretLine("url-stdin", longest), checked("url-stdin")),
    onSome: Effect.succeed
  })
}

const name = line("name", "Name of the place, such as oncall-chat")

const add = personalVerb(
  "add",
  "Add a place of a chat tool where a team's incidents are posted",
  {
    team,
    name: newName("name", "Name of the place, such as oncall-chat"),
    kind: Options.withDefault(oneOf("kind", PlaceKind, "Kind of place"), "webhook"),
    url: Options.optional(url),
    urlStdin: Options.boolean("url-stdin").pipe(
      Options.withDescription("Reads the chat tool's webhook address from standard input")
    )
  },
  (person, { kind, name, team, url, urlStdin }) =>
    Effect.gen(function* () {
      const address = yield* addressOf(url, urlStdin)
      return shown(yield* Places.add(person, { team, name, kind, address }))
    }),
  ({ name, team }) => `Added the place ${name} of the team ${team}.`
)

const remove = personalVerb(
  "remove",
  "Remove a place: nothing is posted there any more",
  { team, name },
  (person, { name, team }) =>
    Effect.gen(function* () {
      yield* (yield* TeamStore).get(person.workspace, team)
      yield* Places.remove(person, team, name)
      return { team, name, removed: true }
    }),
  ({ name, team }) => `Removed the place ${name} of the team ${team}.`
)

const list = personalList(
  "list",
  "List a team's places, without their addresses",
  { team },
  ({ workspace }, { team }) =>
    Effect.gen(function* () {
      yield* (yield* TeamStore).get(workspace, team)
      const { places } = yield* (yield* OnCallStore).look(workspace)
      return complete(places.filter((place) => place.team === team).map(shown))
    }),
  "No places.",
  (places) => places.map(({ createdAt, kind, name }) => [name, kind, createdAt].join("  "))
)

export const placeCommand = Command.make("place").pipe(
  Command.withDescription("Say where a team's incidents are posted"),
  Command.withSubcommands([add, remove, list])
)
