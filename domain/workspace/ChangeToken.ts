import { Array, DateTime, Either } from "effect"
import type { By } from "./Actor.ts"
import * as ApiToken from "./ApiToken.ts"
import * as Audit from "./Audit.ts"
import { answered, type Decided, refused } from "../Change.ts"
import { byEmail, type MemberId, MemberNotFound } from "./Member.ts"
import { present, type Roster } from "./Roster.ts"
import type { WorkspaceNotFound, WorkspaceSlug } from "./Workspace.ts"

export interface NewToken extends Pick<ApiToken.ApiToken, "id" | "name" | "prefix" | "hash"> {
  /** E-mail address of the member. */
  readonly member: string
  readonly permissions: Array.NonEmptyReadonlyArray<ApiToken.Permission>
  readonly lifetime: ApiToken.Lifetime
  /** Instead of the end of its lifetime. */
  readonly expiresAt?: DateTime.Utc
}

/** Bounds of a token that another one creates. */
export type Within = Pick<ApiToken.ApiToken, "permissions" | "expiresAt">

/** Creates a token of a member within the bounds of the one that asks: no further permission, and no later expiry. */
export const createWithin =
  (by: By, self: MemberId, slug: WorkspaceSlug, within: Within, input: NewToken) =>
  (
    roster: Roster
  ): Either.Either<
    Decided<ApiToken.ApiToken, ApiToken.TokenIsPersonal | ApiToken.InsufficientPermission>,
    WorkspaceNotFound | MemberNotFound
  > =>
    Either.gen(function* () {
      const { now } = yield* present(slug, roster)
      const needed = input.permissions.find((one) => !ApiToken.permits(within.permissions, one))
      if (needed !== undefined)
        return yield* refused(
          { audit: [Audit.denied(by, "token create", { entity: { type: "member", id: self, name: input.member } })] },
          new ApiToken.InsufficientPermission({ needed, held: within.permissions })
        )
      const expiresAt = DateTime.min(ApiToken.expiry(now, input.lifetime), within.expiresAt)
      return yield* create(by, self, slug, { ...input, expiresAt })(roster)
    })

/** Creates a token for the member `self`, or for any member when the operator acts. */
export const create =
  (by: By, self: MemberId | null, slug: WorkspaceSlug, { lifetime, member: email, ...input }: NewToken) =>
  (
    roster: Roster
  ): Either.Either<Decided<ApiToken.ApiToken, ApiToken.TokenIsPersonal>, WorkspaceNotFound | MemberNotFound> =>
    Either.gen(function* () {
      const { members, now } = yield* present(slug, roster)
      const member = byEmail(members, email)
      if (member === undefined) return yield* Either.left(new MemberNotFound({ email }))
      if (self !== null && self !== member.id)
        return yield* refused(
          { audit: [Audit.denied(by, "token create", { entity: Audit.entityOf("member", member) })] },
          new ApiToken.TokenIsPersonal({ member: member.email })
        )
      const token = new ApiToken.ApiToken({
        ...input,
        memberId: member.id,
        permissions: Array.dedupe(input.permissions),
        createdAt: now,
        expiresAt: input.expiresAt ?? ApiToken.expiry(now, lifetime),
        revokedAt: null,
        lastUsedAt: null
      })
      const { permissions, prefix } = token
      const details = { after: { prefix, permissions, member: member.email } }
      return yield* answered(
        {
          added: { tokens: [token] },
          audit: [Audit.fact(by, "token_created", Audit.entityOf("token", token), { details })]
        },
        token
      )
    })

/** Revokes a token of the member `self`, or any token when the operator acts. */
export const revoke =
  (by: By, self: MemberId | null, prefix: string) =>
  (
    token: ApiToken.ApiToken | null,
    now: DateTime.Utc
  ): Either.Either<Decided<void, ApiToken.TokenNotFound>, ApiToken.TokenNotFound> => {
    const missing = new ApiToken.TokenNotFound({ prefix })
    if (token === null || token.revokedAt !== null) return Either.left(missing)
    const entity = Audit.entityOf("token", token)
    if (self !== null && self !== token.memberId)
      return refused({ audit: [Audit.denied(by, "token revoke", { entity })] }, missing)
    return answered(
      {
        changed: { tokens: [new ApiToken.ApiToken({ ...token, revokedAt: now })] },
        audit: [Audit.fact(by, "token_revoked", entity, { details: { before: { prefix: token.prefix } } })]
      },
      undefined
    )
  }
