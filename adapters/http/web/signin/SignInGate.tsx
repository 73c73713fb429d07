import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { DateTime, Effect, Either, Option, Schema } from "effect"
import type { IdentityStore } from "../../../../application/ports/identity/IdentityStore.ts"
import { OpenIdProvider } from "../../../../application/ports/identity/OpenIdProvider.ts"
import type { PasskeyVerifier } from "../../../../application/ports/identity/PasskeyVerifier.ts"
import type { Notifiers } from "../../../../application/ports/Notifier.ts"
import * as SignIn from "../../../../application/workspace/SignIn.ts"
import { relyingParty } from "../../../../domain/workspace/Passkey.ts"
import { ClientAddress } from "../../server/ClientAddress.ts"
import { Exchange } from "../../server/RequestNotes.ts"
import type { Filled } from "../components/Form.tsx"
import * as Layout from "../components/Layout.tsx"
import { largestBody } from "../../server/RequestBody.ts"
import * as Forms from "../Forms.ts"
import { type Refusal, statusOfPage } from "../Page.ts"
import { readerOf } from "../Reader.ts"
import { foreign, isPrivate } from "../SameOrigin.ts"
import { Site, tokenOf } from "../Site.ts"
import { problem, SignInForm, type SignInView } from "./SignInViews.tsx"

export type Needs = IdentityStore | Notifiers | OpenIdProvider | PasskeyVerifier | ClientAddress

export type Request = HttpServerRequest.HttpServerRequest

export class PlainHttp extends Schema.TaggedError<PlainHttp>()("PlainHttp", { origin: Schema.String }) {
  override get message() {
    return `Nobody signs in over plain http: others on the network could read along. Open Gatehouse at https, or on its own machine at http://localhost; this is ${this.origin}. The operator sets the https address with PUBLIC_URL.`
  }
}

/** A path of this service, so that no link leads elsewhere after signing in. */
export const ownPath = (to: string): string => (/^\/(?!\/)[!-[\]-~]{0,2000}$/.test(to) ? to : "")

export const page = (request: Request, title: string, content: Parameters<typeof Layout.gate>[2], status = 200) =>
  Effect.map(DateTime.now, (now) =>
    HttpServerResponse.setStatus(
      HttpServerResponse.html(Layout.gate(readerOf(request.cookies, now), title, content)),
      status
    )
  )

export const title = "Sign in to Gatehouse"

export const signInPage = (
  request: Request,
  view: Pick<SignInView, "to" | "notice"> & { readonly filled?: Filled },
  status?: number
) =>
  Effect.gen(function* () {
    const origin = (yield* Site).originOf(request.headers)
    if (!isPrivate(origin)) return yield* page(request, title, problem(new PlainHttp({ origin }).message), 403)
    const hasPasskeys = Either.isRight(relyingParty(origin))
    return yield* page(
      request,
      title,
      <SignInForm
        {...view}
        canMail={yield* SignIn.canMail}
        hasPasskeys={hasPasskeys}
        provider={(yield* OpenIdProvider)?.host ?? null}
      />,
      status
    )
  })

/** Shows an expected error above the ways to sign in. */
export const refused = (request: Request, error: Refusal) => {
  const status = error._tag === "SignInLinkUnusable" ? 410 : statusOfPage(error)
  return signInPage(request, { to: "", notice: problem(error.message) }, status)
}

export const clientOf = (request: Request) =>
  Effect.gen(function* () {
    const address = (yield* ClientAddress)(request.headers, Option.getOrUndefined(request.remoteAddress))
    const origin = (yield* Site).originOf(request.headers)
    const client: SignIn.Client = {
      userAgent: request.headers["user-agent"] ?? null,
      address,
      requestId: (yield* Exchange).requestId,
      session: tokenOf(request.cookies, origin)
    }
    return { client, origin }
  })

/** Before any form of these pages is read: it comes from here, and nobody can read along. */
export const guarded = (request: Request) =>
  Effect.gen(function* () {
    const { originOf, publicUrl } = yield* Site
    yield* foreign(request.headers, publicUrl) ?? Effect.void
    const origin = originOf(request.headers)
    if (!isPrivate(origin)) return yield* new PlainHttp({ origin })
    return yield* Forms.read(request, largestBody)
  })

export const queryOf = ({ url }: Request) => new URLSearchParams(url.split("?").slice(1).join("?"))

/** Cookie with the page that was asked for; a link that is opened in the same browser leads there. */
export const wanted = "gatehouse-to"

export const remember = (to: string, origin: string) =>
  HttpServerResponse.unsafeSetCookie(wanted, to, {
    path: "/sign-in",
    httpOnly: true,
    sameSite: "lax",
    secure: origin.startsWith("https://"),
    maxAge: to === "" ? 0 : "15 minutes"
  })

export const landing = (workspace: string | null, to = "") =>
  to || (workspace === null ? "/" : `/${workspace}/decisions`)
