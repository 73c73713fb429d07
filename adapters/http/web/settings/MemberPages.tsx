import { Effect, Either, Schema } from "effect"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import type { IdentityStore } from "../../../../application/ports/identity/IdentityStore.ts"
import type { Notifiers } from "../../../../application/ports/Notifier.ts"
import { WorkspaceStore } from "../../../../application/ports/WorkspaceStore.ts"
import { permit } from "../../../../application/workspace/Authorization.ts"
import { ofWorkspace } from "../../../../application/workspace/DeniedTarget.ts"
import * as Invitations from "../../../../application/workspace/Invitations.ts"
import * as MemberChanges from "../../../../application/workspace/Members.ts"
import { cut, Name } from "../../../../domain/value/Text.ts"
import { MemberNotFound, NewEmail, Role } from "../../../../domain/workspace/Member.ts"
import type { Filled } from "../components/Form.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { handOver, MembersPage, type Members, RemovePage } from "./MemberViews.tsx"

const unfilled: Filled = { values: { role: "member" }, errors: {} }

const all = ({ person: { workspaceSlug } }: Visit) =>
  Effect.map(
    Effect.flatMap(WorkspaceStore, (store) => store.roster(workspaceSlug)),
    ({ members }) => members
  )

const page = (visit: Visit, more: Partial<Pick<Members, "filled" | "invited" | "refusal">> = {}, status = 200) =>
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
          refusal={null}
          {...more}
        />
      )
    }
  })

/** The member that the path names, and all of them. */
const among = (visit: Visit) =>
  Effect.flatMap(all(visit), (members) => {
    const id = visit.parameters["id"] ?? ""
    const member = members.find((one) => one.id === id)
    return member === undefined ? new MemberNotFound({ email: id }) : Effect.succeed({ member, members })
  })

const named = (visit: Visit) => Effect.map(among(visit), ({ member }) => member)

const MemberName = Name(200)
const NewMember = Schema.Struct({ email: NewEmail, name: MemberName, role: Role })
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
        ...(!isRight(NewEmail, values.email) && { email: "Enter an e-mail address, such as ann@example.com." }),
        ...(!isRight(MemberName, values.name) && {
          name: "Enter their name: at most 200 characters on one line, without control characters."
        }),
        ...(!isRight(Role, values.role) && { role: "Choose one of the roles." })
      })
    }
    return yield* Invitations.invite(person, asked.right).pipe(
      Effect.flatMap(({ isMailed, member: { email } }) => page(visit, { invited: { email, isMailed } })),
      Effect.map((view): View => ({ ...view, sentAgain: { done: "member-invited" } })),
      Effect.catchTag("MemberExists", ({ email }) => refused({ email: `${email} is a member already.` }))
    )
  })

const setRole = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, form, person } = visit
    const { email } = yield* named(visit)
    const role = Schema.decodeUnknownEither(Role)(form.get("role"))
    if (Either.isLeft(role)) {
      yield* permit(person, "member set", ofWorkspace(person))
      const refusal = `‘${cut(form.get("role"), 60)}’ is no role. Choose ${Role.literals.join(", ")}. Nothing was changed.`
      return yield* page(visit, { refusal }, 400)
    }
    return yield* MemberChanges.set(person, { workspace: person.workspaceSlug, email, role: role.right }).pipe(
      Effect.as(redirect(`${base}/settings/members`, "role-saved")),
      Effect.catchTags({
        RoleAlreadySet: () => Effect.succeed(redirect(`${base}/settings/members`)),
        LastOwner: () => page(visit, { refusal: handOver }, 409)
      })
    )
  })

const confirm = (visit: Visit) =>
  Effect.map(among(visit), ({ member, members }): View => {
    const { base, person } = visit
    const isSelf = member.id === person.member.id
    return {
      title: isSelf ? "Leave this workspace?" : `Remove ${member.name}?`,
      section: "settings",
      body: <RemovePage base={base} member={member} members={members} self={person.member} />
    }
  })

const remove = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, person } = visit
    const { email, id } = yield* named(visit)
    return yield* MemberChanges.remove(person, { workspace: person.workspaceSlug, email }).pipe(
      Effect.as(
        id === person.member.id
          ? redirect("/", "left-workspace")
          : redirect(`${base}/settings/members`, "member-removed")
      ),
      Effect.catchTag("LastOwner", () => page(visit, { refusal: handOver }, 409))
    )
  })

export const pages: ReadonlyArray<Page<AuditLog | IdentityStore | Notifiers | WorkspaceStore>> = [
  { path: "settings/members", get: (visit) => page(visit), post: invite },
  { path: "settings/members/:id/role", post: setRole },
  { path: "settings/members/:id/remove", get: confirm, post: remove }
]
