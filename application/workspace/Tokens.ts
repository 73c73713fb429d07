import { Array, type DateTime, Effect, Either, Option, type Redacted } from "effect"
import * as ApiToken from "../../domain/workspace/ApiToken.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import { answered, refused } from "../../domain/Change.ts"
import { byEmail, MemberNotFound } from "../../domain/workspace/Member.ts"
import * as RateLimit from "../../domain/workspace/RateLimit.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { admit, denial, isPerson, type Who } from "./Authorization.ts"
import { present } from "./RequireWorkspace.ts"
import { TokenStore } from "../ports/TokenStore.ts"
import { WorkspaceStore } from "../ports/WorkspaceStore.ts"

/** The hash a token is looked up by; refuses text that cannot be a token. */
export const hashOf = (
  token: Option.Option<Redacted.Redacted>
): Effect.Effect<string, ApiToken.MissingToken | ApiToken.InvalidToken> => {
  if (Option.isNone(token)) return new ApiToken.MissingToken()
  return ApiToken.isWellFormed(token.value) ? ApiToken.hashOf(token.value) : new ApiToken.InvalidToken()
}

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
  const id = (yield* Uuid.make) as ApiToken.TokenId
  const token = yield* ApiToken.draw
  const hash = yield* ApiToken.hashOf(token)
  const prefix = ApiToken.prefixOf(token)
  return yield* store.change(input.workspace, (roster) =>
    Either.gen(function* () {
      const { members, now } = yield* present(input.workspace, roster)
      const member = byEmail(members, input.member)
      if (member === undefined) return yield* Either.left(new MemberNotFound({ email: input.member }))
      if (isPerson(who) && who.member.id !== member.id)
        return yield* refused(
          denial(who, "token create", { entity: { type: "member", id: member.id, name: member.name } }),
          new ApiToken.TokenIsPersonal({ member: member.email })
        )
      const expiresAt = ApiToken.expiry(now, input.lifetime)
      const permissions = Array.dedupe(input.permissions)
      const row = new ApiToken.ApiToken({
        id,
        memberId: member.id,
        name: input.name,
        prefix,
        hash,
        permissions,
        createdAt: now,
        expiresAt,
        revokedAt: null,
        lastUsedAt: null
      })
      const details = { after: { prefix, permissions, member: member.email } }
      const entity = { type: "token", id, name: input.name } as const
      return yield* answered(
        { added: { tokens: [row] }, audit: [Audit.fact(by, "token_created", entity, { details })] },
        { token, prefix, expiresAt }
      )
    })
  )
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
  yield* store.change(input.workspace, input.prefix, (token, now) => {
    const missing = new ApiToken.TokenNotFound({ prefix: input.prefix })
    if (token === null || token.revokedAt !== null) return Either.left(missing)
    const entity = { type: "token", id: token.id, name: token.name } as const
    if (isPerson(who) && who.member.id !== token.memberId)
      return refused(denial(who, "token revoke", { entity }), missing)
    const details = { before: { prefix: token.prefix } }
    return answered(
      {
        changed: { tokens: [new ApiToken.ApiToken({ ...token, revokedAt: now })] },
        audit: [Audit.fact(by, "token_revoked", entity, { details })]
      },
      undefined
    )
  })
})

export const limited = (now: DateTime.Utc, window: RateLimit.Window) =>
  new RateLimit.RateLimited({
    limit: RateLimit.requestsPerMinute,
    retryAfterSeconds: RateLimit.retryAfter(now, window.resetAt)
  })
