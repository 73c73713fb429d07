import { incidentsOf } from "../support/OnCall.ts"
import { SqlClient } from "@effect/sql"
import { Effect, Exit, Layer, Option, Redacted, Schedule, Scope } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import type { Person } from "../../application/workspace/Authorization.ts"
import * as SignIn from "../../application/workspace/SignIn.ts"
import * as Incidents from "../../application/oncall/Incidents.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import * as Services from "../../application/oncall/Services.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import type { JobKind } from "../../domain/work/Job.ts"
import type { DeliveryId } from "../../domain/oncall/Delivery.ts"
import type { IncidentView } from "../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { fires } from "../domain/oncall/TriageScene.ts"
import { mailServer } from "../notify/MailServer.ts"
import { type Station, station } from "../support/Station.ts"
import type { Program, Settings } from "../support/Process.ts"
import { ownerEmail } from "../support/Seed.ts"
import { source } from "../support/Source.ts"
import type { Answer, Stores } from "../support/World.ts"
import { sightings, type Trace } from "./Canaries.ts"
import { parrot, planted, tables } from "./Planted.ts"
import { requests } from "./Requests.ts"
import { today } from "../support/Share.ts"
import { isLong } from "../support/Long.ts"
import * as Terminal from "../cli/Terminal.ts"

let at: Station
let scope: Scope.CloseableScope
beforeAll(async () => {
  at = await station()
  scope = await Effect.runPromise(Scope.make())
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await at.close()
})

const held = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.extend(effect, scope))

const spoken = (where: string, program: Program): Trace => ({ where, text: `${program.out()}\n${program.err()}` })

const answered = ({ headers, status, text }: Answer): Trace => ({
  where: "an answer",
  text: `${status} ${text} ${JSON.stringify(headers)}`
})

const nameOf = (words: ReadonlyArray<string>) =>
  `'${words
    .slice(
      0,
      words.findIndex((word) => word.startsWith("--"))
    )
    .join(" ")}'`

/** The test of a connection fails, since the server here answers with what it was asked. */
const codeOf = (words: ReadonlyArray<string>) => (words.includes("test") ? 1 : 0)

/** Runs a command with this input in this process, and keeps its output. */
const typed = async (input: string, words: ReadonlyArray<string>): Promise<Trace> => {
  const terminal = Terminal.open(Layer.succeedContext(await at.run(Effect.context<Stores>())))
  terminal.pipe(input)
  const { code, err, out } = await terminal.gatehouse(...words)
  await terminal.close()
  assert.strictEqual(code, codeOf(words), err.join("\n"))
  return { where: nameOf(words), text: [...out, ...err].join("\n") }
}

/** The same in a process; in the short form of one command only. */
const gatehouse = async (settings: Settings, input: string, ...words: ReadonlyArray<string>) => {
  if (!isLong && !words.includes("credentials")) return typed(input, words)
  const feed = `printf '%s' "$INPUT" | "$NODE" dist/main.js "$@"`
  const program = at.launch("sh", ["-c", feed, "sh", ...words], { ...settings, INPUT: input, NODE: process.execPath })
  const { code, err } = await program.ended()
  assert.strictEqual(code, codeOf(words), err)
  return spoken(nameOf(words), program)
}

/** Sources with secrets, one that fires at once, and a member to notify. */
const setUp = (owner: Person, port: number) =>
  Effect.gen(function* () {
    const plain = { services: ["checkout"], secret: null, isTimestampRequired: false }
    const pager = yield* Sources.create(owner, { ...plain, name: "pager", kind: "pagerduty" })
    const check = { url: `http://127.0.0.1:${port}/health?key=${planted.checkQuery}` }
    yield* Sources.create(owner, { ...plain, name: "shop", kind: "uptime", check })
    yield* Sources.setSecret(owner, "tool", Redacted.make(planted.toolSecret))
    yield* Services.set(owner, "checkout", { notify: [ownerEmail], acknowledgeInSource: true })
    const { workspace } = owner
    const id = crypto.randomUUID() as string as DeliveryId
    const signals = [fires("PD1", { severity: "critical" })]
    const delivery = { workspace, source: pager.source.id, id, name: null, signals, known: [], body: "{}" }
    yield* (yield* SignalStore).receive(delivery)
    return { pagerToken: pager.source.token, pagerSecret: Redacted.value(pager.secret) }
  })

/** True once jobs of these kinds have failed. */
const haveFailed = (...kinds: ReadonlyArray<JobKind>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly kind: JobKind }>`SELECT DISTINCT kind FROM jobs WHERE error IS NOT NULL AND tries > 0`,
      (found) => kinds.every((kind) => found.some((one) => one.kind === kind))
    )
  )

const resolveAll = (owner: Person) =>
  Effect.gen(function* () {
    for (const json of yield* incidentsOf(owner.workspace)) {
      const { key, status } = JSON.parse(json) as typeof IncidentView.Encoded
      if (status === "open") yield* Incidents.resolve(owner, key as IncidentKey)
    }
  })

const until = (isDone: Effect.Effect<boolean, unknown, SqlClient.SqlClient | Stores>) =>
  Effect.repeat(isDone, { until: (is) => is, schedule: Schedule.spaced("50 millis") })

/** Mails and posts are refused, then the update of the source after a resolution by hand; its incident may open last. */
const refused = (owner: Person) =>
  Effect.gen(function* () {
    yield* until(haveFailed("notify_member", "post_to_place"))
    yield* until(Effect.zipRight(resolveAll(owner), haveFailed("update_source")))
  }).pipe(Effect.timeoutOption("60 seconds"))

/** Failing starts, with their output. */
const badStarts = (settings: Settings & { readonly DATABASE_URL: string }) =>
  Promise.all(
    today([
      { DATABASE_URL: `postgres://nobody:${planted.database}@127.0.0.1:1/gatehouse` },
      { DATABASE_URL: settings.DATABASE_URL.replace(/\/\/[^:]*:/, "//stranger:") },
      { DATABASE_URL: planted.badSetting },
      { SECRET_KEY: planted.badSetting },
      { SECRET_KEY_OLD: planted.badSetting },
      { SMTP_URL: `http://me:${planted.badSetting}@127.0.0.1` },
      { OIDC_CLIENT_SECRET: planted.badSetting }
    ]).map(async (setting) => {
      const program = at.launch(process.execPath, ["dist/main.js"], {
        ...settings,
        DATABASE_WAIT_SECONDS: "0",
        ...setting
      })
      assert.notStrictEqual((await program.ended()).code, 0)
      return spoken(`a start with a bad ${Object.keys(setting)[0]}`, program)
    })
  )

it("no secret that is given is told or kept, but where it is shown once", async () => {
  const [outside, mails] = [await held(parrot), await held(mailServer)]
  const [{ owner, path, secret, slug }, azure] = [await at.run(source()), await at.run(source("azure-monitor"))]
  const { pagerSecret, pagerToken } = await at.run(setUp(owner, outside.port))
  const address = at.settings.DATABASE_URL.replace("@localhost", `:${planted.database}@localhost`)
  const settings = { ...at.settings, DATABASE_URL: address, LOG_LEVEL: "debug", DEMO: "off" }

  const as = ["--workspace", slug, "--as", ownerEmail]
  const chat = `http://127.0.0.1:${outside.port}/${planted.placePath}?token=${planted.placeQuery}`
  const key = JSON.stringify({ key: planted.credentials, from: ownerEmail, api: `http://127.0.0.1:${outside.port}` })
  const me = ["--workspace", slug, "--member", ownerEmail, "--name", "me", "--permissions", "read,write"]
  const [token, made, ...others] = await Promise.all([
    gatehouse(settings, "", "token", "create", ...me, "--expires", "30d"),
    gatehouse(settings, "", "source", "create", ...as, "--name", "cli", "--kind", "generic", "--services", "checkout"),
    gatehouse(settings, chat, "team", "place", "add", ...as, "--team", "payments", "--name", "chat", "--url-stdin"),
    gatehouse(settings, key, "source", "credentials", ...as, "--name", "pager", "--stdin")
  ])
  const linked = await gatehouse(settings, "", "member", "sign-in-link", "--workspace", slug, "--email", ownerEmail)
  const hub = ["--name", "github", "--kind", "github", "--base-url", `http://127.0.0.1:${outside.port}`]
  const reaching = { ...settings, OUTGOING_ALLOW: "127.0.0.0/8", OUTGOING_HTTP: "on" }
  const connected = await gatehouse(
    settings,
    planted.connection,
    "connection",
    "create",
    ...as,
    ...hub,
    "--token-stdin"
  )
  const tested = await gatehouse(reaching, "", "connection", "test", ...as, "--name", "github")
  assert.include(tested.text, "github")
  const link = /gtl_[\w-]{43}/.exec(linked.text)?.[0] ?? assert.fail("no link was shown")
  const lists = await Promise.all([
    gatehouse(settings, "", "source", "list", ...as, "--json"),
    gatehouse(settings, "", "team", "place", "list", ...as, "--team", "payments", "--json")
  ])
  const bearer = /tk_[A-Za-z0-9]{32}/.exec(token.text)?.[0] ?? assert.fail("no token was shown")
  const shown = /\/signals\/([A-Za-z0-9]{32})[\s\S]*?shown this once[^:]*: (\S+)/.exec(made.text)
  const [, cliToken = "", cliSecret = ""] = shown ?? assert.fail("no source was shown")

  const { service, url } = await at.serve({
    ...settings,
    SMTP_URL: `smtp://gatehouse:${planted.smtp}@127.0.0.1:${mails.port}`,
    OIDC_ISSUER: `http://127.0.0.1:${outside.port}`,
    OIDC_CLIENT_ID: "gatehouse",
    OIDC_CLIENT_SECRET: planted.openId,
    OUTGOING_ALLOW: "127.0.0.0/8",
    OUTGOING_HTTP: "on"
  })
  const cli = { path: `/signals/${cliToken}`, secret: cliSecret }
  const all = requests(url, { bearer, generic: { path, secret }, azure, made: cli })
  const answers: Array<Answer> = []
  for (const [status, send] of all) {
    const answer = await send()
    assert.strictEqual(answer.status, status, answer.text)
    answers.push(answer)
  }
  const browser = { userAgent: null, address: "::1", requestId: null, session: Option.none() }
  const { token: session } = await at.run(SignIn.useLink(Redacted.make(link), browser))
  assert.isTrue(Option.isSome(await at.run(refused(owner))), "not all that follows an incident was tried")
  await at.endDatabase()
  const needy = all.filter(([status]) => status < 300)
  for (const [, send] of needy) answers.push(await send())
  assert.deepStrictEqual(new Set(answers.slice(all.length).map(({ status }) => status)), new Set([503]))
  await at.beginDatabase()
  service.signal("SIGTERM")
  await service.ended()
  assert.include(service.err(), "POST /signals/… 401")

  const kept = await at.run(tables)
  for (const table of ["jobs", "audit_entries", "deliveries", "sessions", "sign_in_links"])
    assert.isTrue(kept.some(({ where }) => where === `table ${table}`))
  const commands = [token, made, linked, connected, tested, ...others, ...lists]
  const traces = [spoken("the log", service), ...commands, ...answers.map(answered), ...(await badStarts(settings))]
  const secrets = {
    ...planted,
    token: bearer,
    link,
    session: Redacted.value(session),
    cliSecret,
    cliToken,
    pagerSecret,
    pagerToken,
    sourceSecret: secret,
    azureSecret: azure.secret,
    secretKey: Buffer.from(at.settings.SECRET_KEY, "base64").toString("latin1")
  }
  assert.deepStrictEqual(sightings(secrets, [...traces, ...kept]), {
    token: ["'token create'"],
    link: ["'member sign-in-link'"],
    cliSecret: ["'source create'"],
    // Half of a secret: a source's address, which proves nothing.
    cliToken: ["'source create'", "'source list'", "table signal_sources"],
    pagerToken: ["'source list'", "table signal_sources"],
    // Labels describe the problem to people: they are stored as received, and shown to members.
    label: ["table alerts", "table deliveries"],
    // A checked address is stored as given, and shown without its query.
    checkQuery: ["table signal_sources"]
  })
})
