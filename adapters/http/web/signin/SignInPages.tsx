import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Option, Redacted, Schema } from "effect"
import * as Passkeys from "../../../../application/workspace/Passkeys.ts"
import * as Sessions from "../../../../application/workspace/Sessions.ts"
import * as SignIn from "../../../../application/workspace/SignIn.ts"
import { Email } from "../../../../domain/workspace/Member.ts"
import { SignInRequired } from "../../../../domain/workspace/Session.ts"
import { misrouted, notFound } from "../../server/JsonErrors.ts"
import { Notice } from "../components/Parts.tsx"
import { confirmationOf, confirmed } from "../Flash.ts"
import { type Refusal, statusOfPage } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { isPrivate } from "../SameOrigin.ts"
import { Site, withSession } from "../Site.ts"
import * as OpenIdPages from "./OpenIdPages.ts"
import {
  clientOf,
  guarded,
  landing,
  type Needs,
  ownPath,
  page,
  PlainHttp,
  queryOf,
  refused,
  remember,
  type Request,
  signInPage,
  title,
  wanted
} from "./SignInGate.tsx"
import { LinkForm, SignOutForm } from "./SignInViews.tsx"

const isReason = Schema.is(SignInRequired.fields.reason)

const ask = (request: Request) => {
  const query = queryOf(request)
  const because = query.get("because")
  const done = confirmationOf(request.cookies)
  const notice =
    done !== null ? (
      <Notice tone="ok" icon="check" isAlert>
        <p>{done}</p>
      </Notice>
    ) : isReason(because) ? (
      <Notice tone="info">
        <p>{new SignInRequired({ reason: because }).message}</p>
      </Notice>
    ) : null
  const to = ownPath(query.get("to") ?? "")
  return Effect.gen(function* () {
    const asked = yield* signInPage(request, { to, notice })
    const shown = done === null ? asked : confirmed(asked)
    return to === "" ? shown : remember(to, (yield* Site).originOf(request.headers))(shown)
  })
}

const isEmail = Schema.is(Email)

const mail = (request: Request) =>
  Effect.gen(function* () {
    const form = yield* guarded(request)
    const email = form.get("email").trim()
    if (!isEmail(email)) {
      const filled = { values: { email }, errors: { email: "Enter an e-mail address, such as ann@example.com." } }
      return yield* signInPage(request, { to: "", notice: null, filled }, 400)
    }
    const { client } = yield* clientOf(request)
    yield* SignIn.requestLink({ email, client })
    return yield* page(
      request,
      "Look into your mail",
      <p>
        If <b>{email}</b> belongs to a member, a link to sign in is on its way. It works once, for 15 minutes.
      </p>
    )
  })

const linkToken = /gtl_[A-Za-z0-9_-]{1,100}/

/** A pasted link leads to its page, as opening it would. */
const paste = (request: Request) =>
  Effect.gen(function* () {
    const form = yield* guarded(request)
    const token = linkToken.exec(form.get("link"))?.[0]
    if (token !== undefined) return redirect(`/sign-in/${token}`)
    const filled = { values: {}, errors: { link: "Paste the whole link; it ends in /sign-in/gtl_…" } }
    return yield* signInPage(request, { to: "", notice: null, filled }, 400)
  })

const openLink = (request: Request, token: string) =>
  Effect.gen(function* () {
    const origin = (yield* Site).originOf(request.headers)
    if (!isPrivate(origin)) return yield* new PlainHttp({ origin })
    const { email, workspaceName } = yield* SignIn.openLink(Redacted.make(token))
    return yield* page(
      request,
      title,
      <LinkForm action={`/sign-in/${token}`} email={email} workspace={workspaceName} />
    )
  })

const useLink = (request: Request, token: string) =>
  Effect.gen(function* () {
    yield* guarded(request)
    const { client, origin } = yield* clientOf(request)
    const { token: session, workspace } = yield* SignIn.useLink(Redacted.make(token), client)
    const kept = request.cookies[wanted]
    const to = ownPath(kept ?? "")
    const isThere = workspace !== null && to.startsWith(`/${workspace}/`)
    const answer = withSession(origin, session)(redirect(landing(workspace, isThere ? to : "")))
    return kept === undefined ? answer : remember("", origin)(answer)
  })

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** Passkeys need a script, which sends the browser's answer as one field of a form and gets JSON. */
const passkeyOptions = (request: Request) =>
  Effect.gen(function* () {
    yield* guarded(request)
    const { client, origin } = yield* clientOf(request)
    return HttpServerResponse.unsafeJson(yield* Passkeys.startSignIn({ origin, client }))
  }).pipe(Effect.catchAll(asJson))

const usePasskey = (request: Request) =>
  Effect.gen(function* () {
    const form = yield* guarded(request)
    const { client, origin } = yield* clientOf(request)
    const response = Option.getOrNull(parseJson(form.get("response")))
    const { token, workspace } = yield* Passkeys.finishSignIn({ origin, response, client })
    return withSession(
      origin,
      token
    )(HttpServerResponse.unsafeJson({ to: landing(workspace, ownPath(form.get("to"))) }))
  }).pipe(Effect.catchAll(asJson))

/** An expected error for a script of these pages. */
export const asJson = (error: Refusal) =>
  Effect.succeed(HttpServerResponse.unsafeJson({ message: error.message }, { status: statusOfPage(error) }))

const signOut = (request: Request) =>
  Effect.gen(function* () {
    yield* guarded(request)
    const { client, origin } = yield* clientOf(request)
    yield* Effect.ignore(
      Effect.flatMap(Sessions.find(client.session), (signedIn) => Sessions.signOut(signedIn, "own", client.requestId))
    )
    return withSession(origin, null)(redirect("/sign-in", "signed-out"))
  })

/** Errors that are shown above the ways to sign in. */
const shownAbove = new Set([
  "SignInLinkUnusable",
  "TooManyAttempts",
  "PlainHttp",
  "ForeignStart",
  "OpenIdRefused",
  "OpenIdUnavailable"
])

type Handler = (
  request: Request,
  token: string
) => Effect.Effect<HttpServerResponse.HttpServerResponse, Refusal, Needs | Site>

const routes: ReadonlyArray<readonly [path: RegExp, handlers: Readonly<Record<string, Handler>>]> = [
  [/^\/sign-in$/, { GET: ask, POST: mail }],
  [/^\/sign-in\/link$/, { POST: paste }],
  [/^\/sign-in\/passkey\/options$/, { POST: passkeyOptions }],
  [/^\/sign-in\/passkey$/, { POST: usePasskey }],
  [/^\/sign-in\/openid$/, { GET: OpenIdPages.start }],
  [/^\/sign-in\/openid\/back$/, { GET: OpenIdPages.finish }],
  [/^\/sign-in\/(gtl_[A-Za-z0-9_-]{1,100})$/, { GET: openLink, POST: useLink }],
  [/^\/sign-out$/, { GET: (request) => page(request, "Sign out", <SignOutForm />), POST: signOut }]
]

/** Answers requests below `/sign-in` and `/sign-out`. No page says what a link's secret is. */
export const answer = (request: Request, path: string) =>
  Effect.gen(function* () {
    const method = request.method === "HEAD" ? "GET" : request.method
    const [found, token = ""] = routes.flatMap(([pattern, handlers]) => {
      const match = pattern.exec(path)
      return match === null ? [] : [handlers, match[1] ?? ""]
    }) as [Readonly<Record<string, Handler>>?, string?]
    const methods = Object.keys(found ?? {}).flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one]))
    const wrong = misrouted(methods, request.method, "/sign-in")
    if (wrong !== null) return yield* wrong
    const handle = found?.[method]
    if (handle === undefined) return yield* notFound(method, "/sign-in")
    return yield* Effect.catchIf(
      handle(request, token),
      ({ _tag }) => shownAbove.has(_tag),
      (error) => refused(request, error)
    )
  })
