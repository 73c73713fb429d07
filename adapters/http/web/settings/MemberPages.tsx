import { Effect, Either, Schema } from "effect"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import type { IdentityStore } from "../../../../application/ports/identity/IdentityStore.ts"
import type { Notifiers } from "../../../../application/ports/Notifier.ts"
import { WorkspaceStore } from "../../../../application/ports/WorkspaceStore.ts"
import { permit } from "../../../../application/workspace/Authorization.ts"
import { ofWorkspace } from "../../../../application/workspace/DeniedTarget.ts"
import * as Invitations from "../../../../application/workspace/Invitations.ts"
import * as MemberChanges from "../../../../application/workspace/Members.ts"
import { Email, Member, MemberNotFound, Role } from "../../../../domain/workspace/Member.ts"
import type { Filled } from "../components/Form.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { MembersPage, type Members, RemovePage } from "./MemberViews.tsx"

const unfilled: Filled = { values: { role: "member" }, errors: {} }

const all = ({ person: { workspaceSlug } }: Visit) =>
  Effect.map(
    Effect.flatMap(WorkspaceStore, (store) => store.roster(workspaceSlug)),
    ({ members }) => members
  )

const page = (visit: Visit, more: Partial<Pick<Members, "filled" | "invited">> = {}, status = 200) =>
  Effect.map(all(visit), (members): View => {
    const { base, person } = visit
    return {
      title: "Members",
      section: "settings",
      status,
      body: (
        <MembersPage
          base={base}
          workspace={person.workspaceSlug}
          self={person.member}
          members={members}
          filled={unfilled}
          invited={null}
          {...more}
        />
      )
    }
  })

/** The member that the path names. */
const named = (visit: Visit) =>
  Effect.flatMap(all(visit), (members) => {
    const id = visit.parameters["id"] ?? ""
    const member = members.find((one) => one.id === id)
    return member === undefined ? new MemberNotFound({ email: id }) : Effect.succeed(member)
  })

const NewMember = Schema.Struct({ email: Email, name: Member.fields.name, role: Role })
const decode = Schema.decodeUnknownEither(NewMember)

const isRight = <A, I>(schema: Schema.Schema<A, I>, value: unknown) =>
  Either.isRight(Schema.decodeUnknownEither(schema)(value))

const invite = (visit: Visit) =>
  Effect.gen(function* () {
    const { form, person } = visit
    const values = { email: form.get("email").trim(), name: form.get("name").trim(), role: form.get("role") }
    const refused = (errors: Filled["errors"]) => page(visit, { filled: { values, errors } }, 400)
    const asked = decode(values)
    if (Either.isLeft(asked)) {
      yield* permit(person, "member add", ofWorkspace(person))
      return yield* refused({
        ...(!isRight(Email, values.email) && { email: "Enter an e-mail address, such as ann@example.com." }),
        ...(!isRight(Member.fields.name, values.name) && { name: "Enter their name, at most 200 characters." }),
        ...(!isRight(Role, values.role) && { role: "Choose one of the roles." })
      })
    }
    return yield* Invitations.invite(person, asked.right).pipe(
      Effect.flatMap(({ isMailed, member: { email } }) => page(visit, { invited: { email, isMailed } })),
      Effect.catchTag("MemberExists", ({ email }) => refused({ email: `${email} is a member already.` }))
    )
  })

const setRole = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, form, person } = visit
    const { email } = yield* named(visit)
    const role = Schema.decodeUnknownEither(Role)(form.get("role"))
    const back = redirect(`${base}/settings/members`)
    if (Either.isLeft(role)) {
      yield* permit(person, "member set", ofWorkspace(person))
      return yield* page(visit, {}, 400)
    }
    yield* Effect.catchTag(
      MemberChanges.set(person, { workspace: person.workspaceSlug, email, role: role.right }),
      "RoleAlreadySet",
      () => Effect.void
    )
    return back
  })

const confirm = (visit: Visit) =>
  Effect.map(named(visit), (member): View => {
    const { base, person } = visit
    const isSelf = member.id === person.member.id
    return {
      title: isSelf ? "Leave this workspace?" : `Remove ${member.name}?`,
      section: "settings",
      body: <RemovePage base={base} member={member} isSelf={isSelf} />
    }
  })

const remove = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, person } = visit
    const { email, id } = yield* named(visit)
    yield* MemberChanges.remove(person, { workspace: person.workspaceSlug, email })
    return redirect(id === person.member.id ? "/" : `${base}/settings/members`)
  })

export const pages: ReadonlyArray<Page<AuditLog | IdentityStore | Notifiers | WorkspaceStore>> = [
  { path: "settings/members", get: (visit) => page(visit), post: invite },
  { path: "settings/members/:id/role", post: setRole },
  { path: "settings/members/:id/remove", get: confirm, post: remove }
]
