import { type Config, ConfigProvider, Duration, Effect, Either, Option, Redacted } from "effect"
import ipaddr from "ipaddr.js"
import { assert, describe, it } from "vitest"
import { explain } from "../../adapters/cli/Failures.ts"
import { printable } from "../../domain/value/Text.ts"
import * as Settings from "../../adapters/Settings.ts"

const given = (settings: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings))))

/** The stderr of a start with these settings; empty when they are valid. */
const told = (settings: Readonly<Record<string, string>>) =>
  Effect.consoleWith((console) => {
    const lines: Array<string> = []
    return Settings.all.pipe(
      given(settings),
      Effect.catchAllCause(explain(false)),
      Effect.withConsole({ ...console, error: (text: string) => Effect.sync(() => void lines.push(text)) }),
      Effect.either,
      Effect.map((exit) => (Either.isRight(exit) ? "" : lines.join("\n")))
    )
  }).pipe(Effect.runSync)

const port = "a port number from 0 to 65535"
const database = "an address such as postgres://user:password@host:5432/database"
const key = "32 bytes in base64, such as 'openssl rand -base64 32' prints"
const oldKeys = "keys of 32 bytes in base64, with commas between them"
const lost = "ids of keys, as a start names them that cannot open what they sealed"
const connections = "a number from 1 to 65535"
const wait = "a number of seconds from 0 to 3600"
const onOff = "one of on, off, true, false, 1, 0"
const days = "a number of days from 1 to 3650"
const web = "an http or https address without user name and password"
const ranges = "address ranges such as 10.0.0.0/8, ::1/128"
const smtp = "an address such as smtp://user:password@host:587"
const issuer = "an https address, or an http address of this machine, without query and password"
const visible = "at most 500 visible characters"
const from = "an e-mail address such as Gatehouse <gatehouse@example.com>"

describe("a bad setting is told with its name, its value and what is allowed", () => {
  it.each([
    ["PORT", "abc", port],
    ["PORT", "70000", port],
    ["PORT", "-1", port],
    ["PORT", "80.5", port],
    ["PORT", "0x50", port],
    ["PORT", " 80", port],
    ["TRUST_PROXY", "maybe", onOff],
    ["DEMO", "maybe", onOff],
    ["LOG_LEVEL", "loud", "one of debug, info, warn, error"],
    ["PUBLIC_URL", "nope", web],
    ["MAX_CONNECTIONS", "0", connections],
    ["MAX_CONNECTIONS", "many", connections],
    ["DATABASE_WAIT_SECONDS", "3601", wait],
    ["DATABASE_WAIT_SECONDS", "1m", wait],
    ["SECRET_KEY_LOST", "my key", lost],
    ["PUBLIC_URL", "ftp://example.test", web],
    ["SIGNAL_WEBHOOK_URL", "nope", web],
    ["KEEP_DELIVERIES_DAYS", "0", days],
    ["KEEP_DELIVERIES_DAYS", "3651", days],
    ["KEEP_JOBS_DAYS", "a week", days],
    ["OUTGOING_ALLOW", "10.0.0.0", ranges],
    ["OUTGOING_ALLOW", "10/8", ranges],
    ["OUTGOING_ALLOW", "10.0.0.0/8, ::1/129", ranges],
    ["OUTGOING_ALLOW", "10.0.0.0/8,", ranges],
    ["OUTGOING_ALLOW", "all", ranges],
    ["OUTGOING_HTTP", "maybe", onOff],
    ["TELEMETRY", "maybe", onOff],
    ["OIDC_ISSUER", "login.example.test", issuer],
    ["OIDC_ISSUER", "http://login.example.test", issuer],
    ["OIDC_CLIENT_ID", "two words", visible],
    ["MAIL_FROM", "Gatehouse", from],
    ["MAIL_FROM", "Gatehouse <gatehouse>", from],
    ["MAIL_FROM", "a@example.test, b@example.test", from],
    ["MAIL_FROM", "Gate\r\nBcc: <a@example.test>", from]
  ])("%s=%s", (name, value, allowed) => {
    assert.strictEqual(told({ [name]: value }), `${name} must be ${allowed}; got '${printable(value)}'`)
  })

  it.each([
    ["DATABASE_URL", "mysql://user:s3cret@db/x", database],
    ["DATABASE_URL", "s3cret", database],
    ["SMTP_URL", "http://user:s3cret@mail.example.test", smtp],
    ["SMTP_URL", "smtp://", smtp],
    ["SMTP_URL", "mail.example.test:s3cret", smtp],
    ["OIDC_CLIENT_SECRET", "two s3crets", visible],
    ["SECRET_KEY_OLD", "s3cret", oldKeys],
    ["SECRET_KEY_OLD", `${Buffer.alloc(32).toString("base64")},s3cret`, oldKeys],
    ["SECRET_KEY", "s3cret", key],
    ["SECRET_KEY", Buffer.from("31 bytes, one too few s3cret...").toString("base64"), key]
  ])("%s=%s, which may hold a secret, without its value", (name, value, allowed) => {
    assert.strictEqual(told({ [name]: value }), `${name} must be ${allowed}; got another value`)
  })

  it.each([
    ["ftp://user:s3cret@gate.example.test", "'ftp://…@gate.example.test'"],
    ["https://user:s3cret@gate.example.test", "'https://…@gate.example.test'"],
    ["https://s3cret@gate.example.test/x", "'https://…@gate.example.test/x'"],
    ["user:s3cret@gate.example.test", "'…@gate.example.test'"],
    ["ftp://user:s3/cr@et@gate.example.test", "'ftp://…@gate.example.test'"],
    ["gate.example.test?key=s3cret", "'gate.example.test?…'"],
    ["ftp://gate.example.test/#s3cret", "'ftp://gate.example.test/?…'"]
  ])("PUBLIC_URL=%s, without the secret in it", (value, shown) => {
    for (const name of ["PUBLIC_URL", "SIGNAL_WEBHOOK_URL"])
      assert.strictEqual(told({ [name]: value }), `${name} must be ${web}; got ${shown}`)
  })

  it("OIDC_ISSUER=https://user:s3cret@login.example.test, without the secret in it", () => {
    const shown = told({ OIDC_ISSUER: "https://user:s3cret@login.example.test" })
    assert.strictEqual(shown, `OIDC_ISSUER must be ${issuer}; got 'https://…@login.example.test'`)
  })

  it.each([
    ["OIDC_CLIENT_SECRET", { OIDC_ISSUER: "https://login.example.test", OIDC_CLIENT_ID: "gatehouse" }],
    ["OIDC_CLIENT_ID", { OIDC_ISSUER: "https://login.example.test", OIDC_CLIENT_SECRET: "s3cret" }],
    ["OIDC_ISSUER", { OIDC_CLIENT_SECRET: "s3cret" }]
  ])("%s without the settings that belong to it", (name, settings) => {
    const all = "OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET are set together"
    assert.strictEqual(told(settings), `${name} must be set, too: ${all}; got ''`)
  })

  it("together with every other bad one", () => {
    const lines = told({ PORT: "abc", DEMO: "maybe", LOG_LEVEL: "loud" }).split("\n")
    assert.deepStrictEqual(
      lines.map((line) => line.split(" ")[0]),
      ["PORT", "DEMO", "LOG_LEVEL"]
    )
  })
})

it("a setting that is set to nothing is not set", () => {
  const names = ["PORT", "HOST", "DATABASE_URL", "DATA_DIR", "PUBLIC_URL", "SIGNAL_WEBHOOK_URL", "SECRET_KEY"]
  const outgoing = ["SECRET_KEY_OLD", "SECRET_KEY_LOST", "OUTGOING_ALLOW", "OUTGOING_HTTP", "SMTP_URL", "MAIL_FROM"]
  const provider = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"]
  const nothing = Object.fromEntries(
    [...names, ...outgoing, ...provider, "TRUST_PROXY", "DEMO", "LOG_LEVEL", "KEEP_JOBS_DAYS"].map((name) => [name, ""])
  )
  const read = (settings: Readonly<Record<string, string>>) => Effect.runSync(given(settings)(Settings.all))
  assert.deepStrictEqual(read(nothing), read({}))
  const [
    number,
    host,
    most,
    url,
    wait,
    folder,
    ,
    ,
    secret,
    old,
    lost,
    trustProxy,
    demo,
    level,
    ,
    allowed,
    isHttpAllowed,
    telemetry,
    smtpUrl,
    sender
  ] = read({})
  assert.deepStrictEqual(
    [number, host, most, Duration.toSeconds(wait), folder, trustProxy, demo, level],
    [3000, "127.0.0.1", 4096, 60, ".data", false, true, "info"]
  )
  assert.isTrue(Option.isNone(url) && Option.isNone(secret) && Option.isNone(smtpUrl))
  assert.deepStrictEqual(
    [old, lost, allowed, isHttpAllowed, telemetry, sender],
    [[], [], [], false, false, "Gatehouse <gatehouse@localhost>"]
  )
})

it.each([
  ["PORT", "0", Settings.port, 0],
  ["PORT", "65535", Settings.port, 65535],
  ["MAX_CONNECTIONS", "65535", Settings.maxConnections, 65535],
  ["DEMO", "OFF", Settings.demo, false],
  ["TRUST_PROXY", "1", Settings.trustProxy, true],
  ["LOG_LEVEL", "Warn", Settings.logLevel, "warn"],
  ["KEEP_JOBS_DAYS", "3650", Settings.retention, { deliveryBodies: 30, finishedJobs: 3650, readNotifications: 90 }],
  ["PUBLIC_URL", "https://gate.example.test/", Settings.publicUrl, Option.some("https://gate.example.test")],
  ["SIGNAL_WEBHOOK_URL", "https://x.test/hook/", Settings.signalWebhookUrl, Option.some("https://x.test/hook/")],
  ["OIDC_ISSUER", "", Settings.openId, Option.none()],
  [
    "OUTGOING_ALLOW",
    "10.0.0.0/8,::1/128",
    Settings.outgoingAllow,
    [
      [ipaddr.parse("10.0.0.0"), 8],
      [ipaddr.parse("::1"), 128]
    ]
  ],
  ["OUTGOING_ALLOW", " 127.0.0.1/32 ", Settings.outgoingAllow, [[ipaddr.parse("127.0.0.1"), 32]]],
  ["OUTGOING_HTTP", "on", Settings.outgoingHttp, true],
  ["TELEMETRY", "on", Settings.telemetry, true],
  ["SMTP_URL", "smtps://u:p@mail.test", Settings.smtpUrl, Option.some(Redacted.make("smtps://u:p@mail.test"))],
  ["MAIL_FROM", "gate@example.test", Settings.mailFrom, "gate@example.test"],
  ["MAIL_FROM", "Gate, House <gate@example.test>", Settings.mailFrom, "Gate, House <gate@example.test>"],
  ["DATABASE_URL", "postgresql://db/x", Settings.databaseUrl, Option.some(Redacted.make("postgresql://db/x"))]
])("%s=%s is read", (name, value, setting, expected) => {
  assert.deepStrictEqual(Effect.runSync(given({ [name]: value })(setting as Config.Config<unknown>)), expected)
})
