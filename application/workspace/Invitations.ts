import { Effect } from "effect"
import type { Member, Role } from "../../domain/workspace/Member.ts"
import { admit, type Person } from "./Authorization.ts"
import * as DeniedTarget from "./DeniedTarget.ts"
import * as Members from "./Members.ts"
import * as SignIn from "./SignIn.ts"

const mail = ({ member, workspaceSlug }: Person, email: string) =>
  SignIn.invite({ workspace: workspaceSlug, email, from: member.name })

/** Adds a member and mails them a link. Without mail, the operator's `member sign-in-link` makes one to hand over. */
export const invite = Effect.fn("Invitations.invite")(function* (
  person: Person,
  input: { readonly email: Member["email"]; readonly name: string; readonly role: Role }
) {
  const member = yield* Members.add(person, { ...input, workspace: person.workspaceSlug })
  const isMailed = yield* Effect.orElseSucceed(mail(person, member.email), () => false)
  return { member, isMailed }
})

/** Mails a member another link. */
export const again = Effect.fn("Invitations.again")(function* (person: Person, email: string) {
  yield* admit(person, "member add", DeniedTarget.ofMember(person, email))
  return { isMailed: yield* mail(person, email) }
})
