import { Clock, type Context, DateTime, Duration, Effect, Redacted, Schema } from "effect"
import { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import type { Outgoing, Request, Response } from "../../application/ports/Outgoing.ts"
import {
  apisOf,
  type AppInstallation,
  type Connection,
  type Credentials,
  type RepositoryName
} from "../../domain/connection/Connection.ts"
import { boundedCache } from "../../domain/value/BoundedCache.ts"
import { cut, oneLine, parseUrl } from "../../domain/value/Text.ts"
import type { ConvertedApp } from "../../application/ports/connection/ConnectedSystems.ts"
import { appToken, Conversion, InstallationToken } from "./AppToken.ts"
import { pauseOf } from "./RateLimits.ts"

export interface Call {
  readonly method: Request["method"]
  /** Path below the REST API; `graphql` for the other one. */
  readonly path: string
  readonly body?: unknown
  /** The repository that the call is about: its token reaches no other. */
  readonly repository: RepositoryName | null
  /** Mark of an answer that the caller has: if it is still the same, the answer is a 304. */
  readonly etag?: string | null
}

/** An answer of any status. */
export interface Answer {
  readonly status: number
  readonly message: string
  readonly body: unknown
  /** Seconds that a limit asks to wait; null without one. */
  readonly waitSeconds: number | null
  /** Time of the host, in milliseconds; null when it names none. */
  readonly time: number | null
  readonly etag: string | null
  /** True when a list has another page. */
  readonly hasNext: boolean
  /** Address to which a moved thing leads. */
  readonly location: string | null
  /** True when the answer is too long to be read. */
  readonly isCut: boolean
}

/** A connection with its opened secrets. */
export interface Access {
  readonly connection: Connection
  readonly credentials: Credentials
}

const version = "2022-11-28"
const most = 4_000_000
const within = Duration.seconds(30)

/** Answers that are kept to be asked for only if they changed. */
const longestKept = 100_000

/** A token is renewed before it ends, so that a call in progress does not outlive it. */
const margin = 5 * 60_000

/** Milliseconds by which clocks may differ without harm. */
const mostSkew = 30_000

interface KeptToken {
  readonly token: Redacted.Redacted
  readonly until: number
}

const failed = (reason: string) => new HostFailed({ reason, isFinal: false })

const parsed = (text: string): unknown => {
  try {
    return text === "" ? null : (JSON.parse(text) as unknown)
  } catch {
    return null
  }
}

const Message = Schema.Struct({
  message: Schema.String,
  errors: Schema.optional(Schema.Array(Schema.Struct({ message: Schema.optional(Schema.String) })))
})
const isMessage = Schema.is(Message)

/** Words of the host for a refusal. */
const messageOf = (body: unknown): string => {
  if (!isMessage(body)) return ""
  const more = (body.errors ?? []).flatMap(({ message }) => message ?? [])
  return cut([body.message, ...more].join(" "), 1000)
}

const decodeToken = Schema.decodeUnknownEither(InstallationToken)
const decodeConversion = Schema.decodeUnknownEither(Conversion)

/** Calls the APIs of GitHub; one for all connections, with their tokens and limits in memory. */
export const make = (outgoing: Context.Tag.Service<typeof Outgoing>) => {
  const kept = boundedCache<string, { readonly etag: string; readonly answer: Answer }>(300)
  const tokens = new Map<string, KeptToken>()
  const pauses = new Map<string, number>()

  const exchange = (access: Access, call: Call, token: Redacted.Redacted): Effect.Effect<Answer, HostFailed> =>
    Effect.gen(function* () {
      const { baseUrl, id } = access.connection
      const host = parseUrl(baseUrl)?.host ?? baseUrl
      const now = yield* Clock.currentTimeMillis
      const until = pauses.get(id) ?? 0
      if (until > now)
        return yield* new HostFailed({
          reason: `${host} asks to wait until ${DateTime.formatIso(DateTime.unsafeMake(until))}, because of its limits.`,
          isFinal: false,
          isWait: true
        })
      const { graphql, rest } = apisOf(baseUrl)
      const url = call.path === "graphql" ? graphql : `${rest}${call.path}`
      const known = call.method === "GET" && call.etag === undefined ? kept.get(`${id} ${url}`) : undefined
      const etag = call.etag ?? known?.etag
      const response: Response = yield* Effect.mapError(
        outgoing.send({
          method: call.method,
          url,
          most,
          within,
          headers: {
            authorization: `Bearer ${Redacted.value(token)}`,
            accept: "application/vnd.github+json",
            "user-agent": "gatehouse",
            "x-github-api-version": version,
            ...(etag !== undefined && { "if-none-match": etag }),
            ...(call.body !== undefined && { "content-type": "application/json" })
          },
          ...(call.body !== undefined && { body: JSON.stringify(call.body) })
        }),
        ({ isForbidden, message, problem }) =>
          failed(
            isForbidden || problem.includes("name is not known")
              ? `${message}. Check the base address of the connection.`
              : message
          )
      )
      if (response.status === 304 && known !== undefined) return known.answer
      const body = parsed(response.body)
      const message = messageOf(body)
      const waitSeconds = pauseOf(response, message, now)
      if (waitSeconds !== null) pauses.set(id, now + waitSeconds * 1000)
      const { date, etag: fresh, link, location } = response.headers
      const answer: Answer = {
        status: response.status,
        message,
        body,
        waitSeconds,
        time: Date.parse(date ?? "") || null,
        etag: fresh ?? null,
        hasNext: link?.includes('rel="next"') === true,
        location: location ?? null,
        isCut: body === null && response.body !== ""
      }
      // An answer that is no JSON, such as the page of a proxy, would come back with every 304.
      const isKept = call.method === "GET" && response.status === 200 && body !== null
      if (isKept && fresh !== undefined && response.body.length < longestKept)
        kept.set(`${id} ${url}`, { etag: fresh, answer })
      return answer
    })

  /** Asks as the App itself; where the clocks differ, once more by that of the host, which judges the times of the proof. */
  const asApp = (access: Access, installation: AppInstallation, asked: Call) =>
    Effect.gen(function* () {
      const ask = (time: number) =>
        Effect.flatMap(appToken(installation, access.credentials.secret, time), (jwt) => exchange(access, asked, jwt))
      const now = yield* Clock.currentTimeMillis
      const answer = yield* ask(now)
      const { status, time } = answer
      return status === 401 && time !== null && Math.abs(time - now) > mostSkew ? yield* ask(time) : answer
    })

  /** A token of the App's installation: for one repository, or for all that it reaches. */
  const installationToken = (
    access: Access,
    repository: RepositoryName | null,
    permissions?: Readonly<Record<string, string>>
  ): Effect.Effect<KeptToken, HostFailed> =>
    Effect.gen(function* () {
      const { connection, credentials } = access
      const { installation } = connection
      if (installation === null) return { token: credentials.secret, until: Number.POSITIVE_INFINITY }
      if (installation.installation === null)
        return yield* failed("The App is not installed yet. Install it on GitHub, then test the connection.")
      const now = yield* Clock.currentTimeMillis
      const name = JSON.stringify([connection.id, repository, permissions])
      const known = tokens.get(name)
      if (known !== undefined && known.until - margin > now) return known
      const answer = yield* asApp(access, installation, {
        method: "POST",
        path: `/app/installations/${installation.installation}/access_tokens`,
        repository: null,
        body: { ...(repository && { repositories: [repository.name] }), ...(permissions && { permissions }) }
      })
      const found = decodeToken(answer.body)
      if (answer.status !== 201 || found._tag === "Left")
        return yield* failed(
          `GitHub gave no token for the App's installation ${installation.installation}: ${answer.message || answer.status}`
        )
      const fresh = { token: Redacted.make(found.right.token), until: Date.parse(found.right.expires_at) }
      for (const [other, { until }] of tokens) if (until <= now) tokens.delete(other)
      tokens.set(name, fresh)
      return fresh
    })

  const call = (access: Access, asked: Call): Effect.Effect<Answer, HostFailed> =>
    Effect.gen(function* () {
      const { token } = yield* installationToken(access, asked.repository)
      const answer = yield* exchange(access, asked, token)
      if (answer.status !== 401 || access.connection.installation === null) return answer
      // The token may have been revoked with the installation's permissions: the next one shows it.
      for (const [name, one] of tokens) if (one.token === token) tokens.delete(name)
      const next = yield* installationToken(access, asked.repository)
      return yield* exchange(access, asked, next.token)
    }).pipe(Effect.withSpan("GitHubClient.call", { attributes: { method: asked.method } }))

  /** Asks as the App itself. */
  const callAsApp = (access: Access, asked: Omit<Call, "repository">) =>
    Effect.gen(function* () {
      const { installation } = access.connection
      if (installation === null) return yield* failed("The connection has no App.")
      return yield* asApp(access, installation, { ...asked, repository: null })
    })

  /** Exchanges the code of a manifest, which is its own proof. */
  const convert = (baseUrl: string, code: string): Effect.Effect<ConvertedApp, HostFailed> =>
    Effect.gen(function* () {
      const response = yield* Effect.mapError(
        outgoing.send({
          method: "POST",
          url: `${apisOf(baseUrl).rest}/app-manifests/${encodeURIComponent(code)}/conversions`,
          most,
          within,
          headers: { accept: "application/vnd.github+json", "user-agent": "gatehouse", "x-github-api-version": version }
        }),
        ({ message }) => failed(message)
      )
      const body = parsed(response.body)
      const found = decodeConversion(body)
      if (response.status !== 201 || found._tag === "Left")
        return yield* failed(messageOf(body) || `it answered ${response.status}`)
      const { client_id, html_url, pem, webhook_secret } = found.right
      return {
        app: client_id,
        secret: Redacted.make(pem),
        webhookSecret: webhook_secret === null ? null : Redacted.make(webhook_secret),
        page: `${html_url}/installations/new`
      }
    })

  /** Time until which the limits of GitHub ask a connection to wait, in milliseconds since 1970. */
  const pausedUntil = ({ connection }: Access): number => pauses.get(connection.id) ?? 0

  return { call, callAsApp, convert, installationToken, pausedUntil }
}

export type GitHubClient = ReturnType<typeof make>

/** Advice for a person on a refusal; empty when nothing is known. */
const wayOut = ({ isCut, message, status, waitSeconds }: Answer): string => {
  if (isCut && status < 500) return ". The answer is not one of GitHub: check the base address of the connection."
  if (status === 401)
    return ". The secret of the connection is wrong, expired or revoked: replace it with 'gatehouse connection renew'."
  if (status === 403 && waitSeconds === null && /not accessible|permission|must have/i.test(message))
    return ". A permission is missing: 'gatehouse connection test' names it. Grant it on GitHub."
  return ""
}

/** A refusal as a failure that may be tried again, unless it is final. */
export const refused = (answer: Answer, what: string, isFinal = false) => {
  const { message, status, waitSeconds } = answer
  return new HostFailed({
    reason:
      status >= 300 && status < 400
        ? `${what} was renamed or transferred on GitHub. Set its new address with gatehouse team set.`
        : oneLine(`${what}: ${message || "no reason"} (${status})${wayOut(answer)}`),
    isFinal,
    isWait: waitSeconds !== null
  })
}
