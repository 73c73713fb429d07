import { Context, type Effect, type Either } from "effect"
import type { InvalidToken, TokenExpired, TokenRevoked } from "../../domain/workspace/ApiToken.ts"
import type { DecisionView } from "../../domain/work/Decision.ts"
import type { RunNotFound, RunView } from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { TeamNotFound, TeamView } from "../../domain/workspace/Team.ts"
import type { Json } from "./Json.ts"
import type { Page, PageRequest } from "./Page.ts"
import type { DecisionFilter } from "./DecisionStore.ts"
import type { Bearer } from "./TokenStore.ts"

/** The caller and the result; the result is useless to a caller whose token is refused. */
export interface Polled<A, E = never> {
  readonly bearer: Bearer
  readonly answer: Either.Either<A, E>
}

type Poll<A, E = never> = Effect.Effect<Polled<A, E>, InvalidToken | TokenExpired | TokenRevoked>

/** Looks up the token, counts the request and reads, in one step; waits in the lane, the token's own by default. */
export class AuthenticatedReads extends Context.Tag("application/AuthenticatedReads")<
  AuthenticatedReads,
  {
    readonly decisions: (
      hash: string,
      filter: DecisionFilter,
      request: PageRequest,
      lane?: string
    ) => Poll<Page<DecisionView>, TeamNotFound>
    readonly run: (hash: string, key: RunKey, lane?: string) => Poll<Json<RunView>, RunNotFound>
    readonly teams: (hash: string, lane?: string) => Poll<Json<ReadonlyArray<TeamView>>>
  }
>() {}
