import * as Cookies from "@effect/platform/Cookies"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Option, Schema, Struct } from "effect"

/** Confirmations that the next page shows once. The cookie holds a name of this list, never a text. */
const confirmations = {
  acknowledged: "You look after this incident now.",
  "team-created": "The team is created. Its board is empty: add its first story.",
  "team-paused": "The team is paused. It starts no new runs.",
  "team-resumed": "The team works again.",
  "tracker-bound": "The team is bound. Its issues become stories from now on.",
  "tracker-unbound": "The team is unbound. Its stories stay, and nothing was changed in the tracker.",
  "team-saved": "The settings of the team are saved.",
  "story-created": "The story is created.",
  "story-saved": "The story is saved.",
  "story-moved": "The story is moved.",
  "story-approved": "The draft is approved. It is a story now.",
  "story-rejected": "The draft is rejected.",
  "runner-drained": "The runner finishes its work and ends.",
  "runner-removed": "The runner is removed.",
  "run-started": "The run is queued. A runner takes it.",
  "run-stopped": "The run is stopped.",
  "run-retried": "A new attempt is queued.",
  resolved: "The incident is resolved.",
  "note-added": "Your note is in the time line.",
  "token-shown":
    "The token was created already, and was shown once. If you did not copy it, revoke it and create another.",
  "token-revoked": "The token is revoked.",
  "member-invited": "The member is added already.",
  "role-saved": "The role is saved.",
  "member-removed": "The member is removed.",
  "left-workspace": "You left the workspace.",
  "session-ended": "That browser is signed out.",
  "other-sessions-ended": "You are signed out everywhere else.",
  "signed-out": "You are signed out.",
  "passkey-added": "The passkey is added. You can sign in with it next time.",
  "passkey-removed": "The passkey is removed.",
  "appearance-saved": "Saved for this browser.",
  "mails-saved": "Your choice of mails is saved.",
  "policy-saved": "The policy is saved. It holds from now on.",
  "team-deleted": "The team is deleted.",
  "service-added": "The service is added. Choose who is notified.",
  "service-saved": "The settings are saved.",
  "service-deleted": "The service is deleted.",
  "source-added": "The source is added already. Its secret was shown once: if you did not copy it, make a new one.",
  "source-saved": "The settings are saved.",
  "source-paused": "The source is paused. What it sends is recorded and opens nothing.",
  "source-resumed": "The source is resumed.",
  "source-deleted": "The source is deleted.",
  "secret-kept": "The secret is kept. The old one passes for 24 more hours.",
  "test-sent": "A test alert and its recovery arrived. They are at the top of the deliveries.",
  "delivery-replayed": "The delivery is judged again.",
  "connection-added": "The connection is added already.",
  "connection-tested": "GitHub was called. The result is in the list.",
  "connection-renewed": "The secret is replaced, and GitHub was called. The result is in the list.",
  "connection-removed": "The connection is removed.",
  "place-added": "The place is added.",
  "place-removed": "The place is removed.",
  "all-read": "All notifications are marked as read."
} as const

export type Done = keyof typeof confirmations

export const Done = Schema.Literal(...Struct.keys(confirmations))

const cookie = "gatehouse-done"

const set = (value: string, seconds: number) =>
  HttpServerResponse.unsafeSetCookie(cookie, value, {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    maxAge: `${seconds} seconds`
  })

/** Has the next page confirm what was done. */
export const confirming = (done: Done) => set(done, 60)

/** Forgets the confirmation, which is shown now. */
export const confirmed = set("", 0)

const isDone = (name: string): name is Done => Object.hasOwn(confirmations, name)

/** The confirmation that a response has the next page show. */
export const doneIn = ({ cookies }: HttpServerResponse.HttpServerResponse): Done | null =>
  Option.getOrNull(Option.filter(Cookies.getValue(cookies, cookie), isDone))

/** The confirmation that a request brings along. */
export const confirmationOf = (cookies: Readonly<Record<string, string>>): string | null => {
  const name = cookies[cookie] ?? ""
  return isDone(name) ? confirmations[name] : null
}
