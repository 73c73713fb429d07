import { Effect } from "effect"
import type * as Audit from "../../domain/workspace/Audit.ts"
import { byEmail } from "../../domain/workspace/Member.ts"
import type { TeamSlug, TeamView } from "../../domain/workspace/Team.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"
import { TeamStore } from "../ports/TeamStore.ts"
import { WorkspaceStore } from "../ports/WorkspaceStore.ts"

/** The object of an operation and its team, read only to record a denial. */
export interface Target {
  readonly entity: Audit.Fact["entity"]
  readonly team?: TeamSlug
  /** Names an object that has no entity of its own. */
  readonly details?: Audit.Fact["details"]
}

interface Where {
  readonly workspace: WorkspaceId
  readonly workspaceSlug: WorkspaceSlug
}

type EntityType = Audit.Fact["entity"]["type"]

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

const isNamed = (name: string) => (one: { readonly name: string; readonly deletedAt: unknown }) =>
  one.deletedAt === null && one.name.toLowerCase() === name.toLowerCase()

export const ofService = (where: Where, name: string) =>
  Effect.map(onCall(where), ({ services }): Target => {
    const found = services.find(isNamed(name))
    return found === undefined
      ? named("service", name)
      : { entity: { type: "service", id: found.id, name: found.name }, team: found.team }
  })

export const ofSource = (where: Where, name: string) =>
  Effect.map(onCall(where), ({ sources }): Target => {
    const found = sources.find(isNamed(name))
    return found === undefined
      ? named("signal_source", name)
      : { entity: { type: "signal_source", id: found.id, name: found.name } }
  })

export const ofMember = ({ workspaceSlug }: Where, email: string) =>
  Effect.map(
    Effect.flatMap(WorkspaceStore, (store) => store.roster(workspaceSlug)),
    ({ members }): Target => {
      const found = byEmail(members, email)
      return found === undefined
        ? named("member", email)
        : { entity: { type: "member", id: found.id, name: found.name } }
    }
  )
