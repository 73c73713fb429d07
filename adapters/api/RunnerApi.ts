import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Schema } from "effect"
import { LeaseGrant, Renewal, Reported } from "../../application/runner/LeaseGrant.ts"
import { Fact } from "../../domain/work/RunReport.ts"
import { Runner } from "../../domain/runner/Runner.ts"
import { InstanceId, LeaseId, RunnerId } from "../../domain/work/Lease.ts"
import { TeamSlug } from "../../domain/workspace/Team.ts"
import { DecisionKey, DecisionView } from "../../domain/work/Decision.ts"
import { RunView } from "../../domain/work/Run.ts"
import { StoryDetail } from "../../domain/work/Story.ts"
import { Line, Text } from "../../domain/value/Text.ts"
import { Caller, failure, security } from "./AccessApi.ts"
import * as Refusal from "./OperationErrors.ts"

/** Requires any active token of the workspace, counted against the limit of runners. */
export class RunnerAccess extends HttpApiMiddleware.Tag<RunnerAccess>()("adapters/http/RunnerAccess", {
  provides: Caller,
  failure,
  security
}) {}

/** Version of the wire; a runner names the newest it speaks. */
export const protocol = 1
const oldestProtocol = 1

export const Hello = Schema.Struct({
  protocol: Schema.Int.pipe(
    Schema.filter(
      (spoken) =>
        spoken >= oldestProtocol || `must be at least ${oldestProtocol}: install a newer version of the runner`
    )
  ),
  name: Runner.fields.name,
  version: Runner.fields.version,
  os: Runner.fields.os,
  arch: Runner.fields.arch,
  slots: Schema.Int.pipe(Schema.between(1, 100)),
  executors: Runner.fields.executors.pipe(Schema.maxItems(20)),
  /** Teams it works for; none are all. */
  teams: Schema.optionalWith(Schema.Array(TeamSlug).pipe(Schema.maxItems(100)), { default: () => [] })
}).annotations({ identifier: "Hello" })

const Welcome = Schema.Struct({
  runner: RunnerId,
  workspace: Schema.String,
  protocol: Schema.Int,
  /** Longest wait of a lease request. */
  pollMs: Schema.Int,
  renewMs: Schema.Int,
  leaseMs: Schema.Int
}).annotations({ identifier: "Welcome" })

/** Drawn by a runner at its start, and sent with each lease request and its goodbye. */
const instance = { instance: Schema.optionalWith(InstanceId, { exact: true }) }

const LeaseRequest = Schema.Struct({
  runner: RunnerId,
  ...instance,
  executors: Schema.Array(Line(100)).pipe(Schema.maxItems(20)),
  waitSeconds: Schema.Int.pipe(Schema.between(0, 25))
}).annotations({ identifier: "LeaseRequest" })

/** Integers that PostgreSQL stores. */
const Whole = (least: number) => Schema.Int.pipe(Schema.between(least, 2_147_483_647))

const fence = { fence: Whole(1) }

/** Longest part of a log in one report. */
export const mostLog = 32_768

const Renew = Schema.Struct({
  ...fence,
  lastInput: Whole(0),
  /** True when the credential of the repository ends soon. */
  git: Schema.optionalWith(Schema.Boolean, { exact: true })
}).annotations({ identifier: "Renew" })

/** A fact of a runner: a story is done by its merge, which the service learns of from the code host. */
const RunnerFact = Fact.pipe(
  Schema.filter((fact) =>
    fact.type === "merged" || (fact.type === "stage" && fact.stage === "done")
      ? "is no fact of a runner: the code host says when a change is merged; report handed_off"
      : undefined
  )
)

const Report = Schema.Struct({
  ...fence,
  /** Counts the reports of the lease from 1; one at or below the number of the last that was applied changes nothing. */
  seq: Whole(1),
  facts: Schema.Array(RunnerFact).pipe(Schema.maxItems(50)),
  /** Lines to append to the log of the attempt. */
  log: Schema.optionalWith(Schema.String.pipe(Schema.maxLength(mostLog)), { default: () => "" }),
  /** Session of the agent, for the runner that continues. */
  session: Schema.optionalWith(Schema.NullOr(Line(200)), { default: () => null })
}).annotations({ identifier: "LeaseReport" })

const Finish = Schema.Struct({
  ...fence,
  /** Null: failed if a failure was reported, else succeeded. */
  outcome: Schema.NullOr(Schema.Literal("succeeded", "failed", "timed_out"))
}).annotations({ identifier: "Finish" })

const lease = HttpApiSchema.param("lease", LeaseId)

/** Story, run and decisions for the agent of a run. */
const OwnRun = Schema.Struct({ story: StoryDetail, run: RunView, decisions: Schema.Array(DecisionView) }).annotations({
  identifier: "OwnRun"
})

/** Text of an agent that says something. */
const said = (most: number) =>
  Text.pipe(Schema.pattern(/\S/, { message: () => "must not be empty or blank" }), Schema.maxLength(most))

/** The same rules hold for the tools of MCP. */
export const QuestionText = said(10_000)
export const ProgressText = said(4000)

const Question = Schema.Struct({ question: QuestionText }).annotations({ identifier: "Question" })
const ProgressLine = Schema.Struct({ text: ProgressText }).annotations({ identifier: "ProgressLine" })

/** The wire of runners. Not part of the documented REST API. */
export class RunnerGroup extends HttpApiGroup.make("runner")
  .add(HttpApiEndpoint.post("hello", "/hello").setPayload(Hello).addSuccess(Welcome).addError(Refusal.TooManyRunners))
  .add(
    HttpApiEndpoint.post("lease", "/lease")
      .setPayload(LeaseRequest)
      .addSuccess(LeaseGrant)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Refusal.RunnerNotFound)
      .addError(Refusal.RunnerDraining)
  )
  .add(
    HttpApiEndpoint.post("renew")`/leases/${lease}/renew`
      .setPayload(Renew)
      .addSuccess(Renewal)
      .addError(Refusal.LeaseLost)
  )
  .add(
    HttpApiEndpoint.post("report")`/leases/${lease}/report`
      .setPayload(Report)
      .addSuccess(Reported)
      .addError(Refusal.LeaseLost)
  )
  .add(
    HttpApiEndpoint.post("finish")`/leases/${lease}/finish`
      .setPayload(Finish)
      .addSuccess(Reported)
      .addError(Refusal.LeaseLost)
  )
  .add(
    HttpApiEndpoint.post("goodbye", "/goodbye")
      .setPayload(Schema.Struct({ runner: RunnerId, ...instance }))
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Refusal.RunnerNotFound)
  )
  .addError(Refusal.InvalidJson)
  .addError(Refusal.InvalidRequest)
  .addError(Refusal.UnsupportedMediaType)
  .middleware(RunnerAccess)
  .prefix("/runner/v1") {}

/** For the agent: the credential bound to its run reads that run, asks and reports progress, and nothing else. */
export class RunGroup extends HttpApiGroup.make("run")
  .add(HttpApiEndpoint.get("ownRun", "/run").addSuccess(OwnRun))
  .add(
    HttpApiEndpoint.post("ask", "/run/questions")
      .setPayload(Question)
      .addSuccess(Schema.Struct({ decision: DecisionKey }))
      .addError(Refusal.LeaseLost)
      .addError(Refusal.InvalidJson)
      .addError(Refusal.InvalidRequest)
  )
  .add(
    HttpApiEndpoint.post("progress", "/run/progress")
      .setPayload(ProgressLine)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Refusal.LeaseLost)
      .addError(Refusal.InvalidJson)
      .addError(Refusal.InvalidRequest)
  )
  .middleware(RunnerAccess)
  .prefix("/runner/v1") {}

export class RunnerApi extends HttpApi.make("runner").add(RunnerGroup).add(RunGroup) {}
