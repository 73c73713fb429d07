import { Effect, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { createRequire } from "node:module"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Connections from "../../application/codehost/Connections.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import { newConnection } from "../application/house.ts"
import { long } from "../support/Long.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { turns } from "../support/Share.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask, start, type World } from "../support/World.ts"

type Json = Readonly<Record<string, unknown>>

const examples = createRequire(import.meta.url)("@octokit/webhooks-examples") as ReadonlyArray<{
  readonly name: string
  readonly examples: ReadonlyArray<Json>
}>

interface Sent {
  readonly event: string
  readonly body: string
}

const every: ReadonlyArray<Sent> = examples.flatMap(({ examples: all, name }) =>
  all.map((payload) => ({ event: name, body: JSON.stringify(payload) }))
)

const ghost = { login: "ghost", id: 10_137, type: "User" }

const map = (value: unknown, change: (one: unknown) => unknown): unknown =>
  Array.isArray(value)
    ? value.map((one) => change(map(one, change)))
    : typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(map(one, change))]))
      : value

const without = (payload: Json, name: string) =>
  Object.fromEntries(Object.entries(payload).filter(([key]) => key !== name))

/** Forms that a payload may take on its way through versions of GitHub, its settings and strangers who know the secret. */
const spoiled: Readonly<Record<string, (payload: Json) => unknown>> = {
  "no sender": (payload) => without(payload, "sender"),
  "a ghost": (payload) => ({ ...payload, sender: ghost }),
  "no repository": (payload) => ({ ...without(payload, "repository"), organization: { login: "acme", id: 1 } }),
  "null instead of objects": (payload) =>
    Object.fromEntries(Object.entries(payload).map(([key, one]) => [key, typeof one === "object" ? null : one])),
  "lists instead of objects": (payload) =>
    map(payload, (one) => (typeof one === "object" && one !== null && !Array.isArray(one) ? [one] : one)),
  "other types": (payload) =>
    map(payload, (one) => (typeof one === "string" ? 1 : typeof one === "number" ? String(one) : one)),
  "an unknown action": (payload) => ({ ...payload, action: "evaporated" }),
  "a list": (payload) => [payload],
  "a repository of others": (payload) => ({ ...payload, repository: { id: 1, full_name: "../../etc/passwd" } })
}

const mutations = every.flatMap((sent) => Object.values(spoiled).map((spoil) => ({ ...sent, spoil })))

const mutated = ({ body, event, spoil }: (typeof mutations)[number]): Sent => ({
  event,
  body: JSON.stringify(spoil(JSON.parse(body) as Json))
})

/** Texts that are no payload at all, though they are signed. */
const odd: ReadonlyArray<Sent> = ["", "null", "0", "[]", '"x"', "{", "\u0000", `{"a":${"[".repeat(5000)}`, "{}"].map(
  (body) => ({
    event: "pull_request",
    body
  })
)

const events = [
  "",
  " ",
  "PULL_REQUEST",
  "pull_request\t",
  "__proto__",
  "constructor",
  "x".repeat(5000),
  "é".normalize("NFD").slice(0, 1)
]

const secret = "the secret of the hook"
const sign = (body: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`

const suite = (name: string, stores: typeof Memory.layer | typeof TestPostgres.layer) =>
  describe(`payloads of webhooks (${name})`, () => {
    let world: World
    let place: Effect.Effect.Success<typeof Seed.workspace>
    let path: string
    let next = 0
    beforeAll(async () => {
      world = await start(stores)
      place = await world.run(Seed.workspace)
      await world.run(Seed.load(place.slug, Seed.small))
      const owner = await world.run(People.person(place.slug))
      const made = await world.run(
        Connections.create(owner, { ...newConnection, webhookSecret: Redacted.make(secret) })
      )
      path = `/hooks/github/${made.connection.token}`
      await due()
    })
    afterAll(() => world?.close())

    const due = async () => (await world.run(Effect.flatMap(ConnectionStore, (store) => store.due(3600)))).length

    const post = ({ body, event }: Sent) =>
      ask(world.url, path, {
        method: "POST",
        body,
        headers: {
          "content-type": "application/json",
          "x-hub-signature-256": sign(body),
          "x-github-delivery": `delivery-${next++}`,
          "x-github-event": event
        }
      })

    const entries = () =>
      world.run(
        Effect.flatMap(AuditLog, (log) => Effect.orDie(log.page(place.id, Seed.anyEntry, { limit: 100, before: null })))
      )

    it("are all accepted, change nothing, and make the service look where they may matter to it", async () => {
      const before = (await entries()).items
      const looked = new Map<string, boolean>()
      for (const sent of [
        ...turns(every),
        ...turns(mutations, 60).map(mutated),
        ...odd,
        ...events.map((event) => ({ event, body: "{}" }))
      ]) {
        const { body, status, text } = await post(sent)
        assert.deepStrictEqual(
          [status, body.accepted],
          [202, true],
          `${sent.event}: ${text} for ${sent.body.slice(0, 300)}`
        )
        const isLooked = (await due()) === 1
        // An issue is a hint to the binding of its project alone.
        assert.strictEqual(isLooked, body.ignored !== true && sent.event !== "issues")
        assert.strictEqual(looked.get(sent.event) ?? isLooked, isLooked)
        looked.set(sent.event, isLooked)
      }
      for (const [event, expected] of [
        ["pull_request", true],
        ["check_run", true],
        ["star", false],
        ["ping", false],
        ["fork", false],
        ["issues", false],
        ["__proto__", false]
      ] as const)
        assert.strictEqual(looked.get(event) ?? expected, expected, event)
      assert.strictEqual((await entries()).items, before)
    })

    long(() => {
      it("are as large as GitHub sends them, and not larger", async () => {
        const large = (length: number) => ({ event: "push", body: JSON.stringify({ text: "x".repeat(length - 11) }) })
        assert.strictEqual((await post(large(26_214_400))).status, 202)
        assert.strictEqual((await post(large(26_214_401))).status, 413)
      })
    })
  })

suite("memory", Memory.layer)
long(() => suite("postgres", TestPostgres.layer))
