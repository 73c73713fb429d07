import { Effect, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Connections from "../../application/codehost/Connections.ts"
import { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import { newConnection } from "../application/house.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask, start, type World } from "../support/World.ts"

const secret = "the secret of the hook"

const sign = (body: string, key = secret) => `sha256=${createHmac("sha256", key).update(body).digest("hex")}`

for (const [name, stores] of [
  ["memory", Memory.layer],
  ["postgres", TestPostgres.layer]
] as const)
  describe(`webhooks of GitHub (${name})`, () => {
    let world: World
    let path: string
    let id: string
    beforeAll(async () => {
      world = await start(stores)
      const { slug } = await world.run(Seed.workspace)
      const owner = await world.run(People.person(slug))
      const made = await world.run(
        Connections.create(owner, { ...newConnection, webhookSecret: Redacted.make(secret) })
      )
      path = `/hooks/github/${made.connection.token}`
      id = made.connection.id
      await world.run(Effect.flatMap(ConnectionStore, (store) => store.due(3600)))
    })
    afterAll(() => world?.close())

    const post = (body: string, headers: Record<string, string>, to = path) =>
      ask(world.url, to, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })

    const due = async () =>
      (await world.run(Effect.flatMap(ConnectionStore, (store) => store.due(3600)))).filter(
        ({ connection }) => connection.id === id
      ).length

    it("ignore an issue of a project that no tracker names so", async () => {
      for (const [at, issue] of [
        ["acme/pay\0", { id: 1, number: 1 }],
        ["acme/\u202Epay", { id: 1, number: 1 }],
        ["x".repeat(201), { id: 1, number: 1 }],
        ["acme/pay", { id: 1, number: 0 }]
      ] as const) {
        const body = JSON.stringify({ issue, repository: { full_name: at } })
        const { status, text } = await post(body, {
          "x-hub-signature-256": sign(body),
          "x-github-delivery": crypto.randomUUID(),
          "x-github-event": "issues"
        })
        assert.deepStrictEqual([status, JSON.parse(text)], [202, { accepted: true, ignored: true }])
      }
    })

    it("are proven over their raw bytes, answered at once, and make the service look once each", async () => {
      const body = '{"action":"closed",  "text":"\\u00fc ü"}'
      const headers = {
        "x-hub-signature-256": sign(body),
        "x-github-delivery": "one",
        "x-github-event": "pull_request"
      }
      assert.deepStrictEqual((await post(body, headers)).status, 202)
      assert.strictEqual(await due(), 1)
      const again = await post(body, headers)
      assert.deepStrictEqual([again.status, JSON.parse(again.text)], [202, { accepted: false }])
      assert.strictEqual(await due(), 0)
      const form = "payload=%7B%7D"
      const other = { "x-hub-signature-256": sign(form).toUpperCase().replace("SHA256", "sha256") }
      const typed = { "content-type": "application/x-www-form-urlencoded", "x-github-delivery": "two" }
      assert.strictEqual((await post(form, { ...other, ...typed })).status, 202)
      assert.strictEqual(await due(), 1)
    })

    it("are refused without the right proof, at another address, or by another method", async () => {
      const body = "{}"
      const delivery = { "x-github-delivery": "three" }
      const codes = async (headers: Record<string, string>, to = path) => {
        const { status, text } = await post(body, headers, to)
        return [status, (JSON.parse(text) as { readonly error: { readonly code: string } }).error.code]
      }
      assert.deepStrictEqual(await codes(delivery), [401, "invalid_proof"])
      assert.deepStrictEqual(await codes({ ...delivery, "x-hub-signature-256": sign(body, "other") }), [
        401,
        "invalid_proof"
      ])
      assert.deepStrictEqual(await codes({ ...delivery, "x-hub-signature-256": sign(`${body} `) }), [
        401,
        "invalid_proof"
      ])
      assert.deepStrictEqual(await codes({ "x-hub-signature-256": sign(body) }), [401, "invalid_proof"])
      const nowhere = `/hooks/github/${"x".repeat(32)}`
      assert.deepStrictEqual(await codes({ ...delivery, "x-hub-signature-256": sign(body) }, nowhere), [
        404,
        "route_not_found"
      ])
      assert.deepStrictEqual(await codes(delivery, "/hooks/gitlab/x"), [404, "route_not_found"])
      assert.strictEqual((await ask(world.url, path, { method: "GET" })).status, 405)
      assert.strictEqual(await due(), 0)
    })
  })
