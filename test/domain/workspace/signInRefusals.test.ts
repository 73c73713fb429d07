import { assert, describe, it } from "vitest"
import * as Passkey from "../../../domain/workspace/Passkey.ts"
import { SessionNotFound, SignInRequired } from "../../../domain/workspace/Session.ts"
import { TooManyAttempts } from "../../../domain/workspace/SignInAttempts.ts"
import { SignInLinkUnusable } from "../../../domain/workspace/SignInLink.ts"

const messages: ReadonlyArray<readonly [make: () => Error, message: string]> = [
  [
    () => new SignInLinkUnusable({ reason: "unknown" }),
    "This sign-in link is not known; it may have been copied in part. Ask for a new one on the sign-in page, or an operator for 'gatehouse member sign-in-link'."
  ],
  [
    () => new SignInLinkUnusable({ reason: "used" }),
    "This sign-in link was used already; each works once. Ask for a new one on the sign-in page, or an operator for 'gatehouse member sign-in-link'."
  ],
  [
    () => new SignInLinkUnusable({ reason: "expired" }),
    "This sign-in link has expired; each works for 15 minutes. Ask for a new one on the sign-in page, or an operator for 'gatehouse member sign-in-link'."
  ],
  [
    () => new SignInLinkUnusable({ reason: "not_a_member" }),
    "The person this sign-in link was made for is not a member any more. Ask an admin of the workspace."
  ],
  [() => new TooManyAttempts(), "There were too many attempts from your network address. Try again in 15 minutes."],
  [() => new SignInRequired({ reason: "missing" }), "Sign in to see this page."],
  [() => new SignInRequired({ reason: "unknown" }), "You were signed out. Sign in again."],
  [
    () => new SignInRequired({ reason: "expired" }),
    "You were signed out: a session ends after 12 hours without use, and after 30 days. Sign in again."
  ],
  [
    () => new SignInRequired({ reason: "not_a_member" }),
    "You are not a member of a workspace any more. Ask an admin of the workspace."
  ],
  [() => new SessionNotFound({ id: "s" }), "You have no such session; it may have ended already."],
  [() => new Passkey.PasskeyNotFound({ id: "p" }), "You have no such passkey; it may have been removed already."],
  [
    () => new Passkey.PasskeysUnavailable({ origin: "http://a.test" }),
    "Browsers offer passkeys at https addresses and at http://localhost; this page is at 'http://a.test'. Open it there, or have the operator set PUBLIC_URL to an https address."
  ],
  [
    () => new Passkey.PasskeyRefused({ reason: "challenge" }),
    "The request to use a passkey is older than 5 minutes or was answered already. Try again."
  ],
  [
    () => new Passkey.PasskeyRefused({ reason: "unknown" }),
    "This passkey is not known here; it may have been removed. Sign in with a link and add it again."
  ],
  [
    () => new Passkey.PasskeyRefused({ reason: "proof" }),
    "The passkey could not be verified. Try again, or sign in with a link."
  ],
  [
    () => new Passkey.PasskeyRefused({ reason: "not_a_member" }),
    "The person of this passkey is not a member any more. Ask an admin of the workspace."
  ],
  [() => new Passkey.PasskeyRefused({ reason: "too_many" }), "You have 20 passkeys already. Remove one first."],
  [() => new Passkey.PasskeyRefused({ reason: "known" }), "This device already has a passkey here."]
]

describe("a refused sign-in says what is wrong and what to do", () => {
  it.each(messages.map(([make, message]) => ({ make, message })))("$message", ({ make, message }) =>
    assert.strictEqual(make().message, message)
  )
})
