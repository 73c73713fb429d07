import { Effect, Schema } from "effect"
import type { Cursors } from "../../../../application/workspace/Cursors.ts"
import * as Listing from "../../../../application/workspace/Listing.ts"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import type { CodeHosts } from "../../../../application/ports/codehost/CodeHost.ts"
import * as Json from "../../../../application/ports/Json.ts"
import { Board, BoardStory, StoryStore } from "../../../../application/ports/StoryStore.ts"
import { TeamStore } from "../../../../application/ports/TeamStore.ts"
import * as Teams from "../../../../application/work/Teams.ts"
import { permit } from "../../../../application/workspace/Authorization.ts"
import { ofTeam } from "../../../../application/workspace/DeniedTarget.ts"
import { ColumnRole, columnOf } from "../../../../domain/work/Story.ts"
import { parseSlug, Team, TeamNotFound, TeamView } from "../../../../domain/workspace/Team.ts"
import type { Filled } from "../components/Form.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { may } from "../Rights.ts"
import { linesOf } from "../stories/StoryWords.ts"
import { BoardPage, ColumnPage } from "./BoardView.tsx"
import { PauseDialog, PausePage, SettingsPage, TeamList } from "./TeamViews.tsx"

const decodeTeams = Json.decoder(Schema.Array(TeamView))
const decodeTeam = Json.decoder(Team)
const decodeBoard = Json.decoder(Board)
const decodeStories = Json.decoder(Schema.Array(BoardStory))
const isColumn = Schema.is(ColumnRole)

/** Stories of a column on the board; the rest has a page of its own. */
const perColumn = 20
const perPage = 50

const list = ({ base, person }: Visit) =>
  Effect.map(
    Effect.flatMap(TeamStore, (store) => store.list(person.workspace)),
    (teams): View => ({
      title: "Teams",
      section: "teams",
      body: <TeamList base={base} teams={decodeTeams(teams)} mayCreate={may(person, "team create")} />
    })
  )

const slugOf = ({ parameters }: Visit) => {
  const { slug: team = "" } = parameters
  return Effect.mapError(parseSlug(team), () => new TeamNotFound({ team }))
}

/** The team that the path names, with everything that it has. */
export const teamOf = (visit: Visit) =>
  Effect.gen(function* () {
    const slug = yield* slugOf(visit)
    return decodeTeam(yield* (yield* TeamStore).whole(visit.person.workspace, slug))
  })

/** The board of a team; `refusal` says why a request changed nothing. */
export const boardView = Effect.fnUntraced(function* (visit: Visit, team: Team["slug"], refusal?: string) {
  const { base, person } = visit
  const [whole, board] = yield* Effect.all(
    [
      Effect.flatMap(TeamStore, (store) => store.whole(person.workspace, team)),
      Effect.flatMap(StoryStore, (store) => store.board(person.workspace, team, perColumn))
    ],
    { concurrency: 2 }
  )
  const decoded = decodeTeam(whole)
  const view: View = {
    title: decoded.name,
    section: "teams",
    team,
    status: refusal === undefined ? 200 : 409,
    body: (
      <>
        <BoardPage
          base={base}
          team={decoded}
          board={decodeBoard(board)}
          role={person.member.role}
          mayPause={may(person, "team pause")}
          maySet={may(person, "team set")}
          {...(refusal !== undefined && { refusal })}
        />
        {may(person, "team pause") ? <PauseDialog base={base} team={decoded} /> : null}
      </>
    )
  }
  return view
})

const board = (visit: Visit) => Effect.flatMap(slugOf(visit), (slug) => boardView(visit, slug))

const column = Effect.fnUntraced(function* (visit: Visit) {
  const { base, parameters, person, query } = visit
  const { column: role = "" } = parameters
  const team = yield* teamOf(visit)
  if (!isColumn(role)) return yield* new TeamNotFound({ team: `${team.slug}/${role}`.slice(0, 100) })
  const store = yield* StoryStore
  const { items, nextCursor } = yield* Listing.page(
    { workspace: person.workspace, list: "app column", filters: { team: team.slug, column: role } },
    { limit: perPage, cursor: query.get("cursor") },
    (request) => store.column(person.workspace, { team: team.slug, column: role }, request)
  )
  const view: View = {
    title: `${columnOf(role).name}: ${team.name}`,
    section: "teams",
    team: team.slug,
    body: (
      <ColumnPage
        base={base}
        team={team}
        column={role}
        role={person.member.role}
        stories={decodeStories(items)}
        nextCursor={nextCursor}
      />
    )
  }
  return view
})

const confirmPause = (visit: Visit) =>
  Effect.map(teamOf(visit), (team): View => ({
    title: `Pause ${team.name}?`,
    section: "teams",
    team: team.slug,
    body: <PausePage base={visit.base} team={team} />
  }))

const pause = (visit: Visit) =>
  Effect.gen(function* () {
    const slug = yield* slugOf(visit)
    const done = redirect(`${visit.base}/teams/${slug}`, "team-paused")
    return yield* Teams.pause(visit.person, slug).pipe(
      Effect.as(done),
      Effect.catchTag("TeamAlreadyPaused", () => Effect.succeed(done))
    )
  })

const resume = (visit: Visit) =>
  Effect.gen(function* () {
    const slug = yield* slugOf(visit)
    const done = redirect(`${visit.base}/teams/${slug}`, "team-resumed")
    return yield* Teams.resume(visit.person, slug).pipe(
      Effect.as(done),
      Effect.catchTag("TeamNotPaused", () => Effect.succeed(done))
    )
  })

const settingsView = ({ base }: Visit, team: Team, filled: Filled, status = 200): View => ({
  title: `Settings of ${team.name}`,
  section: "teams",
  team: team.slug,
  status,
  body: <SettingsPage base={base} team={team} filled={filled} />
})

const settings = (visit: Visit) =>
  Effect.gen(function* () {
    const team = yield* teamOf(visit)
    yield* permit(visit.person, "team set", ofTeam(visit.person, team.slug))
    return settingsView(visit, team, { values: { repositories: team.repositories.join("\n") }, errors: {} })
  })

const set = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, form, person } = visit
    const team = yield* teamOf(visit)
    yield* permit(person, "team set", ofTeam(person, team.slug))
    const values = { repositories: form.get("repositories") }
    const refused = (errors: Filled["errors"]) => Effect.succeed(settingsView(visit, team, { values, errors }, 400))
    const saved = redirect(`${base}/teams/${team.slug}`, "team-saved")
    return yield* Teams.set(person, team.slug, { repositories: linesOf(values.repositories) }).pipe(
      Effect.as(saved),
      Effect.catchTags({
        TeamUnchanged: () => Effect.succeed(saved),
        InvalidTeam: ({ problem }) => refused({ repositories: `An address ${problem}.` })
      })
    )
  })

type Needs = AuditLog | CodeHosts | Cursors | StoryStore | TeamStore

export const pages: ReadonlyArray<Page<Needs>> = [
  { path: "teams", get: list },
  { path: "teams/:slug", get: board },
  { path: "teams/:slug/columns/:column", get: column },
  { path: "teams/:slug/pause", get: confirmPause, post: pause },
  { path: "teams/:slug/resume", post: resume },
  { path: "teams/:slug/settings", get: settings, post: set }
]
