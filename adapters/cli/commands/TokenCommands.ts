import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Redacted, Schema } from "effect"
import * as Tokens from "../../../application/workspace/Tokens.ts"
import { type ApiToken, Lifetime, Permission, prefixOf } from "../../../domain/workspace/ApiToken.ts"
import { format, formatOrNull } from "../../../domain/value/Timestamp.ts"
import { flat, time } from "../Columns.ts"
import { knownEmail, newName, oneOf, option, workspace } from "../Options.ts"
import { complete, list } from "../Paging.ts"
import { maybeAs, verb, who } from "../Command.ts"

const member = knownEmail("member", "E-mail address of the member it belongs to")

const Permissions = Schema.split(",").pipe(
  Schema.compose(Schema.Array(Schema.Trim)),
  Schema.compose(Schema.NonEmptyArray(Permission))
)
const permissions = `one or more of ${Permission.literals.join(", ")}, separated by commas`

const create = verb(
  "create",
  "Create a personal API token; it is shown this once",
  {
    workspace,
    as: maybeAs,
    member,
    name: newName("name", "What the token is for"),
    permissions: option("permissions", Permissions, permissions, {
      description: `What it may do: ${permissions}`,
      placeholder: "LIST"
    }),
    expires: oneOf("expires", Lifetime, "How long it works")
  },
  ({ as, expires, ...input }) =>
    Effect.gen(function* () {
      const by = yield* who(input.workspace, as)
      const { expiresAt, prefix, token } = yield* Tokens.create(by, { ...input, lifetime: expires })
      return { token: Redacted.value(token), prefix, expiresAt: format(expiresAt) }
    }),
  ({ expiresAt, token }) => `${token}\nShown this once. It expires at ${time(expiresAt)}.`
)

const shown = ({ createdAt, expiresAt, lastUsedAt, name, permissions, prefix, revokedAt }: ApiToken) => ({
  name,
  prefix,
  permissions,
  createdAt: format(createdAt),
  expiresAt: format(expiresAt),
  lastUsedAt: formatOrNull(lastUsedAt),
  revokedAt: formatOrNull(revokedAt)
})

const listAll = list(
  "list",
  "List a member's tokens",
  { workspace, member },
  (input) => Effect.map(Tokens.list(input), (tokens) => complete(tokens.map(shown))),
  "No tokens.",
  (tokens) =>
    tokens.map(
      (token) =>
        `${token.prefix}…  ${flat(token.name)}  [${token.permissions.join(", ")}]  ` +
        (token.revokedAt ? `revoked ${time(token.revokedAt)}` : `expires ${time(token.expiresAt)}`) +
        `  ${token.lastUsedAt ? `last used ${time(token.lastUsedAt)}` : "never used"}`
    )
)

/** Accepts a whole token, but uses and prints only its prefix. */
const prefix = Options.text("prefix").pipe(
  Options.withPseudoName("PREFIX"),
  Options.withDescription("The token's first 11 characters"),
  Options.map((text) => prefixOf(Redacted.make(text)))
)

const revoke = verb(
  "revoke",
  "Revoke a token at once",
  { workspace, as: maybeAs, prefix },
  ({ as, ...input }) =>
    Effect.as(
      Effect.flatMap(who(input.workspace, as), (by) => Tokens.revoke(by, input)),
      { prefix: input.prefix, revoked: true }
    ),
  ({ prefix }) => `Revoked ${prefix}….`
)

export const tokenCommand = Command.make("token").pipe(
  Command.withDescription("Create, list and revoke API tokens"),
  Command.withSubcommands([create, listAll, revoke])
)
