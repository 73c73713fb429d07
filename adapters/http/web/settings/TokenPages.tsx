import { Effect, Either, Schema } from "effect"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import { TokenStore } from "../../../../application/ports/TokenStore.ts"
import type { WorkspaceStore } from "../../../../application/ports/WorkspaceStore.ts"
import * as Tokens from "../../../../application/workspace/Tokens.ts"
import { cut, Name } from "../../../../domain/value/Text.ts"
import { Lifetime, Permission, TokenNotFound } from "../../../../domain/workspace/ApiToken.ts"
import { MemberNotFound } from "../../../../domain/workspace/Member.ts"
import type { Filled } from "../components/Form.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { RevokePage, type Tokens as Shown, TokensPage } from "./TokenViews.tsx"

const unfilled: Filled = { values: { permissions: "read", lifetime: "90d" }, errors: {} }

/** The member's own tokens that are not revoked, newest first. */
const own = ({ person: { member, workspace } }: Visit) =>
  Effect.map(
    Effect.flatMap(TokenStore, (store) => store.list(workspace, member.id)),
    (tokens) => tokens.filter(({ revokedAt }) => revokedAt === null).toReversed()
  )

const page = (visit: Visit, more: Partial<Pick<Shown, "filled" | "created">> = {}, status = 200) =>
  Effect.map(own(visit), (tokens): View => {
    const { base } = visit
    return {
      title: "API tokens",
      section: "settings",
      status,
      body: <TokensPage base={base} tokens={tokens} filled={unfilled} created={null} {...more} />
    }
  })

const NewToken = Schema.Struct({
  name: Name(200),
  permissions: Schema.NonEmptyArray(Permission),
  lifetime: Lifetime
})
const decode = Schema.decodeUnknownEither(NewToken)

const isPermission = Schema.is(Permission)

const wrong = {
  name: (name: string) =>
    name === ""
      ? "Enter a name, such as “deploy bot”."
      : name.length > 200
        ? `Shorten the name to 200 characters; it has ${name.length}.`
        : "Enter a name on one line, with something to see and without tabs or other control characters.",
  permissions: (given: ReadonlyArray<string>) => {
    const unknown = given.find((one) => one !== "" && !isPermission(one))
    return unknown === undefined
      ? "Choose at least one permission."
      : `There is no permission ‘${cut(unknown, 60)}’. Choose among these.`
  },
  lifetime: () => "Choose 30 days, 90 days or 1 year."
}

const isRight = <A, I>(schema: Schema.Schema<A, I>, value: unknown) =>
  Either.isRight(Schema.decodeUnknownEither(schema)(value))

const create = (visit: Visit) =>
  Effect.gen(function* () {
    const { form, person, signedIn } = visit
    const given = {
      name: form.get("name").trim(),
      permissions: form.all("permissions"),
      lifetime: form.get("lifetime")
    }
    const asked = decode(given)
    if (Either.isLeft(asked)) {
      const { fields } = NewToken
      const errors = {
        ...(!isRight(fields.name, given.name) && { name: wrong.name(given.name) }),
        ...(!isRight(fields.permissions, given.permissions) && { permissions: wrong.permissions(given.permissions) }),
        ...(!isRight(fields.lifetime, given.lifetime) && { lifetime: wrong.lifetime() })
      }
      const values = { ...given, permissions: given.permissions.join(" ") }
      return yield* page(visit, { filled: { values, errors } }, 400)
    }
    const member = signedIn.memberships.find(({ workspace }) => workspace === person.workspace)?.member
    if (member === undefined) return yield* new MemberNotFound({ email: person.member.name })
    const { expiresAt, token } = yield* Tokens.create(person, {
      ...asked.right,
      workspace: person.workspaceSlug,
      member: member.email
    })
    return yield* Effect.map(
      page(visit, { created: { name: asked.right.name, value: token, expiresAt } }),
      (view): View => ({ ...view, sentAgain: { done: "token-shown" } })
    )
  })

const prefixOf = ({ parameters }: Visit) => parameters["prefix"] ?? ""

const confirm = (visit: Visit) =>
  Effect.gen(function* () {
    const prefix = prefixOf(visit)
    const token = (yield* own(visit)).find((one) => one.prefix === prefix)
    if (token === undefined) return yield* new TokenNotFound({ prefix })
    const { base } = visit
    const view: View = {
      title: `Revoke “${token.name}”?`,
      section: "settings",
      body: <RevokePage base={base} token={token} />
    }
    return view
  })

const revoke = (visit: Visit) =>
  Effect.as(
    Tokens.revoke(visit.person, { workspace: visit.person.workspaceSlug, prefix: prefixOf(visit) }),
    redirect(`${visit.base}/settings/api`, "token-revoked")
  )

export const pages: ReadonlyArray<Page<AuditLog | TokenStore | WorkspaceStore>> = [
  { path: "settings/api", get: (visit) => page(visit), post: create },
  { path: "settings/api/:prefix/revoke", get: confirm, post: revoke }
]
