import { DateTime, Effect } from "effect"
import type { HostFailed } from "../ports/codehost/CodeHost.ts"
import { hostOf } from "../ports/codehost/CodeHost.ts"
import { PullRequestStore } from "../ports/codehost/PullRequestStore.ts"
import { ConnectionStore, type DueConnection } from "../ports/connection/ConnectionStore.ts"
import { JobStore } from "../ports/JobStore.ts"
import * as FollowHost from "./FollowHost.ts"
import * as Connections from "./Connections.ts"
import { repositoryOn } from "../../domain/connection/Connection.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"

/** Seconds between two looks through a connection; a webhook makes the next one come at once. */
export const pauseSeconds = 60

const repository = Effect.fnUntraced(function* (
  { connection, reported, workspace }: DueConnection,
  address: string,
  teams: ReadonlyArray<TeamSlug>
) {
  const host = yield* hostOf(workspace, address)
  const name = repositoryOn(connection.baseUrl, address)
  if (host === null || name === null) return
  for (const record of yield* (yield* PullRequestStore).opened(workspace, address))
    yield* FollowHost.pullRequest(workspace, host, record)
  const before = reported[address] ?? null
  const shown = `${name.owner}/${name.name}`
  const after = yield* FollowHost.mainBranch(workspace, host, { repository: address, shown, teams, reported: before })
  if (after !== before) yield* (yield* ConnectionStore).report(workspace, connection.id, address, after)
})

/** Minutes in which a try that began before the connection was made may still lay its job to rest. */
const youth = 5

/** Looks through one connection, and keeps whether it works. */
const look = Effect.fnUntraced(function* (due: DueConnection) {
  const { connection, workspace } = due
  if (DateTime.greaterThan(DateTime.add(connection.createdAt, { minutes: youth }), yield* DateTime.now))
    yield* (yield* JobStore).wake(workspace)
  const problems: Array<string> = []
  let isWaiting = false
  const repositories = yield* Connections.repositoriesOf(workspace, connection)
  for (const [address, teams] of repositories)
    yield* Effect.catchAll(repository(due, address, teams), ({ isWait, reason }: HostFailed) =>
      Effect.sync(() => {
        isWaiting ||= isWait
        if (!isWait) problems.push(reason)
      })
    )
  if (repositories.size === 0 || (isWaiting && problems.length === 0)) return
  yield* Effect.ignore(Connections.observe(workspace, connection.id, { problem: problems[0] ?? null }))
})

/** Looks through the connections that are due: what people did to pull requests, and the main branches. */
export const round = Effect.fn("WatchConnections.round")(function* () {
  const due = yield* (yield* ConnectionStore).due(pauseSeconds)
  yield* Effect.forEach(due, look, { concurrency: 4, discard: true })
})
