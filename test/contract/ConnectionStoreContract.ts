import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Either, type Layer, Redacted } from "effect"
import * as Connections from "../../application/codehost/Connections.ts"
import { PullRequestStore } from "../../application/ports/codehost/PullRequestStore.ts"
import { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import { Connection } from "../../domain/connection/Connection.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Pulls from "../codehost/Pulls.ts"
import * as Equipment from "../support/Equipment.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"

const input = {
  kind: "github" as const,
  baseUrl: "https://git.acme.test/",
  secret: Redacted.make("github_pat_1"),
  installation: null,
  webhookSecret: null
}

const place = Effect.gen(function* () {
  const { id, slug } = yield* Seed.workspace
  yield* Seed.load(slug, Seed.small)
  const owner = yield* People.person(slug)
  const { connection } = yield* Connections.create(owner, { ...input, name: "github" })
  return { id, slug, owner, connection }
}).pipe(Effect.provide(Equipment.layer))

const address = "https://git.acme.test/acme/pay"

export const connectionStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`ConnectionStore (${adapter})`, (it) => {
    it.effect("keeps every field, lists by name, and forgets removed ones", () =>
      Effect.gen(function* () {
        const { connection, id, owner } = yield* place
        const store = yield* ConnectionStore
        assert.deepStrictEqual(yield* store.list(id), [connection])
        const installation = { app: "Iv23abc", installation: 7 }
        const app = { ...input, name: "another", installation, webhookSecret: Redacted.make("s") }
        const second = yield* Effect.provide(Connections.create(owner, app), Equipment.layer)
        const listed = yield* store.list(id)
        assert.deepStrictEqual(listed, [second.connection, connection])
        assert.deepStrictEqual(second.connection.installation, installation)
        const since = DateTime.unsafeMake("2026-01-01T00:00:00.000Z")
        const failing = new Connection({
          ...connection,
          trouble: { reason: "Bad credentials", since, isNoticed: true },
          missing: ["contents: write"],
          testedAt: since
        })
        yield* store.change(id, () =>
          Either.right({
            change: {
              changed: { connections: [failing] },
              audit: [
                {
                  actor: bySystem.actor,
                  team: null,
                  runKey: null,
                  event: "connection_changed",
                  result: "success",
                  entity: { type: "connection", id: connection.id, name: "github" },
                  details: {}
                }
              ]
            },
            answer: Either.right(undefined)
          })
        )
        assert.deepStrictEqual((yield* store.list(id))[1], failing)
        yield* Connections.remove(owner, "github")
        assert.deepStrictEqual(yield* store.list(id), [second.connection])
        assert.isNull(yield* store.find(connection.token))
      })
    )

    it.effect("finds a connection by the address of its webhooks, unless its workspace is deleted", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* place, yield* place]
        const store = yield* ConnectionStore
        assert.deepStrictEqual(yield* store.find(one.connection.token), {
          workspace: one.id,
          connection: one.connection
        })
        assert.isNull(yield* store.find("x".repeat(32)))
        yield* Workspaces.remove(bySystem, { slug: one.slug, confirm: one.slug })
        assert.isNull(yield* store.find(one.connection.token))
        assert.strictEqual((yield* store.find(other.connection.token))?.workspace, other.id)
      })
    )

    it.effect("is due at once, again after the pause, and at once after a new webhook alone", () =>
      Effect.gen(function* () {
        const { connection, id } = yield* place
        const store = yield* ConnectionStore
        const own = Effect.map(store.due(3600), (all) => all.filter(({ workspace }) => workspace === id))
        assert.deepStrictEqual(yield* own, [{ workspace: id, connection, reported: {} }])
        assert.deepStrictEqual(yield* own, [])
        assert.isTrue(yield* store.receive(id, connection.id, "first", true))
        assert.strictEqual((yield* own).length, 1)
        assert.isFalse(yield* store.receive(id, connection.id, "first", true))
        assert.deepStrictEqual(yield* own, [])
        yield* store.purge
        assert.isFalse(yield* store.receive(id, connection.id, "first", true))
        const other = yield* place
        assert.isFalse(yield* store.receive(other.id, connection.id, "second", true))
        assert.isTrue(yield* store.receive(id, connection.id, "third", false))
        assert.deepStrictEqual(yield* own, [])
        assert.isFalse(yield* store.receive(id, connection.id, "third", true))
        assert.deepStrictEqual(yield* own, [])
      })
    )

    it.effect("keeps the culprit of each red repository until it is green", () =>
      Effect.gen(function* () {
        const { connection, id } = yield* place
        const store = yield* ConnectionStore
        const reported = Effect.gen(function* () {
          yield* store.receive(id, connection.id, crypto.randomUUID(), true)
          return (yield* store.due(3600)).find(({ workspace }) => workspace === id)?.reported
        })
        yield* store.report(id, connection.id, address, Pulls.commit("a"))
        yield* store.report(id, connection.id, "https://git.acme.test/acme/web", Pulls.commit("b"))
        yield* store.report(id, connection.id, address, Pulls.commit("c"))
        assert.deepStrictEqual(yield* reported, {
          [address]: Pulls.commit("c"),
          "https://git.acme.test/acme/web": Pulls.commit("b")
        })
        yield* store.report(id, connection.id, address, null)
        assert.deepStrictEqual(yield* reported, { "https://git.acme.test/acme/web": Pulls.commit("b") })
      })
    )

    it.effect("pull requests on a host are found by their address there, and listed while they are open", () =>
      Effect.gen(function* () {
        const [{ id }, other] = [yield* place, yield* place]
        const store = yield* PullRequestStore
        const url = `${address}/pull/12`
        const onHost = { number: Pulls.number(12), url }
        const { record } = yield* Pulls.open(id, { repository: address, onHost })
        assert.deepStrictEqual([record.hostNumber, record.hostUrl], [12, url])
        assert.deepStrictEqual(yield* store.find(id, { hostUrl: url }), record)
        assert.isNull(yield* store.find(other.id, { hostUrl: url }))
        assert.deepStrictEqual(yield* store.opened(id, address), [record])
        assert.deepStrictEqual(yield* store.opened(other.id, address), [])
        yield* Pulls.merge(id, record.number)
        assert.deepStrictEqual(yield* store.opened(id, address), [])
      })
    )
  })
