import { Effect, Either } from "effect"
import * as Connections from "../../../../application/codehost/Connections.ts"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import type { ConnectionStore } from "../../../../application/ports/connection/ConnectionStore.ts"
import type { TeamStore } from "../../../../application/ports/TeamStore.ts"
import type { TrackerStore } from "../../../../application/ports/tracker/TrackerStore.ts"
import * as Bindings from "../../../../application/work/tracker/Bindings.ts"
import { permit } from "../../../../application/workspace/Authorization.ts"
import * as DeniedTarget from "../../../../application/workspace/DeniedTarget.ts"
import { usualMapping } from "../../../../domain/tracker/Mapping.ts"
import * as MappingText from "../../../../domain/tracker/MappingText.ts"
import { TeamNotBound } from "../../../../domain/tracker/Binding.ts"
import type { Filled } from "../components/Form.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { may } from "../Rights.ts"
import { teamOf } from "./TeamPages.tsx"
import type { Checked, TrackerShown } from "./TrackerForm.tsx"
import { TrackerPage, UnbindPage } from "./TrackerViews.tsx"

const shownOf = Effect.fnUntraced(function* (visit: Visit) {
  const { base, person } = visit
  const team = yield* teamOf(visit)
  const [states, connections] = yield* Effect.all([Bindings.list(person), Connections.list(person)])
  const state = states.find(({ binding }) => binding.team === team.slug) ?? null
  return { base, team, state, connections, isAdmin: may(person, "tracker bind") }
})

/** The form as it begins: the present binding, or the project that the team names. */
const present = ({ connections, state, team }: Pick<TrackerShown, "connections" | "state" | "team">): Filled => ({
  values: {
    connection: connections.find(({ id }) => id === state?.binding.connection)?.name ?? connections[0]?.name ?? "",
    project: state?.binding.project ?? team.trackerProject?.project ?? "",
    ...MappingText.print(state?.binding.mapping ?? usualMapping)
  },
  errors: {}
})

const view = (visit: Visit, more: { readonly filled?: Filled; readonly checked?: Checked } = {}, status = 200) =>
  Effect.map(shownOf(visit), (shown): View => {
    const { filled = present(shown), checked = null } = more
    return {
      title: `Tracker of ${shown.team.name}`,
      section: "teams",
      team: shown.team.slug,
      status,
      body: <TrackerPage {...shown} filled={filled} checked={checked} />
    }
  })

const names = ["connection", "project", "columns", "sizes", "classes", "only", "board"] as const

/** Shows what binding would bring, or binds; the form names its step. */
const submit = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, form, person } = visit
    const team = yield* teamOf(visit)
    const isBinding = form.get("step") === "bind"
    yield* permit(person, isBinding ? "tracker bind" : "tracker check", DeniedTarget.ofTeam(person, team.slug))
    const values: Filled["values"] = Object.fromEntries(names.map((name) => [name, form.get(name)]))
    const { board = "", classes = "", columns = "", connection = "", only = "", sizes = "" } = values
    const project = (values["project"] ?? "").trim()
    const mapping = MappingText.parse({ board, classes, columns, only, sizes })
    const refused = (errors: Filled["errors"], status = 400) => view(visit, { filled: { values, errors } }, status)
    if (project === "" || Either.isLeft(mapping))
      return yield* refused({
        ...(project === "" && { project: "Enter the project, such as acme/payments." }),
        ...(Either.isLeft(mapping) && { [mapping.left.field]: `${mapping.left.problem}.` })
      })
    const input = { team: team.slug, connection, project, mapping: mapping.right }
    return yield* Effect.gen(function* () {
      if (!isBinding)
        return yield* view(visit, { filled: { values, errors: {} }, checked: yield* Bindings.check(person, input) })
      yield* Bindings.bind(person, input)
      return redirect(`${base}/teams/${team.slug}/tracker`, "tracker-bound")
    }).pipe(
      Effect.catchTags({
        ConnectionNotFound: () => refused({ connection: "Choose one of the connections." }),
        InvalidBinding: ({ message }) => refused({ project: message }),
        ProjectTaken: ({ message }) => refused({ project: message }, 409)
      })
    )
  })

const bound = (visit: Visit) =>
  Effect.gen(function* () {
    const { state, ...shown } = yield* shownOf(visit)
    return state === null ? yield* new TeamNotBound({ team: shown.team.slug }) : { ...shown, state }
  })

const confirm = (visit: Visit) =>
  Effect.map(bound(visit), (shown): View => ({
    title: `Unbind ${shown.team.name}?`,
    section: "teams",
    team: shown.team.slug,
    body: <UnbindPage {...shown} />
  }))

const unbind = (visit: Visit) =>
  Effect.gen(function* () {
    const { slug } = yield* teamOf(visit)
    const done = redirect(`${visit.base}/teams/${slug}/tracker`, "tracker-unbound")
    return yield* Effect.as(Bindings.unbind(visit.person, slug), done).pipe(
      Effect.catchTag("TeamNotBound", () => Effect.succeed(done))
    )
  })

type Needs = AuditLog | ConnectionStore | TeamStore | TrackerStore

export const pages: ReadonlyArray<Page<Needs>> = [
  { path: "teams/:slug/tracker", get: (visit) => view(visit), post: submit },
  { path: "teams/:slug/tracker/unbind", get: confirm, post: unbind }
]
