import { assert, layer, type Vitest } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as GitHub from "../../adapters/github/GitHub.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Connections from "../../application/codehost/Connections.ts"
import * as WatchConnections from "../../application/codehost/WatchConnections.ts"
import { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import * as Json from "../../application/ports/Json.ts"
import { Outgoing } from "../../application/ports/Outgoing.ts"
import * as Sealing from "../../application/secrets/Sealing.ts"
import { SecretKey } from "../../application/secrets/SecretKey.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import type { CommitId } from "../../domain/codehost/PullRequestRecord.ts"
import type { Connection } from "../../domain/connection/Connection.ts"
import { DecisionView } from "../../domain/work/Decision.ts"
import * as Engine from "../jobs/Engine.ts"
import { isLong } from "../support/Long.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { gitHub, outgoing } from "./GitHubPlace.ts"
import { type Files, lines } from "./Repositories.ts"
import * as Scene from "./Scene.ts"

const sealing = Layer.provide(Sealing.layer, Layer.succeed(SecretKey, Redacted.make(new Uint8Array(32).fill(7))))

export interface Place
  extends Effect.Effect.Success<ReturnType<typeof gitHub>>, Effect.Effect.Success<typeof Seed.workspace> {
  readonly owner: Effect.Effect.Success<ReturnType<typeof People.person>>
  readonly connection: Connection
  readonly head: CommitId
}

export const connect = ({ access, owner, server }: Pick<Place, "access" | "owner" | "server">) =>
  Connections.create(owner, {
    name: "github",
    kind: "github",
    baseUrl: server.origin,
    secret: access.credentials.secret,
    installation: access.connection.installation,
    webhookSecret: null
  })

/** A team whose repository is on GitHub, and a run that is ready to hand its change off. */
export const arrange = (mergePolicy: "verified" | "manual" = "manual") =>
  Effect.gen(function* () {
    const hub = yield* gitHub("app")
    const place = yield* Seed.workspace
    yield* Seed.load(place.slug, {
      teams: [
        {
          slug: "payments",
          name: "Payments",
          keyPrefix: "PAY",
          policy: { preset: "autonomous", mergePolicy },
          repositories: [hub.address]
        }
      ],
      stories: [{ key: "PAY-1", team: "payments", title: "Round the fees", column: { role: "in_progress" } }],
      runs: [
        { key: Scene.run, story: "PAY-1", status: "running", stage: "verifying", startedAt: "2026-01-01T00:00:00Z" }
      ]
    })
    const owner = yield* People.person(place.slug)
    const { connection } = yield* connect({ ...hub, owner })
    const { repository } = hub
    const head = repository.commit(Scene.own, { "fees.txt": lines([5, "rounded"]) }, { from: "main", message: "Round" })
    yield* Scene.started
    return { ...hub, ...place, owner, connection, head }
  })

/** Commits to the branch of the run; GitHub learns of it as of a push. */
export const push = (place: Place, files: Files) =>
  Effect.gen(function* () {
    const head = place.repository.commit(Scene.own, files)
    yield* place.ana("POST", "/git/refs", { ref: `refs/heads/seen-${head.slice(0, 7)}`, sha: head })
    return head
  })

/** Looks through the connection as after a webhook. */
export const look = ({ connection, id }: Place) =>
  Effect.gen(function* () {
    yield* (yield* ConnectionStore).receive(id, connection.id, crypto.randomUUID(), true)
    yield* WatchConnections.round()
  })

export const handOff = (place: Place) => Scene.handOff(place, { repository: place.address })

export const waiting = (place: Place) => Engine.eventually(Scene.runOf(place), ({ status }) => status === "waiting")

const decode = Json.decoder(DecisionView)

/** All decisions of the workspace, newest first. */
export const decisions = ({ id }: Place) =>
  Effect.gen(function* () {
    const filter = { status: null, team: null, run: null } as const
    const { items } = yield* Effect.orDie((yield* DecisionStore).page(id, filter, { limit: 100, before: null }))
    return Json.each(items).map(decode)
  })

export const words = (place: Place) =>
  Effect.map(decisions(place), (all) => all.map(({ kind, status }) => `${kind} ${status}`).toReversed())

export const answer = (place: Place, optionId: string, kind = "merge_approval") =>
  Effect.gen(function* () {
    const asked = (yield* decisions(place)).find((one) => one.kind === kind && one.status === "pending")
    assert.isDefined(asked)
    if (asked !== undefined)
      yield* Decisions.answer(place.owner, { decision: asked.key, optionId, note: null, idempotency: null })
  })

export const fails = (place: Place, commit: string, state = "failure") =>
  place.ana("POST", `/statuses/${commit}`, { state, context: "ci", target_url: "https://ci.test/1" })

type Given = Layer.Layer.Success<typeof given>

const given = GitHub.layer.pipe(
  Layer.provide(Layer.succeed(Outgoing, outgoing)),
  Layer.provideMerge(Layer.merge(Memory.layer, sealing))
)

/** Runs tests on both stores, with a connected GitHub. */
export const onGitHub = (what: string, tests: (it: Vitest.MethodsNonLive<Given, true>) => void) => {
  for (const [name, stores] of [
    ["memory", Memory.layer],
    ...(isLong ? [["postgres", TestPostgres.layer] as const] : [])
  ] as const)
    layer(
      GitHub.layer.pipe(
        Layer.provide(Layer.succeed(Outgoing, outgoing)),
        Layer.provideMerge(Layer.merge(stores, sealing))
      ),
      { timeout: "60 seconds", excludeTestServices: true }
    )(`${what} (${name})`, (it) => tests(it as Vitest.MethodsNonLive<Given, true>))
}
