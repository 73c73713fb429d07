import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Schema } from "effect"
import * as Cursors from "../../application/workspace/Cursors.ts"
import * as Health from "../../application/ports/Health.ts"
import * as Token from "../../domain/workspace/ApiToken.ts"
import * as Decision from "../../domain/work/Decision.ts"
import * as DecisionErrors from "../../domain/work/DecisionErrors.ts"
import { IdempotencyKeyReused as IdempotencyKeyReusedError } from "../../domain/workspace/IdempotencyRecord.ts"
import * as Member from "../../domain/workspace/Member.ts"
import * as RateLimit from "../../domain/workspace/RateLimit.ts"
import * as Signal from "../../domain/oncall/Signal.ts"
import * as Signature from "../../domain/value/Signature.ts"
import * as SignalSource from "../../domain/oncall/SignalSource.ts"
import * as Lease from "../../domain/work/Lease.ts"
import * as Run from "../../domain/work/Run.ts"
import * as Runner from "../../domain/runner/Runner.ts"
import * as Story from "../../domain/work/Story.ts"
import * as Team from "../../domain/workspace/Team.ts"
import { snakeCase } from "../../domain/value/Text.ts"
import * as HttpErrors from "./HttpErrors.ts"

interface Refusal {
  readonly _tag: string
  readonly message: string
}

/** The body of every error response: the code is the error's name in snake case. */
export const bodyOf = (error: Refusal) => ({ error: { code: snakeCase(error._tag), message: error.message } })

/** Every error by its tag: its status, and when it occurs. */
export const all = new Map<string, { readonly status: number; readonly code: string; readonly when: string }>()

export const statusOf = (tag: string): number | undefined => all.get(tag)?.status

/**
 * Registers an error with its status and its schema in the API. A client gets the tag and the message: the other fields are
 * only in the message.
 */
const refusal = <Tag extends string>(
  { _tag }: Schema.Schema.AnyNoContext & { readonly _tag: Tag },
  status: number,
  when: string
) => {
  const code = snakeCase(_tag)
  all.set(_tag, { status, code, when })
  const body = Schema.Struct({
    error: Schema.Struct({ code: Schema.Literal(code), message: Schema.String })
  }).annotations({ identifier: _tag })
  return Schema.transform(body, Schema.Struct({ _tag: Schema.Literal(_tag), message: Schema.String }), {
    strict: true,
    decode: ({ error: { message } }) => ({ _tag, message }),
    encode: bodyOf
  }).annotations(HttpApiSchema.annotations({ status }))
}

export const InvalidParameter = refusal(
  HttpErrors.InvalidParameter,
  400,
  "a query parameter or header has a value that is not allowed, or was given twice"
)
export const InvalidCursor = refusal(
  Cursors.InvalidCursor,
  400,
  "the cursor was altered, or belongs to another list, other filters or another workspace"
)
export const InvalidJson = refusal(HttpErrors.InvalidJson, 400, "the body is not JSON")
export const InvalidRequest = refusal(
  HttpErrors.InvalidRequest,
  400,
  "the body does not have the fields this route takes"
)
export const NoteTooLong = refusal(DecisionErrors.NoteTooLong, 400, "the note is over 4,000 characters")
export const UnknownOption = refusal(DecisionErrors.UnknownOption, 400, "the decision has no option with this id")
export const UnreadableAlert = refusal(
  Signal.UnreadableAlert,
  400,
  "the body is not JSON, or none of its alerts can be read; the message says what is wrong"
)
export const InvalidProof = refusal(
  Signature.InvalidProof,
  401,
  "the signature, secret or key that proves where a delivery comes from is missing or wrong"
)
export const TimestampOutOfWindow = refusal(
  Signature.TimestampOutOfWindow,
  401,
  "the signed time of a delivery is over five minutes off"
)
export const MissingToken = refusal(Token.MissingToken, 401, "the request has no `Authorization: Bearer` header")
export const InvalidToken = refusal(Token.InvalidToken, 401, "the token is not known")
export const TokenExpired = refusal(Token.TokenExpired, 401, "the token has expired")
export const TokenRevoked = refusal(Token.TokenRevoked, 401, "the token was revoked, or its creator left the workspace")
export const InsufficientPermission = refusal(
  Token.InsufficientPermission,
  403,
  "the token lacks the permission this route needs"
)
export const AdminRequired = refusal(
  Member.AdminRequired,
  403,
  "the token's owner is neither owner nor admin of the workspace"
)
export const InsufficientAuthority = refusal(
  DecisionErrors.InsufficientAuthority,
  403,
  "the decision asks for an answer by an admin or owner"
)
export const TeamNotFound = refusal(Team.TeamNotFound, 404, "the workspace has no such team")
export const StoryNotFound = refusal(Story.StoryNotFound, 404, "the workspace has no such story")
export const RunNotFound = refusal(Run.RunNotFound, 404, "the workspace has no such run")
export const DecisionNotFound = refusal(Decision.DecisionNotFound, 404, "the workspace has no such decision")
export const RunnerNotFound = refusal(Runner.RunnerNotFound, 404, "the workspace has no such runner")
export const SourceNotFound = refusal(SignalSource.SourceNotFound, 404, "no signal source has this address")
export const BoardNotFound = refusal(HttpErrors.BoardNotFound, 404, "the workspace has no such board")
export const TooManyRunners = refusal(
  Runner.TooManyRunners,
  409,
  `the workspace has ${Runner.mostRunners} runners, the most it may have`
)
export const RunnerDraining = refusal(
  Runner.RunnerDraining,
  409,
  "a person drains the runner: it finishes its work and leases nothing more"
)
export const LeaseLost = refusal(Lease.LeaseLost, 409, "a runner's lease has ended; the message says why")
export const DecisionAlreadyResolved = refusal(
  DecisionErrors.DecisionAlreadyResolved,
  409,
  "somebody answered first; the message says who, when and how"
)
export const DecisionExpired = refusal(DecisionErrors.DecisionExpired, 409, "its time to answer is over")
export const DecisionCancelled = refusal(DecisionErrors.DecisionCancelled, 409, "its run was stopped or its story left")
export const DecisionSuperseded = refusal(
  DecisionErrors.DecisionSuperseded,
  409,
  "a newer decision of the same kind took its place"
)
export const IdempotencyKeyReused = refusal(
  IdempotencyKeyReusedError,
  409,
  "the idempotency key was used for another request"
)
export const UnsupportedMediaType = refusal(
  HttpErrors.UnsupportedMediaType,
  415,
  "the body is not sent as JSON; on the alert intake, it has a `Content-Encoding` other than gzip"
)
export const PayloadTooLarge = refusal(
  HttpErrors.PayloadTooLarge,
  413,
  "the request body is over 65,536 bytes, or over 524,288 on the alert intake"
)
export const RateLimited = refusal(
  RateLimit.RateLimited,
  429,
  "too many requests in a minute; `Retry-After` says when to come back"
)
export const InternalError = refusal(
  HttpErrors.InternalError,
  500,
  "something broke on our side; report the request id"
)
export const Unavailable = refusal(
  Health.Unavailable,
  503,
  "the database does not answer now, or a proof cannot be checked now; try again after `Retry-After`"
)

/** Requests that reach no route of the API. */
refusal(HttpErrors.RouteNotFound, 404, "there is no such path")
refusal(HttpErrors.MethodNotAllowed, 405, "the path does not take this method; `Allow` lists those it takes")
refusal(
  HttpErrors.EndpointGone,
  410,
  "projects and tasks left with the first version of this API; the message names the successor"
)
