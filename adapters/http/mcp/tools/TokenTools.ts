import { DateTime, Effect, Redacted, Schema } from "effect"
import * as Tokens from "../../../../application/workspace/Tokens.ts"
import { Name } from "../../../../domain/value/Text.ts"
import { Lifetime, Permission } from "../../../../domain/workspace/ApiToken.ts"
import { text, tool } from "../Tool.ts"

const label = Name(200).pipe(Schema.pattern(/\S/, { message: () => "must not be empty or blank" }))

const create = tool(
  {
    name: "create_token",
    title: "Create a token",
    description:
      "Creates an API token of the member whose token this is, with no further permission and no later expiry than this one. It is shown once.",
    kind: "change",
    right: "token create",
    input: { name: label, permissions: Schema.NonEmptyArray(Permission), lifetime: Lifetime }
  },
  (member, { lifetime, name, permissions }) =>
    Effect.map(Tokens.createWithin(member, { name, permissions, lifetime }), ({ expiresAt, prefix, token }) => ({
      token: Redacted.value(token),
      prefix,
      name,
      permissions,
      expiresAt: DateTime.formatIso(expiresAt)
    }))
)

const revoke = tool(
  {
    name: "revoke_token",
    title: "Revoke a token",
    description: "Revokes a token of the member whose token this is. It takes effect at once, also on open streams.",
    kind: "change",
    right: "token revoke",
    input: { prefix: text("The first 11 characters of the token") }
  },
  (member, { prefix }) =>
    Effect.as(Tokens.revoke(member, { workspace: member.workspaceSlug, prefix }), { prefix, revoked: true })
)

export const tokenTools = [create, revoke]
