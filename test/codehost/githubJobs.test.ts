import { assert, layer } from "@effect/vitest"
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

/** A team whose repository is on GitHub, and a run that is ready to hand its change off. */
const arrange = (mergePolicy: "verified" | "manual" = "manual") =>
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
    const { installation } = hub.access.connection
    const { secret } = hub.access.credentials
    const { connection } = yield* Connections.create(owner, {
      name: "github",
      kind: "github",
      baseUrl: hub.server.origin,
      secret,
      installation,
      webhookSecret: null
    })
    const { repository } = hub
    const head = repository.commit(Scene.own, { "fees.txt": lines([5, "rounded"]) }, { from: "main", message: "Round" })
    yield* Scene.started
    return { ...hub, ...place, owner, connection, head }
  })

type Place = Effect.Effect.Success<ReturnType<typeof arrange>>

/** Commits to the branch of the run; GitHub learns of it as of a push. */
const push = (place: Place, files: Files) =>
  Effect.gen(function* () {
    const head = place.repository.commit(Scene.own, files)
    yield* place.ana("POST", "/git/refs", { ref: `refs/heads/seen-${head.slice(0, 7)}`, sha: head })
    return head
  })

/** Looks through the connection as after a webhook. */
const look = ({ connection, id }: Place) =>
  Effect.gen(function* () {
    yield* (yield* ConnectionStore).receive(id, connection.id, crypto.randomUUID())
    yield* WatchConnections.round()
  })

const handOff = (place: Place) => Scene.handOff(place, { repository: place.address })

const waiting = (place: Place) => Engine.eventually(Scene.runOf(place), ({ status }) => status === "waiting")

const decode = Json.decoder(DecisionView)

/** All decisions of the workspace, newest first. */
const decisions = ({ id }: Place) =>
  Effect.gen(function* () {
    const filter = { status: null, team: null, run: null } as const
    const { items } = yield* Effect.orDie((yield* DecisionStore).page(id, filter, { limit: 100, before: null }))
    return Json.each(items).map(decode)
  })

const words = (place: Place) =>
  Effect.map(decisions(place), (all) => all.map(({ kind, status }) => `${kind} ${status}`).toReversed())

const answer = (place: Place, optionId: string, kind = "merge_approval") =>
  Effect.gen(function* () {
    const asked = (yield* decisions(place)).find((one) => one.kind === kind && one.status === "pending")
    assert.isDefined(asked)
    if (asked !== undefined)
      yield* Decisions.answer(place.owner, { decision: asked.key, optionId, note: null, idempotency: null })
  })

const fails = (place: Place, commit: string, state = "failure") =>
  place.ana("POST", `/statuses/${commit}`, { state, context: "ci", target_url: "https://ci.test/1" })

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
  )(`pull requests on GitHub (${name})`, (it) => {
    it.scoped("a change is opened with its evidence, approved, merged at the verified commit, and done", () =>
      Effect.gen(function* () {
        const place = yield* arrange()
        const { head, repository, server } = place
        yield* handOff(place)
        const { pullRequest } = yield* waiting(place)
        assert.strictEqual(pullRequest?.url, `${server.origin}/acme/pay/pull/${pullRequest?.number}`)
        const shown = (yield* place.ana("GET", `/pulls/${pullRequest?.number}`)) as { readonly body: string }
        assert.include(shown.body, "All 3 gates passed.")
        assert.include(shown.body, "/runs/run-aaaa")
        yield* answer(place, "merge")
        yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
        assert.strictEqual((yield* Scene.storyOf(place)).column.role, "done")
        const [commit] = Scene.merges({ ...place })
        assert.strictEqual(repository.git("log", "-1", "--format=%P", commit ?? "").split(" ")[1], head)
        assert.deepInclude<object>(yield* Scene.pull(place, 1), { state: "merged", mergeCommit: commit })
        assert.deepStrictEqual(
          [server.count("pulls/create"), server.count("pulls/merge"), server.violations.slice(0, 3)],
          [1, 1, []]
        )
      })
    )

    it.scoped("a person who merges or closes the pull request on GitHub ends the run and its question", () =>
      Effect.gen(function* () {
        const place = yield* arrange()
        yield* handOff(place)
        const { pullRequest } = yield* waiting(place)
        yield* place.ana("PUT", `/pulls/${pullRequest?.number}/merge`, {})
        yield* look(place)
        assert.deepInclude<object>(yield* Scene.runOf(place), { status: "succeeded", stage: "done" })
        assert.strictEqual((yield* Scene.storyOf(place)).column.role, "done")
        assert.deepStrictEqual(yield* words(place), ["merge_approval cancelled"])

        const other = yield* arrange()
        yield* handOff(other)
        const opened = yield* waiting(other)
        yield* other.ana("PATCH", `/pulls/${opened.pullRequest?.number}`, { state: "closed" })
        yield* look(other)
        assert.deepInclude<object>(yield* Scene.runOf(other), { status: "stopped", failureClass: "policy" })
        assert.strictEqual((yield* Scene.storyOf(other)).column.role, "backlog")
        assert.deepInclude<object>(yield* Scene.pull(other, 1), { state: "closed" })
      })
    )

    it.scoped("a push after the verification makes the approval stale and asks anew", () =>
      Effect.gen(function* () {
        const place = yield* arrange()
        yield* handOff(place)
        yield* waiting(place)
        const moved = yield* push(place, { more: "" })
        yield* look(place)
        yield* look(place)
        assert.deepStrictEqual(yield* words(place), ["merge_approval superseded", "merge_approval pending"])
        const [asked] = yield* decisions(place)
        assert.include(asked?.body, moved)
        assert.strictEqual(asked?.recommendation, "request_changes")
        const before = place.repository.head("main")
        const again = yield* push(place, { sneaked: "" })
        yield* answer(place, "merge")
        yield* Engine.eventually(words(place), (all) => all.length === 3)
        assert.strictEqual(place.repository.head("main"), before)
        assert.include((yield* decisions(place))[0]?.body, again)
        yield* waiting(place)
        yield* answer(place, "merge")
        yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
        assert.strictEqual(place.repository.file("main", "sneaked"), "")
      })
    )

    it.scoped("a rule of the repository is named by a decision, and the merge goes on after it", () =>
      Effect.gen(function* () {
        const place = yield* arrange("verified")
        place.kept.mergeMethods.clear()
        yield* handOff(place)
        yield* waiting(place)
        const [asked] = yield* decisions(place)
        assert.include(asked?.title, "A rule keeps pull request")
        assert.include(asked?.body, "not allowed on this repository")
        place.kept.mergeMethods.add("squash")
        yield* answer(place, "merge")
        yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
      })
    )

    it.scoped("a red main branch holds merges and proposes the revert of our merge, once; green closes it", () =>
      Effect.gen(function* () {
        const place = yield* arrange("verified")
        const { repository, server } = place
        yield* fails(place, repository.head("main"), "success")
        yield* handOff(place)
        yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
        const merge = repository.head("main")
        yield* look(place)
        assert.deepStrictEqual(yield* words(place), [])
        yield* fails(place, merge)
        yield* look(place)
        yield* look(place)
        assert.deepStrictEqual(yield* words(place), ["main_red_incident pending", "revert_approval pending"])
        const [revert] = yield* decisions(place)
        assert.include(revert?.body, "- [ci](https://ci.test/1) failed")
        yield* answer(place, "open_revert", "revert_approval")
        yield* Engine.eventually(Effect.either(Scene.pull(place, 2)), ({ _tag }) => _tag === "Right")
        const opened = yield* Scene.pull(place, 2)
        assert.deepInclude<object>(opened, { state: "open", reverts: 1 })
        assert.strictEqual(repository.file(opened.head, "fees.txt"), lines().trim())
        assert.strictEqual(server.count("graphql:revertPullRequest"), 1)
        yield* place.ana("PUT", `/pulls/${opened.hostNumber}/merge`, {})
        const reverted = repository.head("main")
        yield* fails(place, reverted, "success")
        yield* look(place)
        assert.deepStrictEqual(yield* words(place), ["main_red_incident superseded", "revert_approval resolved"])
        assert.strictEqual((yield* Scene.pull(place, 2)).state, "merged")
        yield* fails(place, reverted)
        yield* look(place)
        assert.deepStrictEqual((yield* words(place)).slice(2), ["main_red_incident pending"])
      })
    )

    it.scoped("a connection that stops working says so until it works again", () =>
      Effect.gen(function* () {
        const place = yield* arrange()
        const { server } = place
        server.moods.next(/repos/, { kind: "answer", status: 401, message: "Bad credentials" }, 4)
        yield* look(place)
        const [failing] = yield* Connections.list(place.owner)
        assert.include(failing?.trouble?.reason, "Bad credentials")
        server.moods.clear()
        yield* look(place)
        const [working] = yield* Connections.list(place.owner)
        assert.isNull(working?.trouble)
        const tested = yield* Connections.test(place.owner, "github")
        assert.deepStrictEqual([tested.missing, tested.trouble], [[], null])
      })
    )
  })
