import { assert, describe, it } from "vitest"
import { DeliveryNotFound } from "../../domain/oncall/Delivery.ts"
import { IncidentAcknowledged, IncidentNotFound, IncidentResolved } from "../../domain/oncall/Incident.ts"
import { SourceCannotBeTested } from "../../domain/oncall/commands/SourceErrors.ts"
import { PlaceNotFound, PlaceTaken } from "../../domain/oncall/Place.ts"
import { UnreadableAlert } from "../../domain/oncall/Signal.ts"
import { SourceNotFound } from "../../domain/oncall/SignalSource.ts"
import { InvalidCheck } from "../../domain/oncall/UptimeCheck.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { InvalidProof, TimestampOutOfWindow } from "../../domain/value/Signature.ts"
import { type DecisionKey, DecisionNotFound } from "../../domain/work/Decision.ts"
import * as Refused from "../../domain/work/DecisionErrors.ts"
import { DraftNotMovable, RunHoldsStory, StoryAlreadyThere } from "../../domain/work/MoveStory.ts"
import { InvalidDecision, ProposalDeclined } from "../../domain/work/RaiseDecision.ts"
import { RunNotFound } from "../../domain/work/Run.ts"
import { RunNotOver, RunNotQueued, RunNotRunning, RunOver } from "../../domain/work/RunTransitions.ts"
import { StoryKey, StoryNotFound } from "../../domain/work/Story.ts"
import * as Token from "../../domain/workspace/ApiToken.ts"
import { RoleAlreadySet } from "../../domain/workspace/ChangeMember.ts"
import { IdempotencyKeyReused } from "../../domain/workspace/IdempotencyRecord.ts"
import * as Member from "../../domain/workspace/Member.ts"
import { RateLimited } from "../../domain/workspace/RateLimit.ts"
import { InvalidPolicy } from "../../domain/workspace/SetPolicy.ts"
import { InvalidTeam, TeamUnchanged } from "../../domain/workspace/SetTeam.ts"
import { TeamIsPaused, TeamNotFound, type TeamSlug } from "../../domain/workspace/Team.ts"
import {
  NotConfirmed,
  WorkspaceNotFound,
  WorkspaceSlugReserved,
  WorkspaceSlugTaken
} from "../../domain/workspace/Workspace.ts"
import { before } from "./Sample.ts"

const decision = "dec-aaaa" as DecisionKey
const run = "run-aaaa" as RunKey
const story = StoryKey.make("PAY-9")
const email = "ana@acme.test"
const late = { header: "X-Signed-At", most: 300 }
const nobody = { by: null, via: null, at: null, answer: null }

/** Every refusal says what is wrong and what to do. */
const messages: ReadonlyArray<readonly [make: () => Error, message: string]> = [
  [
    () => new WorkspaceNotFound({ slug: "acme" }),
    "There is no workspace 'acme'; 'gatehouse workspace list' shows them, and 'gatehouse workspace create' makes one."
  ],
  [
    () => new WorkspaceSlugTaken({ slug: "acme" }),
    "The workspace slug 'acme' is taken, or was and is not reused. Choose another slug."
  ],
  [
    () => new WorkspaceSlugReserved({ slug: "api" }),
    "The workspace slug 'api' is reserved for a path of the service. Choose another slug, such as 'api-team'."
  ],
  [
    () => new NotConfirmed({ given: "acne", expected: "acme" }),
    "Nothing was deleted: --confirm must repeat 'acme'; got 'acne'."
  ],
  [
    () => new Member.MemberNotFound({ email }),
    "The workspace has no member 'ana@acme.test'; 'gatehouse member list' shows them, and 'gatehouse member add' adds one."
  ],
  [() => new Member.MemberExists({ email }), "'ana@acme.test' is a member of this workspace already."],
  [
    () => new Member.LastOwner({ email }),
    "'ana@acme.test' is the last owner, who cannot be removed or get another role. Add another owner first, or delete the workspace."
  ],
  [() => new RoleAlreadySet({ email, role: "admin" }), "'ana@acme.test' has the role admin already."],
  [
    () => new Member.OwnerRequired({ role: "admin" }),
    "Only an owner of the workspace may do this; your role is admin. Ask an owner."
  ],
  [
    () => new Member.AdminRequired({ role: "member" }),
    "Only owners and admins of the workspace may do this; your role is member. Ask one of them."
  ],
  [() => new Token.MissingToken(), "This request needs an API token: send the header 'Authorization: Bearer tk_…'."],
  [
    () => new Token.InvalidToken(),
    "The API token is not known. A token is 'tk_' and 32 letters or digits, shown once when it is created."
  ],
  [
    () => new Token.TokenExpired({ at: before }),
    "The API token expired at 2026-03-01T10:00:00.000Z. Create a new one."
  ],
  [
    () => new Token.TokenRevoked(),
    "The API token was revoked, its creator left the workspace, or the workspace was deleted. Create a new one."
  ],
  [
    () => new Token.InsufficientPermission({ needed: "delete", held: ["read", "write"] }),
    "This needs a token with the permission 'delete'; this one has: read, write."
  ],
  [
    () => new Token.TokenIsPersonal({ member: email }),
    "A token belongs to whoever creates it. 'ana@acme.test' must create it themselves."
  ],
  [
    () => new Token.TokenNotFound({ prefix: "tk_12345678" }),
    "The workspace has no active token with the prefix 'tk_12345678'; 'token list' shows what there is."
  ],
  [
    () => new IdempotencyKeyReused({ key: "k-1" }),
    "Idempotency-Key 'k-1' was used for another request in the last 24 hours. Choose a new key."
  ],
  [
    () => new RateLimited({ limit: 120, retryAfterSeconds: 7 }),
    "More than 120 requests in a minute. Try again in 7 s."
  ],
  [
    () => new InvalidPolicy({ problem: "maxConcurrency: must be whole" }),
    "maxConcurrency: must be whole. The policy is unchanged."
  ],
  [
    () => new TeamNotFound({ team: "payments" }),
    "There is no team 'payments' in this workspace; GET /v1/teams lists them."
  ],
  [
    () => new TeamIsPaused({ team: "payments" as TeamSlug }),
    "The team 'payments' is paused and starts no new work. Resume it first."
  ],
  [
    () => new InvalidTeam({ field: "repositories", problem: "is too long" }),
    "repositories: is too long. The team is unchanged."
  ],
  [() => new TeamUnchanged({ team: "payments" }), "The team 'payments' has these repositories already."],
  [() => new StoryAlreadyThere({ story, column: "backlog" }), "PAY-9 is in Backlog already."],
  [
    () => new RunHoldsStory({ story, run }),
    "run-aaaa works on PAY-9 and moves it. Wait for it, or stop it with 'gatehouse run stop --run run-aaaa'."
  ],
  [
    () => new DraftNotMovable({ story, column: "done" }),
    "PAY-9 is a draft and cannot move to Done; drafts stay in Backlog or Refining. Approve it first with 'gatehouse story approve --story PAY-9'."
  ],
  [
    () => new StoryNotFound({ story: "PAY-9" }),
    "There is no story 'PAY-9' in this workspace; GET /v1/teams/{team}/stories lists a team's stories."
  ],
  [
    () => new RunNotFound({ run: "run-zzzz" }),
    "There is no run 'run-zzzz' in this workspace; GET /v1/runs lists them."
  ],
  [() => new RunOver({ run, status: "succeeded" }), "run-aaaa is over (succeeded). Start another run of its story."],
  [() => new RunOver({ run, status: "failed" }), "run-aaaa is over (failed). Retry it to queue a new attempt."],
  [
    () => new RunNotQueued({ run, status: "running" }),
    "run-aaaa is running; only a queued run, or one that continues after an answer, can be leased."
  ],
  [
    () => new RunNotOver({ run, status: "running" }),
    "run-aaaa is running; only a failed, timed out or stopped run can be retried."
  ],
  [
    () => new RunNotRunning({ run, status: "queued", wanted: "progress" }),
    "run-aaaa is queued, so it cannot report progress: lease it first."
  ],
  [
    () => new RunNotRunning({ run, status: "waiting", wanted: "success" }),
    "run-aaaa is waiting, so it cannot report success: answer its pending decision first."
  ],
  [
    () => new DecisionNotFound({ decision: "dec-zzzz" }),
    "There is no decision 'dec-zzzz' in this workspace; GET /v1/decisions lists them."
  ],
  [() => new InvalidDecision({ field: "title", problem: "is too long" }), "title: is too long."],
  [() => new InvalidDecision({ field: "", problem: "has no options" }), "The decision: has no options."],
  [
    () => new ProposalDeclined({ decision, title: "Upgrade Node" }),
    "'Upgrade Node' was proposed before and declined as dec-aaaa; it is not proposed again."
  ],
  [
    () => new Refused.InsufficientAuthority({ decision, needed: "owner", role: "admin" }),
    "dec-aaaa must be answered by an owner of the workspace; your role is admin. Ask one of them."
  ],
  [
    () => new Refused.InsufficientAuthority({ decision, needed: "admin", role: "member" }),
    "dec-aaaa must be answered by an owner or admin of the workspace; your role is member. Ask one of them."
  ],
  [
    () => new Refused.DecisionAlreadyResolved({ decision, ...nobody }),
    "dec-aaaa was answered already. The first answer stands."
  ],
  [
    () => new Refused.DecisionAlreadyResolved({ decision, by: "Ana", via: "slack", at: before, answer: "Approve" }),
    "dec-aaaa was answered already by Ana at 2026-03-01T10:00:00.000Z via slack with 'Approve'. The first answer stands."
  ],
  [
    () => new Refused.DecisionExpired({ decision, at: null }),
    "dec-aaaa expired without an answer. Retry its run to be asked again."
  ],
  [
    () => new Refused.DecisionExpired({ decision, at: before }),
    "dec-aaaa expired at 2026-03-01T10:00:00.000Z without an answer. Retry its run to be asked again."
  ],
  [
    () => new Refused.DecisionCancelled({ decision }),
    "dec-aaaa was cancelled: its run ended or its story left. There is nothing to answer any more."
  ],
  [
    () => new Refused.DecisionSuperseded({ decision }),
    "dec-aaaa was superseded by a newer decision of the same kind; answer that one. The run lists it."
  ],
  [
    () => new Refused.UnknownOption({ decision, optionId: `${"x".repeat(200)}y`, allowed: ["yes", "no"] }),
    `optionId must be one of yes, no for dec-aaaa; got '${"x".repeat(200)}'.`
  ],
  [() => new Refused.NoteTooLong({ length: 4001 }), "note must be at most 4000 characters; got 4001. Shorten it."],
  [
    () => new IncidentNotFound({ incident: "inc-zzzz" }),
    "There is no incident 'inc-zzzz' in this workspace; 'gatehouse incident list' shows them."
  ],
  [() => new IncidentResolved({ incident: "inc-aaaa" }), "The incident inc-aaaa is resolved already."],
  [
    () => new IncidentAcknowledged({ incident: "inc-aaaa", by: "Ana" }),
    "The incident inc-aaaa is acknowledged already, by Ana."
  ],
  [() => new InvalidCheck({ problem: "url must be given" }), "url must be given. Nothing is changed."],
  [
    () => new PlaceNotFound({ team: "payments", place: "chat" }),
    "The team 'payments' has no place 'chat'; 'gatehouse team place add' adds one."
  ],
  [
    () => new PlaceTaken({ team: "payments", place: "chat" }),
    "The team 'payments' has a place 'chat' already. Remove it first, or choose another name."
  ],
  [
    () => new DeliveryNotFound({ delivery: "d-1" }),
    "There is no delivery 'd-1' in this workspace whose body is still kept; 'gatehouse source deliveries' lists them."
  ],
  [() => new UnreadableAlert({ problem: "it has no title" }), "The alert cannot be read: it has no title."],
  [
    () => new SourceNotFound(),
    "There is no signal source at this address. Copy the whole address that 'gatehouse source create' printed."
  ],
  [
    () => new SourceCannotBeTested({ source: "prom", problem: "its secret is lost" }),
    "The signal source 'prom' cannot be tested from here: its secret is lost."
  ],
  [
    () => new InvalidProof({ problem: "it has no signature" }),
    "This delivery is not proven to come from the source: it has no signature."
  ],
  [
    () => new TimestampOutOfWindow({ ...late, seconds: 300.2 }),
    "X-Signed-At is 301 s old; at most 300 s are allowed. Check the sender's clock and sign anew."
  ],
  [
    () => new TimestampOutOfWindow({ ...late, seconds: -300.2 }),
    "X-Signed-At is 301 s ahead; at most 300 s are allowed. Check the sender's clock and sign anew."
  ]
]

describe("a refusal says what is wrong and what to do", () => {
  it.each(messages.map(([make, message]) => ({ make, message })))("$message", ({ make, message }) =>
    assert.strictEqual(make().message, message)
  )
})
