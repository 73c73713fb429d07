import { type DateTime, Either } from "effect"
import { answered, type Decided } from "../Change.ts"
import type { Connection } from "../connection/Connection.ts"
import { ConnectionNotFound } from "../connection/Connection.ts"
import { named } from "../connection/ChangeConnection.ts"
import { difference } from "../value/FieldChanges.ts"
import { skipValidation } from "../value/SkipValidation.ts"
import { validated } from "../value/Validated.ts"
import type { By } from "../workspace/Actor.ts"
import * as Audit from "../workspace/Audit.ts"
import { Team } from "../workspace/Team.ts"
import type { Platform } from "../workspace/Tracker.ts"
import { Binding, type BindingId, InvalidBinding, ProjectTaken, TeamNotBound } from "./Binding.ts"
import { contradiction, type Mapping } from "./Mapping.ts"

/** A team with the bindings and connections of its workspace, without removed ones. */
export interface BindingContext {
  readonly now: DateTime.Utc
  readonly team: Team
  readonly bindings: ReadonlyArray<Binding>
  readonly connections: ReadonlyArray<Connection>
}

export interface NewBinding {
  readonly id: BindingId
  /** Name or id. */
  readonly connection: string
  readonly platform: typeof Platform.Type
  readonly project: string
  readonly mapping: Mapping
}

const audited = ({ connection, mapping, platform, project }: Binding) => ({
  tracker: { platform, project, connection, ...mapping }
})

const fact = (by: By, team: Team, before: Binding | null, after: Binding | null) =>
  Audit.fact(by, "team_changed", Audit.entityOf("team", team), {
    team: team.slug,
    details: difference(before && audited(before), after && audited(after))
  })

type BindRefusal = ConnectionNotFound | ProjectTaken | InvalidBinding

const ofTeam = ({ bindings, team }: BindingContext): Binding | undefined =>
  bindings.find((one) => one.team === team.slug)

/** Binds a team to a project. The binding of the same project takes the new mapping; another project starts from the beginning. */
export const bind =
  (by: By, input: NewBinding) =>
  (at: BindingContext): Either.Either<Decided<Binding>, BindRefusal> =>
    Either.gen(function* () {
      const { bindings, connections, now, team } = at
      const connection = named(connections, input.connection)
      if (connection === undefined) return yield* Either.left(new ConnectionNotFound({ connection: input.connection }))
      const isSame = ({ connection: of, project }: Binding) =>
        of === connection.id && project.toLowerCase() === input.project.toLowerCase()
      const taken = bindings.find((one) => one.team !== team.slug && isSame(one))
      if (taken !== undefined) return yield* Either.left(new ProjectTaken({ project: taken.project, team: taken.team }))
      const twice = contradiction(input.mapping)
      if (twice !== null)
        return yield* Either.left(
          new InvalidBinding({ field: `The ${twice.kind} '${twice.name}'`, problem: "is mapped twice; name it once" })
        )
      const { board, columns } = input.mapping
      if (board !== undefined && !columns.some(({ mark }) => mark.kind === "status"))
        return yield* Either.left(
          new InvalidBinding({
            field: `The board '${board.name}'`,
            problem: "is not used, since no column has a status; name one such as status:Ready=ready, or leave it out"
          })
        )
      const old = ofTeam(at)
      const known = old !== undefined && isSame(old) ? old : null
      const binding = yield* validated(
        () =>
          new Binding({
            id: known?.id ?? input.id,
            team: team.slug,
            connection: connection.id,
            platform: input.platform,
            project: input.project,
            mapping: input.mapping,
            createdAt: known?.createdAt ?? now,
            updatedAt: now,
            removedAt: null
          }),
        (field, problem) => new InvalidBinding({ field, problem })
      )
      const ended = old === undefined || known !== null ? [] : [removedAt(old, now)]
      return yield* answered(
        {
          added: { bindings: known === null ? [binding] : [] },
          changed: {
            bindings: known === null ? ended : [binding],
            teams: [tracking(team, { platform: binding.platform, project: binding.project }, now)]
          },
          audit: [fact(by, team, old ?? null, binding)]
        },
        binding
      )
    })

const tracking = (team: Team, trackerProject: Team["trackerProject"], now: DateTime.Utc): Team =>
  new Team({ ...team, trackerProject, updatedAt: now }, skipValidation)

const removedAt = (binding: Binding, now: DateTime.Utc): Binding =>
  new Binding({ ...binding, updatedAt: now, removedAt: now }, skipValidation)

/** Ends the mirror of a team; its stories stay as they are. */
export const unbind =
  (by: By) =>
  (at: BindingContext): Either.Either<Decided<Binding>, TeamNotBound> => {
    const binding = ofTeam(at)
    if (binding === undefined) return Either.left(new TeamNotBound({ team: at.team.slug }))
    const ended = removedAt(binding, at.now)
    const teams = [tracking(at.team, null, at.now)]
    return answered({ changed: { bindings: [ended], teams }, audit: [fact(by, at.team, binding, null)] }, ended)
  }
