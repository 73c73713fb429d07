import { Cause, Effect, Exit, Layer, Logger, LogLevel, Redacted, Tracer } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import * as Places from "../../application/oncall/Places.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import * as SignIn from "../../application/workspace/SignIn.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as Equipment from "../support/Equipment.ts"
import * as Seed from "../support/Seed.ts"
import { signed, source } from "../support/Source.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask, start, type World } from "../support/World.ts"
import { browser } from "../web/Visiting.ts"
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

const logging = Logger.add(
  Logger.make((line) => void spans.push({ where: "log", text: Logger.logfmtLogger.log(line) }))
)

let world: World
beforeAll(async () => {
  world = await start(
    TestPostgres.layer,
    {},
    Layer.mergeAll(Layer.setTracer(recording), logging, Logger.minimumLogLevel(LogLevel.Debug))
  )
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

it("no span and no line of the log holds a sign-in link or a session", async () => {
  const { slug } = await world.run(Seed.workspace)
  const { url } = await world.run(SignIn.makeLink({ workspace: slug, email: Seed.ownerEmail }))
  const link = Redacted.value(url).split("/").at(-1) ?? ""
  const stranger = browser(world.url, null)
  const wrong = [
    `/nowhere/sign-in/${link}`,
    `/sign-in%2F${link}`,
    `/sign-in/${link}/more`,
    `/${link}`,
    `/assets/${link}`
  ]
  const opened = await stranger.get(`/sign-in/${link}`)
  const used = await stranger.post(`/sign-in/${link}`, {})
  const cookie = String(used.headers["set-cookie"]).split(";")[0] ?? ""
  const answers = [
    opened,
    used,
    await stranger.get(`/sign-in/${link}`),
    await stranger.post(`/sign-in/${link}`, {}),
    await browser(world.url, cookie).get(`/${slug}/decisions`)
  ]
  assert.deepStrictEqual(
    answers.map(({ status }) => status),
    [200, 303, 410, 410, 200]
  )
  for (const path of wrong) assert.strictEqual((await stranger.get(path)).status, 404, path)
  const told = spans.filter(({ where }) => where === "log").map(({ text }) => text)
  assert.isTrue(told.some((line) => line.includes("GET /sign-in/… 200")))
  assert.deepStrictEqual(sightings({ link, session: cookie.split("=")[1] ?? "" }, spans), {})
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
