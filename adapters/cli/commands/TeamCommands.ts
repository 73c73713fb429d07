import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Schema, Struct } from "effect"
import { TeamStore } from "../../../application/ports/TeamStore.ts"
import * as Teams from "../../../application/work/Teams.ts"
import * as Authorization from "../../../application/workspace/Authorization.ts"
import * as Workspaces from "../../../application/workspace/Workspaces.ts"
import * as Policy from "../../../domain/workspace/Policy.ts"
import { KeyPrefix, Team, TeamSlug, type TeamView } from "../../../domain/workspace/Team.ts"
import { Line } from "../../../domain/value/Text.ts"
import { columns, flat, paragraphs, section, time } from "../Columns.ts"
import { confirm, newName, oneOf, option, options, team, text, usage, workspace } from "../Options.ts"
import { complete, personalList } from "../Paging.ts"
import { named } from "../OptionErrors.ts"
import { placeCommand } from "./PlaceCommands.ts"
import { maybeAs, personalVerb, verb, who } from "../Command.ts"
import { presetWords } from "../Wording.ts"

const encode = Schema.encodeSync(Team)

const wholeOf = (team: typeof Team.Encoded) => Struct.omit(team, "deletedAt")

const shown = (team: Team) => wholeOf(encode(team))

const create = personalVerb(
  "create",
  "Create a team",
  {
    slug: option("slug", TeamSlug, "lowercase words joined by hyphens", {
      description: "Slug of the team, such as payments",
      placeholder: "SLUG"
    }),
    name: newName("name", "Name of the team"),
    keyPrefix: option("key-prefix", KeyPrefix, "1 to 10 of A-Z and 0-9, a letter first", {
      description: "What its story keys begin with, such as PAY",
      placeholder: "PREFIX"
    }),
    description: Options.optional(text("description", "What the team is for")),
    preset: oneOf("preset", Policy.Preset, "The policy it begins with; default: standard").pipe(
      Options.withDefault("standard" as const)
    )
  },
  (person, { description, ...input }) =>
    Effect.map(named(Teams.create(person, { ...input, description: Option.getOrNull(description) })), shown),
  ({ keyPrefix, slug }) => `Created team ${slug}; its stories are ${keyPrefix}-1 and so on.`
)

const pause = personalVerb(
  "pause",
  "Pause a team: it starts no new work, running work finishes",
  { team },
  (person, input) => Effect.map(Teams.pause(person, input.team), shown),
  ({ slug }) => `Paused ${slug}.`
)

const resume = personalVerb(
  "resume",
  "Resume a team: it takes Ready stories again",
  { team },
  (person, input) => Effect.map(Teams.resume(person, input.team), shown),
  ({ slug }) => `Resumed ${slug}.`
)

const remove = personalVerb(
  "delete",
  "Delete a team: its runs stop, its pending decisions are cancelled; rows and audit stay",
  { team, confirm },
  (person, { confirm, team }) => Effect.as(Teams.remove(person, team, confirm), { slug: team, deleted: true }),
  ({ slug }) => `Deleted team ${slug}.`
)

const list = personalList(
  "list",
  "List all teams, by name",
  {},
  ({ workspace }) =>
    Effect.map(
      Effect.flatMap(TeamStore, (store) => store.list(workspace)),
      (json) => complete(JSON.parse(json) as ReadonlyArray<typeof TeamView.Encoded>)
    ),
  "No teams.",
  (teams) =>
    columns(
      teams.map(({ keyPrefix, name, paused, policy, slug }) => [
        slug,
        keyPrefix,
        paused ? "paused" : "active",
        policy === null ? "no policy" : presetWords(policy),
        name
      ])
    )
)

/** The tracker's project, such as `github:acme/pay`. */
const projectOf = (tracker: typeof Team.Encoded.trackerProject) =>
  tracker === null ? "none" : `${tracker.platform}:${tracker.project}`

const page = (team: ReturnType<typeof wholeOf>) =>
  [
    `${team.slug}: ${flat(team.name)}`,
    ...columns([
      ["  Stories", `${team.keyPrefix}-1 and so on`],
      ["  State", team.pausedAt === null ? "active" : `paused since ${time(team.pausedAt)}`],
      [
        "  Policy",
        team.policy === null
          ? "none; the rules of guarded hold"
          : `${presetWords(team.policy)}, version ${team.policy.version}`
      ],
      ["  Tracker", projectOf(team.trackerProject)],
      ["  Repositories", team.repositories.join(", ") || "none"],
      ["  Created", time(team.createdAt)]
    ]),
    ...section("Description", paragraphs(team.description))
  ].join("\n")

const show = personalVerb(
  "show",
  "Show a team with its tracker, its repositories and its policy",
  { team },
  ({ workspace }, input) =>
    Effect.map(
      Effect.flatMap(TeamStore, (store) => store.whole(workspace, input.team)),
      (json) => wholeOf(JSON.parse(json) as typeof Team.Encoded)
    ),
  page
)

const set = verb(
  "set",
  "Bind a team to repositories; 'tracker bind' sets its tracker",
  {
    workspace,
    as: maybeAs,
    team,
    repositories: options("repository", Line(500), "text of 1 to 500 characters", {
      description:
        "Address of a repository; replaces the current list; may be given several times. Without --as, also a path on this machine"
    })
  },
  ({ as, repositories, team, workspace }) =>
    Effect.gen(function* () {
      if (repositories.length === 0) return yield* Effect.fail(usage("There is nothing to change: give --repository"))
      const by = yield* who(workspace, as)
      const owner = Authorization.isPerson(by) ? by : { workspace: yield* Workspaces.idOf(workspace) }
      return shown(yield* Teams.set(owner, team, { repositories }))
    }),
  ({ repositories, slug }) => `${slug} is bound to the repositories ${repositories.join(", ") || "none"}.`
)

export const teamCommand = Command.make("team").pipe(
  Command.withDescription(
    "Create, list, show, set up, pause, resume and delete teams, and say where incidents are posted"
  ),
  Command.withSubcommands([create, list, show, set, pause, resume, remove, placeCommand])
)
