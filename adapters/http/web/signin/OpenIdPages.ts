import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Option, Redacted, Schema } from "effect"
import { OpenIdProvider } from "../../../../application/ports/identity/OpenIdProvider.ts"
import * as OpenId from "../../../../application/workspace/OpenId.ts"
import { notFound } from "../../server/JsonErrors.ts"
import { redirect } from "../Render.tsx"
import { isOwnLink, isPrivate } from "../SameOrigin.ts"
import { Site, withSession } from "../Site.ts"
import { clientOf, landing, ownPath, PlainHttp, queryOf, remember, type Request, wanted } from "./SignInGate.tsx"

/** Cookie with the secret of a sign-in that is under way. */
const cookieOf = (origin: string) => (origin.startsWith("https://") ? "__Host-gatehouse-openid" : "gatehouse-openid")

const withSecret = (origin: string, secret: Redacted.Redacted | null) =>
  HttpServerResponse.unsafeSetCookie(cookieOf(origin), secret === null ? "" : Redacted.value(secret), {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: origin.startsWith("https://"),
    maxAge: secret === null ? 0 : "15 minutes"
  })

/** The provider, and this browser, if nobody can read along. */
const parties = (request: Request) =>
  Effect.gen(function* () {
    const provider = yield* OpenIdProvider
    if (provider === null) return yield* notFound(request.method, "/sign-in/openid")
    const { client, origin } = yield* clientOf(request)
    if (!isPrivate(origin)) return yield* new PlainHttp({ origin })
    return { provider, client, origin, redirect: `${origin}/sign-in/openid/back` }
  })

export class ForeignStart extends Schema.TaggedError<ForeignStart>()("ForeignStart", { host: Schema.String }) {
  override get message() {
    return `Another site led you here, so no sign-in was started. To sign in, press “Sign in with ${this.host}” below.`
  }
}

/**
 * Leads to the provider, from a page of this service alone: other sites could use up the beginnings of a network. A form could not lead there: browsers let the forms of these pages lead to this service alone.
 */
export const start = (request: Request) =>
  Effect.gen(function* () {
    const { origin, provider, ...input } = yield* parties(request)
    if (!isOwnLink(request.headers, (yield* Site).publicUrl)) return yield* new ForeignStart({ host: provider.host })
    const { secret, to } = yield* OpenId.start(provider, input)
    return withSecret(origin, secret)(redirect(to))
  })

/** The way back from the provider, to the page that was asked for if the person may see its workspace. */
export const finish = (request: Request) =>
  Effect.gen(function* () {
    const { origin, provider, ...input } = yield* parties(request)
    const secret = Option.map(Option.fromNullable(request.cookies[cookieOf(origin)]), Redacted.make)
    const { signedIn, token } = yield* OpenId.finish(provider, { ...input, secret, answer: queryOf(request) })
    const kept = ownPath(request.cookies[wanted] ?? "")
    const slugs = signedIn.memberships.map(({ workspaceSlug }) => workspaceSlug)
    const to = slugs.some((slug) => kept.startsWith(`/${slug}/`)) ? kept : ""
    return redirect(landing(slugs[0] ?? null, to)).pipe(
      withSession(origin, token),
      withSecret(origin, null),
      remember("", origin)
    )
  })
