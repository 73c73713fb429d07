import { Config, ConfigError, Duration, Either, Option, Redacted } from "effect"
import * as AllowedAddresses from "./outgoing/AllowedAddresses.ts"
import { parseUrl, withoutSlashes } from "../domain/value/Text.ts"

/** Parses the text of a setting; none when it is invalid. */
export type Parse<A> = (text: string) => Option.Option<A>

const quoted = (text: string) => `'${text}'`
export const hidden = () => "another value"

/** Addresses may hold a password before the @, and keys in the query. */
const withoutSecrets = (text: string) =>
  quoted(text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, "$1…@").replace(/[?#].*/s, "?…"))

/**
 * Settings come from the environment; an invalid one stops the start with its name, its value and the allowed values.
 * An empty setting is unset.
 */
export const setting = <A>(
  name: string,
  fallback: A,
  allowed: string,
  parse: Parse<A>,
  shown = quoted
): Config.Config<A> =>
  Config.string(name).pipe(
    Config.withDefault(""),
    Config.mapOrFail((text) =>
      Either.fromOption(text === "" ? Option.some(fallback) : parse(text), () =>
        ConfigError.InvalidData([name], `${name} must be ${allowed}; got ${shown(text)}`)
      )
    )
  )

export const optional = <A>(name: string, allowed: string, parse: Parse<A>, shown = quoted) =>
  setting(name, Option.none<A>(), allowed, (text) => Option.map(parse(text), Option.some), shown)

const oneOf = <A extends string>(name: string, fallback: A, ...words: ReadonlyArray<A>) =>
  setting(name, fallback, `one of ${words.join(", ")}`, (text) =>
    Option.fromNullable(words.find((word) => word === text.toLowerCase()))
  )

const onOff = (name: string, fallback: "on" | "off") =>
  Config.map(oneOf(name, fallback, "on", "off", "true", "false", "1", "0"), (word) =>
    ["on", "true", "1"].includes(word)
  )

const address =
  (...protocols: ReadonlyArray<string>): Parse<string> =>
  (text) =>
    text.includes("://") && protocols.includes(parseUrl(text)?.protocol ?? "") ? Option.some(text) : Option.none()

const upTo65535: Parse<number> = (text) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Option.some(Number(text)) : Option.none()

export const port = setting("PORT", 3000, "a port number from 0 to 65535", upTo65535)

export const host = setting("HOST", "127.0.0.1", "an address of this machine", Option.some)

export const maxConnections = setting("MAX_CONNECTIONS", 4096, "a number from 1 to 65535", (text) =>
  Option.filter(upTo65535(text), (number) => number > 0)
)

export const databaseUrl = Config.map(
  optional(
    "DATABASE_URL",
    "an address such as postgres://user:password@host:5432/database",
    address("postgres:", "postgresql:"),
    hidden
  ),
  Option.map((url) => Redacted.make(url))
)

export const databaseWait = Config.map(
  setting("DATABASE_WAIT_SECONDS", 60, "a number of seconds from 0 to 3600", (text) =>
    /^\d{1,4}$/.test(text) && Number(text) <= 3600 ? Option.some(Number(text)) : Option.none()
  ),
  Duration.seconds
)

export const dataDir = setting("DATA_DIR", ".data", "a folder", Option.some)

/** An address that is printed or sent, so a password has no place in it. */
export const web = (name: string) =>
  optional(
    name,
    "an http or https address without user name and password",
    (text) =>
      Option.filter(address("http:", "https:")(text), (url) => {
        const { password, username } = new URL(url)
        return username === "" && password === ""
      }),
    withoutSecrets
  )

export const publicUrl = Config.map(
  web("PUBLIC_URL"),
  Option.map((url) => withoutSlashes(url))
)

/** Base of all links to this service. */
export const ownUrl = Config.map(Config.all([publicUrl, port]), ([url, number]) =>
  Option.getOrElse(url, () => `http://localhost:${number}`)
)

export const signalWebhookUrl = web("SIGNAL_WEBHOOK_URL")

const key: Parse<Uint8Array> = (text) =>
  Option.filter(
    Either.getRight(Either.try(() => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)))),
    (bytes) => bytes.length === 32
  )

export const secretKey = Config.map(
  optional("SECRET_KEY", "32 bytes in base64, such as 'openssl rand -base64 32' prints", key, hidden),
  Option.map((bytes) => Redacted.make(bytes))
)

export const oldSecretKeys = setting<ReadonlyArray<Redacted.Redacted<Uint8Array>>>(
  "SECRET_KEY_OLD",
  [],
  "keys of 32 bytes in base64, with commas between them",
  (text) =>
    Option.map(Option.all(text.split(",").map((one) => key(one.trim()))), (all) =>
      all.map((bytes) => Redacted.make(bytes))
    ),
  hidden
)

export const lostKeys = setting<ReadonlyArray<string>>(
  "SECRET_KEY_LOST",
  [],
  "ids of keys, as a start names them that cannot open what they sealed",
  (text) => Option.liftPredicate(text.split(","), (ids) => ids.every((id) => /^[0-9a-f]{8}$/.test(id)))
)

export const trustProxy = onOff("TRUST_PROXY", "off")

export const demo = onOff("DEMO", "on")

export const logLevel = oneOf("LOG_LEVEL", "info", "debug", "info", "warn", "error")

const days = (name: string, fallback: number) =>
  setting(name, fallback, "a number of days from 1 to 3650", (text) =>
    /^[1-9]\d{0,3}$/.test(text) && Number(text) <= 3650 ? Option.some(Number(text)) : Option.none()
  )

export const retention = Config.all({
  deliveryBodies: days("KEEP_DELIVERIES_DAYS", 30),
  finishedJobs: days("KEEP_JOBS_DAYS", 7),
  readNotifications: days("KEEP_NOTIFICATIONS_DAYS", 90)
})

export const outgoingAllow = setting<ReadonlyArray<AllowedAddresses.Range>>(
  "OUTGOING_ALLOW",
  [],
  "address ranges such as 10.0.0.0/8, ::1/128",
  (text) => Option.all(text.split(",").map((range) => AllowedAddresses.parseRange(range.trim())))
)

export const outgoingHttp = onOff("OUTGOING_HTTP", "off")

export const telemetry = onOff("TELEMETRY", "off")

export const smtpUrl = Config.map(
  optional(
    "SMTP_URL",
    "an address such as smtp://user:password@host:587",
    (text) => Option.filter(address("smtp:", "smtps:")(text), (url) => new URL(url).hostname !== ""),
    hidden
  ),
  Option.map((url) => Redacted.make(url))
)

export const mailFrom = setting(
  "MAIL_FROM",
  "Gatehouse <gatehouse@localhost>",
  "an e-mail address such as Gatehouse <gatehouse@example.com>",
  (text) => (/^([^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(text) ? Option.some(text) : Option.none())
)

const issuer = optional(
  "OIDC_ISSUER",
  "an https address, or an http address of this machine, without query and password",
  (text) =>
    Option.filter(address("http:", "https:")(text), (url) => {
      const { hash, hostname, password, protocol, search, username } = new URL(url)
      const isOwn = hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]"
      return (protocol === "https:" || isOwn) && `${hash}${password}${search}${username}` === ""
    }),
  withoutSecrets
)

const visible: Parse<string> = (text) => (/^[!-~]{1,500}$/.test(text) ? Option.some(text) : Option.none())
const clientId = optional("OIDC_CLIENT_ID", "at most 500 visible characters", visible)
const clientSecret = Config.map(
  optional("OIDC_CLIENT_SECRET", "at most 500 visible characters", visible, hidden),
  Option.map((secret) => Redacted.make(secret))
)

/** The OpenID Connect provider by which people may sign in. */
export const openId = Config.mapOrFail(Config.all({ issuer, clientId, clientSecret }), (given) => {
  const isGiven = {
    OIDC_ISSUER: Option.isSome(given.issuer),
    OIDC_CLIENT_ID: Option.isSome(given.clientId),
    OIDC_CLIENT_SECRET: Option.isSome(given.clientSecret)
  }
  const all = Object.entries(isGiven)
  const [missing = ""] = all.find(([, is]) => !is) ?? []
  const names = Object.keys(isGiven).join(", ")
  return missing === "" || all.every(([, is]) => !is)
    ? Either.right(Option.all(given))
    : Either.left(ConfigError.InvalidData([missing], `${missing} must be set, too: ${names} are set together; got ''`))
})

/** Read before all else, so that an invalid setting stops the start before anything is started. */
export const all = Config.all([
  port,
  host,
  maxConnections,
  databaseUrl,
  databaseWait,
  dataDir,
  publicUrl,
  signalWebhookUrl,
  secretKey,
  oldSecretKeys,
  lostKeys,
  trustProxy,
  demo,
  logLevel,
  retention,
  outgoingAllow,
  outgoingHttp,
  telemetry,
  smtpUrl,
  mailFrom,
  openId
])
