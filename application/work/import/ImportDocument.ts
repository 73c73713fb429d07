import { Schema, SchemaAST } from "effect"
import { Channel } from "../../../domain/workspace/Actor.ts"
import { Action, DecisionKey, DecisionStatus, Kind, Note, Resolution } from "../../../domain/work/Decision.ts"
import { Role } from "../../../domain/workspace/Member.ts"
import { Budgets, Cents, NewExecutor, Preset, Settings } from "../../../domain/workspace/Policy.ts"
import {
  Attempt,
  ChangedPaths,
  Evidence,
  FailureClass,
  PullRequest,
  RunStatus,
  Stage,
  Verification
} from "../../../domain/work/Run.ts"
import { RunKey } from "../../../domain/value/RunKey.ts"
import { OnCallSettings } from "../../../domain/oncall/Service.ts"
import {
  AcceptanceCriterion,
  ClassOfService,
  Column,
  ColumnRole,
  Complexity,
  Score,
  Size,
  StoryId,
  StoryKey
} from "../../../domain/work/Story.ts"
import { KeyPrefix, TeamId, TeamSlug, TrackerProject } from "../../../domain/workspace/Team.ts"
import { Line, Name, Text, WebAddress } from "../../../domain/value/Text.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { TrackerIssue } from "../../../domain/workspace/Tracker.ts"

const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

/** Describes the shape of an object in an error by an example. */
const like = <A, I>(example: object, { ast }: Schema.Schema<A, I>): Schema.Schema<A, I> => {
  const title = { [SchemaAST.TitleAnnotationId]: `an object such as ${JSON.stringify(example)}` }
  // For a struct with defaults, parsing fails on its encoded side.
  return Schema.make(
    ast._tag === "Transformation"
      ? new SchemaAST.Transformation(
          SchemaAST.annotations(ast.from, title),
          ast.to,
          ast.transformation,
          ast.annotations
        )
      : SchemaAST.annotations(ast, title)
  )
}

const list = <A, I>(item: Schema.Schema<A, I>) => Schema.Array(item).annotations({ title: "a list" })

/** Reads keys in any case and normalises them. */
const folded = <A extends string>(key: Schema.Schema<A, string>, fold: (text: string) => string) =>
  Schema.compose(
    Schema.transform(Schema.String, Schema.String, { strict: true, decode: fold, encode: (key) => key }),
    key
  )
const team = folded(TeamSlug, (text) => text.toLowerCase())
const story = folded(StoryKey, (text) => text.toUpperCase())
const run = folded(RunKey, (text) => text.toLowerCase())
const decision = folded(DecisionKey, (text) => text.toLowerCase())

const PolicyDocument = Schema.Struct({
  preset: maybe(Preset),
  custom: maybe(Schema.Boolean),
  version: maybe(Schema.Int.pipe(Schema.positive())),
  executor: maybe(NewExecutor),
  maxConcurrency: maybe(Settings.fields.maxConcurrency),
  budgets: maybe(like({ runCents: 500 }, Schema.partialWith(Budgets, { exact: true }))),
  planApproval: maybe(Settings.fields.planApproval),
  mergePolicy: maybe(Settings.fields.mergePolicy),
  deniedPaths: maybe(Settings.fields.deniedPaths),
  acceptanceSpecRequired: maybe(Settings.fields.acceptanceSpecRequired),
  gateFailureBudget: maybe(Settings.fields.gateFailureBudget),
  mergeMaxLines: maybe(Settings.fields.mergeMaxLines),
  decisionHours: maybe(Settings.fields.decisionHours),
  pausedAt: maybe(Timestamp),
  updatedAt: maybe(Timestamp)
})

const TeamDocument = Schema.Struct({
  id: maybe(TeamId),
  slug: team,
  name: Name(200),
  description: maybe(Text),
  keyPrefix: folded(KeyPrefix, (text) => text.toUpperCase()),
  paused: maybe(Schema.Boolean),
  policy: maybe(like({ preset: "standard" }, PolicyDocument)),
  trackerProject: maybe(like({ platform: "github", project: "acme/pay" }, TrackerProject)),
  repositories: maybe(list(Line(500))),
  createdAt: maybe(Timestamp),
  updatedAt: maybe(Timestamp)
})

const ServiceDocument = Schema.Struct({
  team,
  name: Name(200),
  settings: maybe(like({ minimumSeverity: "high" }, OnCallSettings))
})

const StoryDocument = Schema.Struct({
  id: maybe(StoryId),
  key: maybe(story),
  team,
  title: Name(500),
  column: maybe(
    like(
      { role: "review" },
      Schema.Struct({ id: maybe(Column.fields.id), name: maybe(Column.fields.name), role: ColumnRole })
    )
  ),
  draft: maybe(Schema.Boolean),
  readinessScore: maybe(Score),
  size: maybe(Size),
  complexity: maybe(Complexity),
  classOfService: maybe(ClassOfService),
  tracker: maybe(like({ platform: "github", key: "#7", url: "https://github.com/acme/pay/issues/7" }, TrackerIssue)),
  createdAt: maybe(Timestamp),
  updatedAt: maybe(Timestamp),
  description: maybe(Text),
  acceptanceCriteria: maybe(
    list(
      like(
        { text: "It works" },
        Schema.Struct({
          id: maybe(AcceptanceCriterion.fields.id),
          text: AcceptanceCriterion.fields.text,
          status: maybe(AcceptanceCriterion.fields.status)
        })
      )
    )
  ),
  demonstrate: maybe(list(Line(4000))),
  testPlan: maybe(Text),
  runKeys: Schema.optional(Schema.Array(Schema.String))
})

const progress = {
  status: maybe(RunStatus),
  stage: maybe(Stage),
  executor: maybe(NewExecutor),
  costCents: maybe(Cents),
  failureClass: maybe(FailureClass),
  startedAt: maybe(Timestamp),
  completedAt: maybe(Timestamp)
}

const AttemptDocument = Schema.Struct({
  attempt: maybe(Attempt.fields.attempt),
  ...progress,
  error: maybe(Text),
  verification: maybe(
    like(
      { status: "passed" },
      Schema.Struct({
        status: Verification.fields.status,
        summary: maybe(Text),
        completedAt: maybe(Timestamp)
      })
    )
  )
})

const gap = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(Schema.NullOr(schema), { default: () => null })
const none = <A, I>(example: object, item: Schema.Schema<A, I>) =>
  Schema.optionalWith(list(like(example, item)), { default: () => [] })
const gate = Evidence.fields.gates.value.fields
const shown = Evidence.fields.demonstrate.value.fields

const EvidenceDocument = Schema.Struct({
  gates: none(
    { name: "lint", status: "passed" },
    Schema.Struct({
      name: gate.name,
      status: gate.status,
      summary: gap(Text),
      url: gap(WebAddress),
      completedAt: gap(Timestamp)
    })
  ),
  acceptance: none({ criterionId: "ac-1", status: "passed" }, Evidence.fields.acceptance.value),
  demonstrate: none(
    { text: "Show it", status: "passed" },
    Schema.Struct({ text: shown.text, status: shown.status, url: gap(WebAddress) })
  ),
  diff: gap(
    like(
      { files: 1, additions: 2, deletions: 3 },
      Schema.Struct({ files: Cents, additions: Cents, deletions: Cents, commit: gap(Line(100)), paths: ChangedPaths })
    )
  )
})

const RunDocument = Schema.Struct({
  key: maybe(run),
  team: maybe(team),
  story: Schema.Union(
    story,
    like({ key: "PAY-12" }, Schema.Struct({ key: story, title: Schema.optional(Schema.String) }))
  ),
  ...progress,
  attempts: maybe(Schema.Int),
  budgetCents: maybe(Cents),
  pullRequest: maybe(like({ url: "https://github.com/acme/pay/pull/7", number: 7 }, PullRequest)),
  createdAt: maybe(Timestamp),
  attemptList: maybe(list(like({ status: "succeeded" }, AttemptDocument))),
  evidence: maybe(like({ gates: [{ name: "lint", status: "passed" }] }, EvidenceDocument)),
  decisions: Schema.optional(Schema.Array(Schema.Unknown))
})

const DecisionDocument = Schema.Struct({
  key: maybe(decision),
  kind: Kind,
  authority: maybe(Role),
  title: Name(500),
  body: maybe(Text),
  status: maybe(DecisionStatus),
  recommendation: Schema.String,
  options: list(
    like(
      { id: "yes", label: "Approve", action: "approve_plan" },
      Schema.Struct({ id: Line(100), label: Line(200), action: Action, recommended: maybe(Schema.Boolean) })
    )
  ),
  team: maybe(team),
  story: maybe(story),
  run: maybe(run),
  runKey: maybe(run),
  resolution: maybe(
    like({ optionId: "yes" }, Schema.Struct({ optionId: Resolution.fields.optionId, note: maybe(Note) }))
  ),
  resolvedVia: maybe(Channel),
  resolvedAt: maybe(Timestamp),
  expiresAt: maybe(Timestamp),
  createdAt: maybe(Timestamp)
})

/** Format of `import`: the API's field names, arrays oldest first, most fields optional. */
export const Document = Schema.Struct({
  teams: none({ slug: "payments", name: "Payments", keyPrefix: "PAY" }, TeamDocument),
  services: none({ team: "payments", name: "checkout" }, ServiceDocument),
  stories: none({ team: "payments", title: "Refund in part" }, StoryDocument),
  runs: none({ story: "PAY-12" }, RunDocument),
  decisions: none({ team: "payments", kind: "clarification", title: "Which currency?" }, DecisionDocument)
}).annotations({ identifier: "ImportDocument" })
export type Document = typeof Document.Type

export class InvalidDocument extends Schema.TaggedError<InvalidDocument>()("InvalidDocument", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.path === "" ? "The document" : this.path}: ${this.problem}. Nothing was stored.`
  }
}

/** `["runs", 0, "story"]` → `runs[0].story` */
export const pathOf = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "")
