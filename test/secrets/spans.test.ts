import { Cause, Effect, Exit, Layer, Redacted, Tracer } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import * as Places from "../../application/oncall/Places.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as Equipment from "../support/Equipment.ts"
import * as Seed from "../support/Seed.ts"
import { signed, source } from "../support/Source.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask, start, type World } from "../support/World.ts"
import { canary, sightings, type Trace } from "./Canaries.ts"

const spans: Array<Trace> = []

/** Keeps everything that a span would expose. */
const recording = Tracer.make({
  span: (name, parent, context, links, startTime, kind, options) => {
    const note = (...said: ReadonlyArray<unknown>) =>
      spans.push({ where: name, text: [name, ...said].map(String).join(" ") })
    const attributes = new Map<string, unknown>()
    const attribute = (key: string, value: unknown) => {
      attributes.set(key, value)
      note(key, typeof value === "object" ? JSON.stringify(value) : value)
    }
    for (const [key, value] of Object.entries(options?.attributes ?? {})) attribute(key, value)
    note(kind)
    return {
      _tag: "Span",
      name,
      spanId: "span",
      traceId: "trace",
      parent,
      context,
      status: { _tag: "Started", startTime },
      attributes,
      links: [...links],
      sampled: true,
      kind,
      attribute,
      event: (event, _, told) => void note(event, JSON.stringify(told)),
      addLinks: () => {},
      end: (_, exit) => {
        if (Exit.isFailure(exit)) note(Cause.pretty(exit.cause, { renderErrorCause: true }))
      }
    }
  },
  context: (use) => use()
})

let world: World
beforeAll(async () => {
  world = await start(TestPostgres.layer, {}, Layer.setTracer(recording))
})
afterAll(() => world?.close())

it("no span holds a secret", async () => {
  const planted = {
    wrongToken: `tk_${canary("WrongToken").padEnd(32, "0").slice(0, 32)}`,
    queryToken: canary("QueryToken"),
    wrongKey: canary("WrongKey"),
    signature: canary("Signature"),
    bodyPassword: canary("BodyPassword"),
    toolSecret: canary("ToolSecret"),
    credentials: canary("Credentials"),
    place: canary("PlacePath")
  }
  const { owner, path, secret, slug, source: tool } = await world.run(source())
  const azure = await world.run(source("azure-monitor"))
  const { value: token } = await world.run(Seed.token(slug, ["read", "write"]))
  const address = Redacted.make(`https://chat.example.com/${planted.place}`)
  const told = Effect.all([
    Sources.setSecret(owner, "tool", Redacted.make(planted.toolSecret)),
    Effect.flip(Sources.setCredentials(owner, "tool", Redacted.make(planted.credentials))),
    Places.add(owner, { team: "payments" as TeamSlug, name: "chat", address })
  ])
  await world.run(Effect.provide(told, Equipment.layer))
  const body = JSON.stringify({ title: "Leak", password: planted.bodyPassword })
  const post = (to: string, headers = {}) => ask(world.url, to, { method: "POST", body, headers })
  const answers = [
    await ask(world.url, "/v1/teams", { token }),
    await ask(world.url, `/v1/audit?token=${planted.queryToken}`, { token }),
    await ask(world.url, `/nowhere?token=${planted.queryToken}`, { token }),
    await ask(world.url, "/v1/runs", { token: planted.wrongToken }),
    await post(path, signed(planted.toolSecret, body)),
    await post(path, { "x-service-signature": planted.signature }),
    await post(`${azure.path}?key=${planted.wrongKey}`),
    await post(`${azure.path}?key=${azure.secret}`)
  ]
  assert.deepStrictEqual(
    answers.map(({ status }) => status),
    [200, 200, 404, 401, 202, 401, 401, 400]
  )
  const names = new Set(spans.map(({ where }) => where))
  for (const name of ["sql.execute", "Sources.setCredentials", "Places.add"]) assert.include([...names], name)
  const secrets = { ...planted, token, secret, azure: azure.secret, address: tool.token }
  assert.deepStrictEqual(sightings(secrets, spans), {})
})

it("a secret is seen in whichever form it is told", () => {
  const secret = canary("Seen")
  const bytes = Buffer.from(secret)
  const told = [
    `a ${secret} b`,
    ...["", "u", "us", "user:"].map((before) => Buffer.from(`${before}${secret}, and more`).toString("base64")),
    Buffer.from(`x${secret}`).toString("base64url"),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase()
  ]
  for (const text of told)
    assert.deepStrictEqual(sightings({ secret }, [{ where: "here", text }]), { secret: ["here"] }, text)
  assert.deepStrictEqual(sightings({ secret }, [{ where: "here", text: canary("Other") }]), {})
})
