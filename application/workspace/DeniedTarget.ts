import { Effect } from "effect"
import { findNamed } from "../../domain/oncall/commands/OnCallContext.ts"
import { entityOf, type Fact, type Target } from "../../domain/workspace/Audit.ts"
import { byEmail } from "../../domain/workspace/Member.ts"
import type { TeamSlug, TeamView } from "../../domain/workspace/Team.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"
import { TeamStore } from "../ports/TeamStore.ts"
import { WorkspaceStore } from "../ports/WorkspaceStore.ts"

interface Where {
  readonly workspace: WorkspaceId
  readonly workspaceSlug: WorkspaceSlug
}

type EntityType = Fact["entity"]["type"]

/** A missing object, by the name in the request. */
export const named = (type: EntityType, name: string): Target => ({ entity: { type, id: name, name } })

export const ofWorkspace = ({ workspace, workspaceSlug }: Where): Effect.Effect<Target> =>
  Effect.succeed({ entity: { type: "workspace", id: workspace, name: workspaceSlug } })

export const ofTeam = ({ workspace }: Where, slug: TeamSlug, type: "team" | "policy" = "team") =>
  Effect.flatMap(TeamStore, (store) => store.get(workspace, slug)).pipe(
    Effect.map((json): Target => {
      const { id, name } = JSON.parse(json) as typeof TeamView.Encoded
      return { entity: { type, id, name }, team: slug }
    }),
    Effect.orElseSucceed(() => named(type, slug))
  )

const onCall = ({ workspace }: Where) => Effect.flatMap(OnCallStore, (store) => store.look(workspace))

export const ofService = (where: Where, name: string) =>
  Effect.map(onCall(where), ({ services }): Target => {
    const found = findNamed(services, name)
    return found === undefined ? named("service", name) : { entity: entityOf("service", found), team: found.team }
  })

export const ofSource = (where: Where, name: string) =>
  Effect.map(onCall(where), ({ sources }): Target => {
    const found = findNamed(sources, name)
    return found === undefined ? named("signal_source", name) : { entity: entityOf("signal_source", found) }
  })

export const ofMember = ({ workspaceSlug }: Where, email: string) =>
  Effect.map(
    Effect.flatMap(WorkspaceStore, (store) => store.roster(workspaceSlug)),
    ({ members }): Target => {
      const found = byEmail(members, email)
      return found === undefined ? named("member", email) : { entity: entityOf("member", found) }
    }
  )
