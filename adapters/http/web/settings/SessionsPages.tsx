import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Either, Option, Schema } from "effect"
import type { IdentityStore } from "../../../../application/ports/identity/IdentityStore.ts"
import type { PasskeyVerifier } from "../../../../application/ports/identity/PasskeyVerifier.ts"
import * as Passkeys from "../../../../application/workspace/Passkeys.ts"
import * as Sessions from "../../../../application/workspace/Sessions.ts"
import { type PasskeyId, PasskeyLabel, relyingParty } from "../../../../domain/workspace/Passkey.ts"
import type { SessionId } from "../../../../domain/workspace/Session.ts"
import { confirming, type Done } from "../Flash.ts"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { withSession } from "../Site.ts"
import { asJson } from "../signin/SignInPages.tsx"
import { SessionsView } from "./SessionsViews.tsx"

const show = Effect.fnUntraced(function* ({ base, origin, person, reader, signedIn }: Visit) {
  const view: View = {
    title: "Your account",
    section: "settings",
    body: (
      <SessionsView
        base={base}
        reader={reader}
        name={person.member.name}
        email={signedIn.session.email}
        role={person.member.role}
        sessions={yield* Sessions.list(signedIn)}
        passkeys={yield* Passkeys.list(signedIn)}
        hasPasskeys={Either.isRight(relyingParty(origin))}
      />
    )
  }
  return view
})

const here = ({ base }: Visit, done: Done) => redirect(`${base}/settings/sessions`, done)

/** Ends one session, or all others; one's own leads to the sign-in page. */
const end = Effect.fnUntraced(function* (visit: Visit) {
  const { form, origin, person, signedIn } = visit
  const which = form.get("session")
  const ending = which === "others" ? "others" : { id: which as SessionId }
  yield* Sessions.signOut(signedIn, ending, person.requestId)
  return which === signedIn.session.id
    ? withSession(origin, null)(redirect("/sign-in", "signed-out"))
    : here(visit, which === "others" ? "other-sessions-ended" : "session-ended")
})

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const isLabel = Schema.is(PasskeyLabel)

/** Passkeys need a script, which gets JSON. */
const startPasskey = ({ origin, signedIn }: Visit) =>
  Passkeys.startRegistration(signedIn, { origin }).pipe(
    Effect.map((options) => HttpServerResponse.unsafeJson(options)),
    Effect.catchAll(asJson)
  )

const addPasskey = ({ base, form, origin, person, signedIn }: Visit) =>
  Passkeys.finishRegistration(signedIn, {
    origin,
    response: Option.getOrNull(parseJson(form.get("response"))),
    label: isLabel(form.get("label")) ? form.get("label") : signedIn.session.userAgent.slice(0, 60),
    requestId: person.requestId
  }).pipe(
    Effect.map(() => confirming("passkey-added")(HttpServerResponse.unsafeJson({ to: `${base}/settings/sessions` }))),
    Effect.catchAll(asJson)
  )

const removePasskey = Effect.fnUntraced(function* (visit: Visit) {
  const { form, person, signedIn } = visit
  yield* Passkeys.remove(signedIn, { id: form.get("passkey") as PasskeyId, requestId: person.requestId })
  return here(visit, "passkey-removed")
})

export const pages: ReadonlyArray<Page<IdentityStore | PasskeyVerifier>> = [
  { path: "settings/sessions", get: show, post: end },
  { path: "settings/passkeys", post: addPasskey },
  { path: "settings/passkeys/options", post: startPasskey },
  { path: "settings/passkeys/remove", post: removePasskey }
]
