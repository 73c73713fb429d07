import { Effect } from "effect"
import { MailKind } from "../../domain/oncall/MailPreference.ts"
import { Inbox } from "../ports/Inbox.ts"
import type { Person } from "../workspace/Authorization.ts"

/** Says for each kind of notice whether the person also gets it by mail. */
export const get = Effect.fn("Preferences.get")(function* ({ member, workspace }: Person) {
  const off = yield* (yield* Inbox).mailOff(workspace, member.id)
  return Object.fromEntries(MailKind.literals.map((kind) => [kind, !off.includes(kind)])) as Record<MailKind, boolean>
})

/** Turns mails of a kind on or off. A setting of the person's own, so it has no audit entry. */
export const set = Effect.fn("Preferences.set")(function* (
  { member, workspace }: Person,
  kind: MailKind,
  isMailed: boolean
) {
  yield* (yield* Inbox).setMail(workspace, member.id, kind, isMailed)
})
