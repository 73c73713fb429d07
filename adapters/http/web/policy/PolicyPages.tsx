import { Effect, Either, Option, Schema } from "effect"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import * as Json from "../../../../application/ports/Json.ts"
import { TeamStore } from "../../../../application/ports/TeamStore.ts"
import * as Teams from "../../../../application/work/Teams.ts"
import { permit } from "../../../../application/workspace/Authorization.ts"
import * as DeniedTarget from "../../../../application/workspace/DeniedTarget.ts"
import { settingsOf } from "../../../../domain/work/DecisionTriggers.ts"
import { Preset, presets, type Settings } from "../../../../domain/workspace/Policy.ts"
import * as SetPolicy from "../../../../domain/workspace/SetPolicy.ts"
import { parseSlug, Team, TeamNotFound, TeamView } from "../../../../domain/workspace/Team.ts"
import { type Filled, unfilled } from "../components/Form.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { read, valuesOf } from "./PolicyForm.ts"
import { DeletePage, PreviewPage } from "./PolicyQuestions.tsx"
import { PoliciesPage, PolicyPage } from "./PolicyViews.tsx"
import { differences } from "./PolicyWords.ts"

const teamsOf = Json.decoder(Schema.Array(TeamView))
const teamOf = Json.decoder(Team)

const list = ({ base, person }: Visit) =>
  Effect.map(
    Effect.flatMap(TeamStore, (store) => store.list(person.workspace)),
    (json): View => ({
      title: "Policies",
      section: "settings",
      body: <PoliciesPage base={base} teams={teamsOf(json)} />
    })
  )

const named = ({ parameters, person }: Visit) =>
  Effect.gen(function* () {
    const { team = "" } = parameters
    const slug = yield* Effect.mapError(parseSlug(team), () => new TeamNotFound({ team }))
    return teamOf(yield* (yield* TeamStore).whole(person.workspace, slug))
  })

const shown = (visit: Visit, team: Team, filled: Filled, status = 200, isStale = false): View => ({
  title: `Policy of ${team.name}`,
  section: "settings",
  status,
  body: (
    <PolicyPage
      base={visit.base}
      role={visit.person.member.role}
      team={team}
      settings={settingsOf(team.policy)}
      filled={filled}
      isStale={isStale}
    />
  )
})

/** The values that hold, or those of a preset that the reader looks at. */
const page = (visit: Visit) =>
  Effect.map(named(visit), (team) => {
    const now = settingsOf(team.policy)
    const chosen = Option.getOrNull(Schema.decodeUnknownOption(Preset)(visit.query.get("preset")))
    const [preset, of]: readonly [Preset, Settings] =
      chosen === null
        ? [team.policy?.preset ?? SetPolicy.startingPreset, now]
        : [chosen, { ...presets[chosen], deniedPaths: now.deniedPaths }]
    return shown(visit, team, { values: valuesOf(preset, of), errors: {} })
  })

/** Shows the difference first; the button below it saves what was shown, unless the policy changed meanwhile. */
const change = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, form, person, reader } = visit
    const team = yield* named(visit)
    const { slug } = team
    yield* permit(person, "policy set", DeniedTarget.ofTeam(person, slug, "policy"))
    const asked = read(form)
    if (Either.isLeft(asked)) return shown(visit, team, asked.left, 400)
    const next = yield* SetPolicy.setPolicy(team.policy, asked.right, reader.now)
    const filled: Filled = { values: valuesOf(next.preset, next), errors: {} }
    const version = team.policy?.version ?? 0
    if (form.get("version") !== String(version)) return shown(visit, team, filled, 409, true)
    if (form.get("step") === "save")
      return yield* Teams.setPolicy(person, slug, asked.right, version).pipe(
        Effect.as(redirect(`${base}/settings/policy/${slug}`, "policy-saved")),
        Effect.catchTag("PolicyChangedMeanwhile", () =>
          Effect.map(named(visit), (present) => shown(visit, present, filled, 409, true))
        )
      )
    const view: View = {
      title: `Change the policy of ${team.name}?`,
      section: "settings",
      body: (
        <PreviewPage
          base={base}
          team={team}
          filled={filled}
          next={next}
          differences={differences(settingsOf(team.policy), next)}
        />
      )
    }
    return view
  })

const deletion = (visit: Visit, team: Team, filled: Filled = unfilled, status = 200): View => ({
  title: `Delete the team ${team.name}?`,
  section: "settings",
  status,
  body: <DeletePage base={visit.base} role={visit.person.member.role} team={team} filled={filled} />
})

const remove = (visit: Visit) =>
  Effect.flatMap(named(visit), (team) => {
    const given = visit.form.get("confirm").trim()
    return Teams.remove(visit.person, team.slug, given).pipe(
      Effect.as(redirect(`${visit.base}/settings/policy`, "team-deleted")),
      Effect.catchTag("NotConfirmed", () => {
        const errors = { confirm: `Type ${team.slug} exactly. Nothing was deleted.` }
        return Effect.succeed(deletion(visit, team, { values: { confirm: given }, errors }, 400))
      })
    )
  })

export const pages: ReadonlyArray<Page<AuditLog | TeamStore>> = [
  { path: "settings/policy", get: list },
  { path: "settings/policy/:team", get: page, post: change },
  {
    path: "settings/policy/:team/delete",
    get: (visit) => Effect.map(named(visit), (team) => deletion(visit, team)),
    post: remove
  }
]
