import { Effect, Schema } from "effect"
import { byEmail, type Email, type Role } from "../../domain/workspace/Member.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Authorization from "../workspace/Authorization.ts"
import * as DemoIncidents from "../oncall/DemoIncidents.ts"
import * as DemoRun from "./DemoRun.ts"
import * as Import from "./Import.ts"
import * as Members from "../workspace/Members.ts"
import { WorkspaceStore } from "../ports/WorkspaceStore.ts"
import * as Tokens from "../workspace/Tokens.ts"
import * as Workspaces from "../workspace/Workspaces.ts"

const slug = "demo" as WorkspaceSlug
const emailOf = (role: Role) => `${role}@demo.test` as Email

const owner = { email: emailOf("owner"), name: "Dana Demo" }

const acting = (role: Role) => Authorization.member(slug, emailOf(role), "app")

export class NotTheDemo extends Schema.TaggedError<NotTheDemo>()("NotTheDemo", {}) {
  override get message() {
    return `The workspace '${slug}' is somebody's own: it has no member '${owner.email}'. It was left as it is.`
  }
}

const fill = Effect.fn("Demo.fill")(function* (document: unknown) {
  yield* Workspaces.create(bySystem, { slug, name: "Demo", owner })
  for (const role of ["admin", "member"] as const)
    yield* Members.add(bySystem, {
      workspace: slug,
      email: emailOf(role),
      name: role === "admin" ? "Ada Admin" : "Mika Member",
      role
    })
  const { decisions, runs, services, stories, teams } = yield* Import.write(bySystem, slug, document)
  const team = teams.findLast((one) => one.pausedAt === null)
  const driven = team
    ? yield* Effect.orDie(DemoRun.drive(yield* acting("owner"), team.slug))
    : { stories: 0, runs: 0, decisions: 0 }
  const service = services.findLast(({ settings }) => settings.observeOnly && settings.hours === "always")
  const people = yield* Effect.all({ owner: acting("owner"), admin: acting("admin"), member: acting("member") })
  const incidents = service ? yield* Effect.orDie(DemoIncidents.drive(people, service.name)) : 0
  const token = yield* Tokens.create(bySystem, {
    workspace: slug,
    member: owner.email,
    name: "demo",
    permissions: ["read", "write"],
    lifetime: "30d"
  })
  return {
    workspace: slug,
    owner: owner.email,
    ...token,
    teams: teams.length,
    services: services.length,
    stories: stories.length + driven.stories,
    runs: runs.length + driven.runs,
    decisions: decisions.length + driven.decisions,
    incidents
  }
})

/** (Re)creates the demo workspace; an earlier one is deleted and gives up its slug. */
export const recreate = Effect.fn("Demo.recreate")(function* (document: unknown) {
  const store = yield* WorkspaceStore
  const { members, workspace } = yield* store.roster(slug)
  if (workspace !== null) {
    if (!byEmail(members, owner.email)) return yield* new NotTheDemo()
    yield* Workspaces.retire(bySystem, slug)
  }
  return yield* fill(document)
})

/** Creates it on a database where no workspace was ever created. */
export const onFirstStart = Effect.fn("Demo.onFirstStart")(function* (document: unknown) {
  const store = yield* WorkspaceStore
  if (!(yield* store.isEmpty)) return null
  return yield* Effect.catchTag(fill(document), "WorkspaceSlugTaken", () => Effect.succeed(null))
})
