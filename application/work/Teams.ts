import { Effect } from "effect"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { deleteTeam } from "../../domain/oncall/commands/DeleteTeam.ts"
import * as Repository from "../../domain/value/Repository.ts"
import * as ChangeTeam from "../../domain/workspace/ChangeTeam.ts"
import * as Policy from "../../domain/workspace/Policy.ts"
import type { PolicyChange } from "../../domain/workspace/SetPolicy.ts"
import * as SetTeam from "../../domain/workspace/SetTeam.ts"
import type { Team, TeamSlug } from "../../domain/workspace/Team.ts"
import { NotConfirmed, type WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { byOf, isPerson, permit, type Person } from "../workspace/Authorization.ts"
import * as Import from "./Import.ts"
import { hostOf } from "../ports/codehost/CodeHost.ts"
import { TeamStore } from "../ports/TeamStore.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"

export const create = Effect.fn("Teams.create")(function* (
  person: Person,
  input: {
    readonly slug: TeamSlug
    readonly name: string
    readonly keyPrefix: string
    readonly description: string | null
    readonly preset: Policy.Preset
  }
) {
  yield* permit(person, "team create", Effect.succeed({ entity: { type: "team", id: input.slug, name: input.name } }))
  const { preset, ...rest } = input
  const document = { teams: [{ ...rest, policy: { preset } }] }
  const { teams } = yield* Import.write(byOf(person), person.workspaceSlug, document, {})
  return teams[0] as Team
})

/** Only the operator names repositories of this machine, so only the operator learns what is there. */
const requireRepository = Effect.fnUntraced(function* (workspace: WorkspaceId, address: string) {
  if (!Repository.isLocal(address) || Repository.problemOf(address, true) !== null) return
  const host = yield* hostOf(workspace, address)
  if (host === null) return
  yield* Effect.mapError(
    host.defaultBranch(address),
    ({ reason }) => new SetTeam.InvalidTeam({ field: "repositories", problem: reason.replace(/\.$/, "") })
  )
})

/** Changes the repositories of a team, for a member or the operator. */
export const set = Effect.fn("Teams.set")(function* (
  who: Person | { readonly workspace: WorkspaceId },
  slug: TeamSlug,
  change: SetTeam.TeamChange
) {
  const by = isPerson(who) ? byOf(who) : bySystem
  if (isPerson(who)) yield* permit(who, "team set", DeniedTarget.ofTeam(who, slug))
  else yield* Effect.forEach(change.repositories ?? [], (address) => requireRepository(who.workspace, address))
  return yield* (yield* TeamStore).change(who.workspace, slug, SetTeam.setTeam(by, change))
})

export const pause = Effect.fn("Teams.pause")(function* (person: Person, slug: TeamSlug) {
  yield* permit(person, "team pause", DeniedTarget.ofTeam(person, slug))
  return yield* (yield* TeamStore).change(person.workspace, slug, ChangeTeam.pause(byOf(person)))
})

export const resume = Effect.fn("Teams.resume")(function* (person: Person, slug: TeamSlug) {
  yield* permit(person, "team resume", DeniedTarget.ofTeam(person, slug))
  return yield* (yield* TeamStore).change(person.workspace, slug, ChangeTeam.resume(byOf(person)))
})

export const remove = Effect.fn("Teams.remove")(function* (person: Person, slug: TeamSlug, confirm: string) {
  yield* permit(person, "team delete", DeniedTarget.ofTeam(person, slug))
  if (confirm !== slug) return yield* new NotConfirmed({ given: confirm, expected: slug })
  return yield* (yield* TeamStore).change(person.workspace, slug, deleteTeam(byOf(person)))
})

/** Changes single settings or the preset; a change that sets the current values is none. */
export const setPolicy = Effect.fn("Teams.setPolicy")(function* (person: Person, slug: TeamSlug, change: PolicyChange) {
  yield* permit(person, "policy set", DeniedTarget.ofTeam(person, slug, "policy"))
  return yield* (yield* TeamStore).change(person.workspace, slug, ChangeTeam.setPolicy(byOf(person), change)).pipe(
    Effect.map((policy) => ({ policy, isChanged: true })),
    Effect.catchAll((left) =>
      left instanceof Policy.Policy ? Effect.succeed({ policy: left, isChanged: false }) : Effect.fail(left)
    )
  )
})
