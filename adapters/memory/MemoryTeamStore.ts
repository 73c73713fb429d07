import { Effect, Layer } from "effect"
import * as Json from "../../application/Json.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import { type Team, TeamNotFound, type TeamSlug, TeamView, view } from "../../domain/Team.ts"
import { State, type Tenant } from "./State.ts"

const encode = Json.encoder(TeamView)

/** Code point order and ASCII case, as Postgres' "C" collation has them. */
const order = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

export const present = (tenant: Tenant | undefined, slug: TeamSlug): Effect.Effect<Team, TeamNotFound> => {
  const team = tenant?.teams.get(slug)
  return team === undefined || team.deletedAt !== null ? new TeamNotFound({ team: slug }) : Effect.succeed(team)
}

export const layer = Layer.effect(
  TeamStore,
  Effect.map(State, (state) =>
    TeamStore.of({
      list: (workspace) =>
        Effect.sync(() =>
          [...(state.get(workspace)?.teams.values() ?? [])]
            .filter((team) => team.deletedAt === null)
            .sort((a, b) => order(lower(a.name), lower(b.name)) || order(a.slug, b.slug))
            .map((team) => encode(view(team)))
        ),
      get: (workspace, slug) =>
        Effect.suspend(() => Effect.map(present(state.get(workspace), slug), (team) => encode(view(team))))
    })
  )
)
