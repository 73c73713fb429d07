import { Context, type DateTime, type Effect, type Either } from "effect"
import type {
  ApiToken,
  InvalidToken,
  Permission,
  TokenExpired,
  TokenId,
  TokenRevoked
} from "../../domain/workspace/ApiToken.ts"
import type { Decided } from "../../domain/Change.ts"
import type { MemberId, Role } from "../../domain/workspace/Member.ts"
import type { Window } from "../../domain/workspace/RateLimit.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"

/** The member a valid token acts for, and the rate window that counted this request. */
export interface Bearer {
  readonly token: TokenId
  readonly workspace: WorkspaceId
  readonly workspaceSlug: WorkspaceSlug
  readonly member: { readonly id: MemberId; readonly name: string; readonly role: Role }
  readonly permissions: ReadonlyArray<Permission>
  readonly window: Window
  readonly withinLimit: boolean
  readonly now: DateTime.Utc
}

export interface TokenUse {
  readonly workspace: WorkspaceId
  readonly token: TokenId
  readonly at: DateTime.Utc
}

export class TokenStore extends Context.Tag("application/TokenStore")<
  TokenStore,
  {
    /** Looks up the token and counts the request in one step for all instances; waits in the lane, else in its own. */
    readonly authenticate: (
      hash: string,
      lane?: string
    ) => Effect.Effect<Bearer, InvalidToken | TokenExpired | TokenRevoked>
    /** The same without counting, for callers with a limit of their own. */
    readonly identify: (hash: string) => Effect.Effect<Bearer, InvalidToken | TokenExpired | TokenRevoked>
    /** A member's tokens, oldest first. */
    readonly list: (workspace: WorkspaceId, member: MemberId) => Effect.Effect<ReadonlyArray<ApiToken>>
    /** Locks the token with that prefix, calls `decide`, and commits its change. */
    readonly change: <A, E, F>(
      workspace: WorkspaceSlug,
      prefix: string,
      decide: (token: ApiToken | null, now: DateTime.Utc) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F>
    /** Writes the time of last use; an earlier time changes nothing. A counter: no audit entry. */
    readonly touch: (uses: ReadonlyArray<TokenUse>) => Effect.Effect<void>
  }
>() {}
