import { Effect, Either } from "effect"
import * as FollowHost from "../../application/codehost/FollowHost.ts"
import * as AppManifest from "../../application/codehost/AppManifest.ts"
import * as Connections from "../../application/codehost/Connections.ts"
import * as LeaseCredential from "../../application/runner/LeaseCredential.ts"
import { ConnectedSystems, type Systems } from "../../application/ports/connection/ConnectedSystems.ts"
import { repositoryOf } from "./WorkPorts.ts"
import * as ReceiveHook from "../../application/codehost/ReceiveHook.ts"
import * as WatchConnections from "../../application/codehost/WatchConnections.ts"
import type { CodeHost } from "../../application/ports/codehost/CodeHost.ts"
import { PullRequestStore } from "../../application/ports/codehost/PullRequestStore.ts"
import { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import type { ConnectionId } from "../../domain/connection/Connection.ts"
import type { SessionId } from "../../domain/workspace/Session.ts"
import { payments, run } from "../application/house.ts"
import * as Pulls from "../codehost/Pulls.ts"
import type { Act, Cases } from "./Case.ts"

const nothing = "00000000-0000-4000-8000-000000000000" as ConnectionId

const received =
  (delivery: string, id?: ConnectionId): Act =>
  (at) =>
    Effect.flatMap(ConnectionStore, (store) => store.receive(at.id, id ?? at.connection.id, delivery, true))

const due: Act = ({ id }) =>
  Effect.map(
    Effect.flatMap(ConnectionStore, (store) => store.due(60)),
    (all) => all.filter(({ workspace }) => workspace === id)
  )

const found: Act = ({ connection }) => Effect.flatMap(ConnectionStore, (store) => store.find(connection.token))

/** The port of connections. */
export const connectionPorts: Cases = {
  "ConnectionStore.list": ({ id }) => Effect.flatMap(ConnectionStore, (store) => store.list(id)),
  "ConnectionStore.change": ({ id }) =>
    Effect.flatMap(ConnectionStore, (store) =>
      store.change(id, ({ admins, connections }): Either.Either<never, unknown> => Either.left([connections, admins]))
    ),
  "ConnectionStore.find": {
    there: found,
    missing: () => Effect.flatMap(ConnectionStore, (store) => store.find("x".repeat(32)))
  },
  "ConnectionStore.receive": { new: received("second"), known: received("first"), missing: received("one", nothing) },
  "ConnectionStore.report": {
    red: ({ connection, id }) =>
      Effect.flatMap(ConnectionStore, (store) =>
        store.report(id, connection.id, "https://git.acme.test/acme/web", Pulls.commit("a"))
      ),
    green: ({ connection, id }) =>
      Effect.flatMap(ConnectionStore, (store) =>
        store.report(id, connection.id, "https://git.acme.test/acme/pay", null)
      )
  }
}

export const connectionSweeps: Cases = {
  "ConnectionStore.due": due,
  "ConnectionStore.purge": () => Effect.flatMap(ConnectionStore, (store) => store.purge),
  "WatchConnections.round": () => WatchConnections.round()
}

/** Looks at connections once their workspace is deleted. */
export const connectionLooks = { due, found }

/** A host on which everything is red and merged. */
const red: CodeHost = {
  serves: () => true,
  defaultBranch: () => Effect.succeed(Pulls.branch("main")),
  recent: () => Effect.succeed([{ commit: Pulls.commit("f"), parent: null, isRevert: false }]),
  checks: () => Effect.succeed([{ name: "test", outcome: "failed", at: 1, url: null }]),
  state: () => Effect.succeed({ state: "closed" as const, mergeCommit: null })
} as unknown as CodeHost

const handed = run("run-vvvv")

type Record = NonNullable<Effect.Effect.Success<ReturnType<(typeof PullRequestStore)["Service"]["find"]>>>

const followed =
  <R>(follow: (at: Parameters<Act>[0], record: Record) => Effect.Effect<unknown, unknown, R>): Act =>
  (at) =>
    Effect.gen(function* () {
      const record = yield* (yield* PullRequestStore).find(at.id, { run: handed })
      return record === null ? null : yield* Effect.either(follow(at, record))
    }) as ReturnType<Act>

/** The repository that a credential is asked for, in place of the credential. */
const credited = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const asked: Array<unknown> = []
    const gitCredential = (...given: ReadonlyArray<unknown>) =>
      Effect.as(
        Effect.sync(() => asked.push(given)),
        null
      )
    yield* Effect.provideService(effect, ConnectedSystems, { gitCredential } as unknown as Systems)
    return asked
  })

/** Use cases of connections and of what happens behind them. */
export const connectionUses: Cases = {
  "AppManifest.begin": ({ people }) =>
    Effect.asVoid(
      AppManifest.begin(
        { ...people.owner, session: nothing as unknown as SessionId },
        { origin: "https://gate.test", name: "app", baseUrl: "https://git.acme.test", organisation: "acme" }
      )
    ),
  "Connections.find": ({ people }) => Connections.find(people.owner, "github"),
  "Connections.list": ({ people }) => Connections.list(people.owner),
  "Connections.repositoriesOf": ({ connection, id }) =>
    Effect.map(Connections.repositoriesOf(id, connection), (all) => [...all]),
  "LeaseCredential.first": (at) =>
    Effect.flatMap(repositoryOf(at), (repository) =>
      credited(LeaseCredential.first(at.id, { repositories: [repository] }))
    ),
  "LeaseCredential.next": ({ id }) => credited(LeaseCredential.next(id, handed)),
  "ReceiveHook.find": ({ connection }) => ReceiveHook.find(connection.token),
  "ReceiveHook.receive": ({ connection }) =>
    Effect.flatMap(ReceiveHook.find(connection.token), (hooked) =>
      ReceiveHook.receive(hooked, { signature: null, delivery: "third", isFollowed: true, body: new Uint8Array() })
    ),
  "FollowHost.blocked": followed(({ id }, record) => FollowHost.blocked(id, handed, record, "No.")),
  "FollowHost.moved": followed(({ id }, record) => FollowHost.moved(id, handed, record, Pulls.commit("d"))),
  "FollowHost.pullRequest": followed(({ id }, record) => FollowHost.pullRequest(id, red, record)),
  "FollowHost.mainBranch": followed(({ id }, { repository }) =>
    FollowHost.mainBranch(id, red, {
      repository,
      shown: "acme/pay",
      teams: [payments],
      reported: null
    })
  )
}
