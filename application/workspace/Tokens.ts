import { type Array, type DateTime, Effect, Option, type Redacted } from "effect"
import * as ApiToken from "../../domain/workspace/ApiToken.ts"
import * as ChangeToken from "../../domain/workspace/ChangeToken.ts"
import { byEmail, MemberNotFound } from "../../domain/workspace/Member.ts"
import * as RateLimit from "../../domain/workspace/RateLimit.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { admit, isPerson, type Person, type Who } from "./Authorization.ts"
import { present } from "../../domain/workspace/Roster.ts"
import { TokenStore } from "../ports/TokenStore.ts"
import { WorkspaceStore } from "../ports/WorkspaceStore.ts"

/** The hash a token is looked up by; refuses text that cannot be a token. */
export const hashOf = (
  token: Option.Option<Redacted.Redacted>
): Effect.Effect<string, ApiToken.MissingToken | ApiToken.InvalidToken> => {
  if (Option.isNone(token)) return new ApiToken.MissingToken()
  if (ApiToken.isWellFormed(token.value)) return ApiToken.hashOf(token.value)
  return new ApiToken.InvalidToken(ApiToken.isRunCredential(token.value) ? { kind: "run_for_token" } : {})
}

/** The only member that the actor may act for; none for the operator and the service. */
const selfOf = (who: Who) => (isPerson(who) ? who.member.id : null)

/** A drawn token, and the fields of its row that depend on it. */
const fresh = Effect.gen(function* () {
  const id = (yield* Uuid.make) as ApiToken.TokenId
  const token = yield* ApiToken.draw
  return { token, row: { id, hash: yield* ApiToken.hashOf(token), prefix: ApiToken.prefixOf(token) } }
})

export const create = Effect.fn("Tokens.create")(function* (
  who: Who,
  input: {
    readonly workspace: WorkspaceSlug
    readonly member: string
    readonly name: string
    readonly permissions: Array.NonEmptyReadonlyArray<ApiToken.Permission>
    readonly lifetime: ApiToken.Lifetime
  }
) {
  const by = yield* admit(who, "token create")
  const store = yield* WorkspaceStore
  const { row, token } = yield* fresh
  const { workspace, ...asked } = input
  const decide = ChangeToken.create(by, selfOf(who), workspace, { ...asked, ...row })
  const { expiresAt } = yield* store.change(workspace, decide)
  return { token, prefix: row.prefix, expiresAt }
})

/** Creates a token of the member within the bounds of the token that the request came with. */
export const createWithin = Effect.fn("Tokens.createWithin")(function* (
  person: Person & { readonly token: ApiToken.TokenId },
  input: Pick<ChangeToken.NewToken, "name" | "permissions" | "lifetime">
) {
  const by = yield* admit(person, "token create")
  const slug = person.workspaceSlug
  const workspaces = yield* WorkspaceStore
  const { members } = yield* present(slug, yield* workspaces.roster(slug))
  const email = members.find(({ id }) => id === person.member.id)?.email
  const own = (yield* (yield* TokenStore).list(person.workspace, person.member.id)).find(
    ({ id }) => id === person.token
  )
  if (email === undefined || own === undefined) return yield* new ApiToken.InvalidToken()
  const drawn = yield* fresh
  const decide = ChangeToken.createWithin(by, person.member.id, slug, own, { ...input, ...drawn.row, member: email })
  const { expiresAt } = yield* workspaces.change(slug, decide)
  return { token: drawn.token, prefix: drawn.row.prefix, expiresAt }
})

export const list = Effect.fn("Tokens.list")(function* (input: {
  readonly workspace: WorkspaceSlug
  readonly member: string
}) {
  const workspaces = yield* WorkspaceStore
  const tokens = yield* TokenStore
  const { members, workspace } = yield* present(input.workspace, yield* workspaces.roster(input.workspace))
  const member = byEmail(members, input.member)
  if (member === undefined) return yield* new MemberNotFound({ email: input.member })
  return yield* tokens.list(workspace.id, member.id)
})

/** Takes effect with the next request on every instance; a revoked token cannot be revoked again. */
export const revoke = Effect.fn("Tokens.revoke")(function* (
  who: Who,
  input: { readonly workspace: WorkspaceSlug; readonly prefix: string }
) {
  const by = yield* admit(who, "token revoke")
  const store = yield* TokenStore
  yield* store.change(input.workspace, input.prefix, ChangeToken.revoke(by, selfOf(who), input.prefix))
})

export const limited = (now: DateTime.Utc, window: RateLimit.Window) =>
  new RateLimit.RateLimited({
    limit: RateLimit.requestsPerMinute,
    retryAfterSeconds: RateLimit.retryAfter(now, window.resetAt)
  })
