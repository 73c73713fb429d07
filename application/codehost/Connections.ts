import { Effect, Redacted, Schema } from "effect"
import * as ChangeConnection from "../../domain/connection/ChangeConnection.ts"
import {
  type AppInstallation,
  type Connection,
  type ConnectionId,
  type ConnectionKind,
  ConnectionNotFound,
  Credentials,
  repositoryOn
} from "../../domain/connection/Connection.ts"
import type { NotificationId } from "../../domain/oncall/InboxEntry.ts"
import { ofConnection } from "../../domain/value/SecretBinding.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { draw } from "../../domain/workspace/ApiToken.ts"
import { type By, byService } from "../../domain/workspace/Actor.ts"
import { Team, TeamView } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { ConnectedSystems } from "../ports/connection/ConnectedSystems.ts"
import { ConnectionStore } from "../ports/connection/ConnectionStore.ts"
import { JobStore } from "../ports/JobStore.ts"
import * as Json from "../ports/Json.ts"
import { TeamStore } from "../ports/TeamStore.ts"
import { TrackerStore } from "../ports/tracker/TrackerStore.ts"
import { Trackers } from "../ports/tracker/Trackers.ts"
import { Sealing } from "../secrets/Sealing.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"

const text = Schema.parseJson(Credentials)
const encode = Schema.encodeSync(text)
const decode = Schema.decodeUnknown(text)

/** Opens the secrets of a connection. */
export const open = Effect.fn("Connections.open")(function* ({ credentials, id }: Connection) {
  const opened = yield* (yield* Sealing).open(credentials, ofConnection(id))
  return yield* Effect.orDie(decode(Redacted.value(opened)))
})

const random = Effect.map(draw, (token) => Redacted.value(token).slice(3))

const target = (name: string) => Effect.succeed(DeniedTarget.named("connection", name))

export interface NewConnection {
  readonly name: string
  readonly kind: ConnectionKind
  readonly baseUrl: string
  /** A token, or the private key of the App. */
  readonly secret: Redacted.Redacted
  /** Null for a token. */
  readonly installation: AppInstallation | null
  /** The last part of the address of its webhooks, if that is known already. */
  readonly token?: string
  /** Drawn when it is null. */
  readonly webhookSecret: Redacted.Redacted | null
}

/** Connects a system; the secret of its webhooks is returned once. */
export const create = Effect.fn("Connections.create")(function* (person: Person, input: NewConnection) {
  yield* permit(person, "connection create", target(input.name))
  const store = yield* ConnectionStore
  const id = (yield* Uuid.make) as ConnectionId
  const webhookSecret = input.webhookSecret ?? Redacted.make(yield* random)
  const { baseUrl, installation, kind, name, secret } = input
  const sealed = yield* (yield* Sealing).seal(Redacted.make(encode({ secret, webhookSecret })), ofConnection(id))
  const connection = yield* store.change(
    person.workspace,
    ChangeConnection.create(byOf(person), {
      id,
      name,
      kind,
      way: installation === null ? "token" : "app",
      baseUrl,
      token: input.token ?? (yield* random),
      installation,
      credentials: sealed
    })
  )
  yield* (yield* JobStore).wake(person.workspace)
  return { connection, webhookSecret }
})

export const list = Effect.fn("Connections.list")(function* (person: Person) {
  yield* permit(person, "connection list")
  return yield* (yield* ConnectionStore).list(person.workspace)
})

export const find = Effect.fn("Connections.find")(function* (person: Person, name: string) {
  return yield* ChangeConnection.found(yield* list(person), name)
})

/** Replaces the token or the private key of a connection; its webhooks stay. */
export const renew = Effect.fn("Connections.renew")(function* (
  person: Person,
  name: string,
  { secret, way }: { readonly secret: Redacted.Redacted; readonly way: Connection["way"] }
) {
  yield* permit(person, "connection renew", target(name))
  const before = yield* find(person, name)
  const { webhookSecret } = yield* open(before)
  const sealing = yield* Sealing
  const credentials = yield* sealing.seal(Redacted.make(encode({ secret, webhookSecret })), ofConnection(before.id))
  const decide = ChangeConnection.renew(byOf(person), before.id, { credentials, way })
  const connection = yield* (yield* ConnectionStore).change(person.workspace, decide)
  yield* (yield* JobStore).wake(person.workspace)
  return connection
})

export const remove = Effect.fn("Connections.remove")(function* (person: Person, name: string) {
  yield* permit(person, "connection remove", target(name))
  return yield* (yield* ConnectionStore).change(person.workspace, ChangeConnection.remove(byOf(person), name))
})

const decodeTeams = Json.decoder(Schema.Array(TeamView))
const decodeTeam = Json.decoder(Team)

/** Repositories of the workspace that a connection is for, each with its teams. The first connection of a host is for all of them. */
export const repositoriesOf = Effect.fn("Connections.repositoriesOf")(function* (
  workspace: WorkspaceId,
  { id }: Pick<Connection, "id">
) {
  const store = yield* TeamStore
  const connections = yield* (yield* ConnectionStore).list(workspace)
  const isOf = (address: string) =>
    connections.find(({ baseUrl }) => repositoryOn(baseUrl, address) !== null)?.id === id
  const found = new Map<string, ReadonlyArray<Team["slug"]>>()
  for (const { slug } of decodeTeams(yield* store.list(workspace))) {
    const team = yield* Effect.option(Effect.map(store.whole(workspace, slug), decodeTeam))
    if (team._tag === "None") continue
    for (const repository of team.value.repositories)
      if (isOf(repository)) found.set(repository, [...(found.get(repository) ?? []), slug])
  }
  return found
})

/** Admins that are notified of a connection that does not work. */
const mostNotified = 50

/** Keeps the outcome of a call; returns the connection, changed or not. */
export const observe = (
  workspace: WorkspaceId,
  id: ConnectionId,
  outcome: ChangeConnection.Outcome,
  by: By = byService
): Effect.Effect<Connection, ConnectionNotFound, ConnectionStore> =>
  Effect.gen(function* () {
    const drawn = outcome.problem === null ? [] : yield* Effect.replicateEffect(Uuid.make, mostNotified)
    const decide = ChangeConnection.observe(by, id, outcome, drawn as unknown as ReadonlyArray<NotificationId>)
    return yield* (yield* ConnectionStore).change(workspace, decide)
  }).pipe(Effect.catchAll((left) => (left instanceof ConnectionNotFound ? left : Effect.succeed(left))))

/** The trouble and the missing permissions of the projects that teams mirror over a connection. */
const projectsOf = (workspace: WorkspaceId, connection: Connection) =>
  Effect.gen(function* () {
    const tracker = (yield* Trackers)(connection)
    const bound = (yield* (yield* TrackerStore).list(workspace)).filter(
      ({ binding }) => binding.connection === connection.id
    )
    if (tracker === null) return []
    return yield* Effect.forEach(bound, ({ binding: { project } }) =>
      tracker.inspect({ workspace, connection, project }).pipe(
        Effect.map(({ missing }) => ({ problem: null, missing })),
        Effect.catchAll(({ reason }) => Effect.succeed({ problem: `${project}: ${reason}`, missing: [] }))
      )
    )
  })

/** Calls the system and keeps whether it works and which permissions are missing, also for projects of trackers. */
export const test = Effect.fn("Connections.test")(function* (person: Person, name: string) {
  yield* permit(person, "connection test", target(name))
  const connection = yield* find(person, name)
  const repositories = yield* repositoriesOf(person.workspace, connection)
  const { test: ask } = yield* ConnectedSystems
  const outcome = yield* ask(connection, [...repositories.keys()])
  const projects = outcome.problem === null ? yield* projectsOf(person.workspace, connection) : []
  const missing = [...(outcome.missing ?? connection.missing), ...projects.flatMap((one) => one.missing)]
  const problem = outcome.problem ?? projects.find((one) => one.problem !== null)?.problem ?? null
  const found = { ...outcome, problem, missing: [...new Set(missing)] }
  return yield* observe(person.workspace, connection.id, found, byOf(person))
})
