import { Context, Effect, Option, Redacted } from "effect"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { withoutSlashes } from "../../../domain/value/Text.ts"
import { mostDays } from "../../../domain/workspace/Session.ts"
import * as Settings from "../../Settings.ts"
import type { Headers } from "../server/RequestNotes.ts"
import { isPrivate, originOf } from "./SameOrigin.ts"

/** Address of the service as browsers see it. */
export class Site extends Context.Tag("adapters/http/web/Site")<
  Site,
  {
    readonly publicUrl: Option.Option<string>
    readonly originOf: (headers: Headers) => string
    /** Address that alerting tools post to. */
    readonly signalsOf: (origin: string) => string
    /** The same for requests of the service itself: without a public address, the one at which the request arrived. */
    readonly intakeOf: (arrivedAt: string) => string
  }
>() {}

export const site = Effect.map(Effect.all([Settings.publicUrl, Settings.signalWebhookUrl]), ([publicUrl, signals]) =>
  Site.of({
    publicUrl,
    originOf: (headers) => originOf(headers, publicUrl),
    signalsOf: (origin) => Option.match(signals, { onNone: () => `${origin}/signals`, onSome: withoutSlashes }),
    intakeOf: (arrivedAt) =>
      Option.match(signals, {
        onNone: () => `${Option.getOrElse(publicUrl, () => arrivedAt)}/signals`,
        onSome: withoutSlashes
      })
  })
)

/** Browsers keep a cookie of the prefix `__Host-` from other hosts, but accept it only over TLS. */
const cookieOf = (origin: string) => (origin.startsWith("https://") ? "__Host-gatehouse" : "gatehouse")

/** The token of the session that a request carries. */
export const tokenOf = (cookies: Readonly<Record<string, string>>, origin: string): Option.Option<Redacted.Redacted> =>
  isPrivate(origin) ? Option.map(Option.fromNullable(cookies[cookieOf(origin)]), Redacted.make) : Option.none()

/** Gives a browser its session, or ends it there with null. */
export const withSession = (origin: string, token: Redacted.Redacted | null) =>
  HttpServerResponse.unsafeSetCookie(cookieOf(origin), token === null ? "" : Redacted.value(token), {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: origin.startsWith("https://"),
    maxAge: token === null ? 0 : `${mostDays} days`
  })
