import { Schema } from "effect"
import { Channel } from "../../domain/Actor.ts"
import { Action, DecisionKey, DecisionStatus, Kind, Note, Resolution } from "../../domain/Decision.ts"
import { Role } from "../../domain/Member.ts"
import { Budgets, Executor, Cents, Preset, Settings } from "../../domain/Policy.ts"
import {
  Attempt,
  ChangedPaths,
  Evidence,
  FailureClass,
  PullRequest,
  RunStatus,
  Stage,
  Verification
} from "../../domain/Run.ts"
import { RunKey } from "../../domain/RunKey.ts"
import { OnCallSettings } from "../../domain/Service.ts"
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
} from "../../domain/Story.ts"
import { KeyPrefix, TeamId, TeamSlug, TrackerProject } from "../../domain/Team.ts"
import { Line, Text, WebAddress } from "../../domain/Text.ts"
import { Timestamp } from "../../domain/Timestamp.ts"
import { TrackerIssue } from "../../domain/Tracker.ts"

const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

/** Keys are read in any case and kept in theirs. */
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
  executor: maybe(Settings.fields.executor),
  maxConcurrency: maybe(Settings.fields.maxConcurrency),
  budgets: maybe(Schema.partialWith(Budgets, { exact: true })),
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
  name: Line(200),
  description: maybe(Text),
  keyPrefix: folded(KeyPrefix, (text) => text.toUpperCase()),
  paused: maybe(Schema.Boolean),
  policy: maybe(PolicyDocument),
  trackerProject: maybe(TrackerProject),
  repositories: maybe(Schema.Array(Line(500))),
  createdAt: maybe(Timestamp),
  updatedAt: maybe(Timestamp)
})

const ServiceDocument = Schema.Struct({ team, name: Line(200), settings: maybe(OnCallSettings) })

const StoryDocument = Schema.Struct({
  id: maybe(StoryId),
  key: maybe(story),
  team,
  title: Line(500),
  column: maybe(Schema.Struct({ id: maybe(Column.fields.id), name: maybe(Column.fields.name), role: ColumnRole })),
  draft: maybe(Schema.Boolean),
  readinessScore: maybe(Score),
  size: maybe(Size),
  complexity: maybe(Complexity),
  classOfService: maybe(ClassOfService),
  tracker: maybe(TrackerIssue),
  createdAt: maybe(Timestamp),
  updatedAt: maybe(Timestamp),
  description: maybe(Text),
  acceptanceCriteria: maybe(
    Schema.Array(
      Schema.Struct({
        id: maybe(AcceptanceCriterion.fields.id),
        text: AcceptanceCriterion.fields.text,
        status: maybe(AcceptanceCriterion.fields.status)
      })
    )
  ),
  demonstrate: maybe(Schema.Array(Line(4000))),
  testPlan: maybe(Text),
  runKeys: Schema.optional(Schema.Array(Schema.String))
})

const progress = {
  status: maybe(RunStatus),
  stage: maybe(Stage),
  executor: maybe(Executor),
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
    Schema.Struct({
      status: Verification.fields.status,
      summary: maybe(Text),
      completedAt: maybe(Timestamp)
    })
  )
})

const gap = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(Schema.NullOr(schema), { default: () => null })
const none = <A, I>(item: Schema.Schema<A, I>) => Schema.optionalWith(Schema.Array(item), { default: () => [] })
const gate = Evidence.fields.gates.value.fields
const shown = Evidence.fields.demonstrate.value.fields

const EvidenceDocument = Schema.Struct({
  gates: none(
    Schema.Struct({
      name: gate.name,
      status: gate.status,
      summary: gap(Text),
      url: gap(WebAddress),
      completedAt: gap(Timestamp)
    })
  ),
  acceptance: none(Evidence.fields.acceptance.value),
  demonstrate: none(Schema.Struct({ text: shown.text, status: shown.status, url: gap(WebAddress) })),
  diff: gap(
    Schema.Struct({ files: Cents, additions: Cents, deletions: Cents, commit: gap(Line(100)), paths: ChangedPaths })
  )
})

const RunDocument = Schema.Struct({
  key: maybe(run),
  team: maybe(team),
  story: Schema.Union(story, Schema.Struct({ key: story, title: Schema.optional(Schema.String) })),
  ...progress,
  attempts: maybe(Schema.Int),
  budgetCents: maybe(Cents),
  pullRequest: maybe(PullRequest),
  createdAt: maybe(Timestamp),
  attemptList: maybe(Schema.Array(AttemptDocument)),
  evidence: maybe(EvidenceDocument),
  decisions: Schema.optional(Schema.Array(Schema.Unknown))
})

const DecisionDocument = Schema.Struct({
  key: maybe(decision),
  kind: Kind,
  authority: maybe(Role),
  title: Line(500),
  body: maybe(Text),
  status: maybe(DecisionStatus),
  recommendation: Schema.String,
  options: Schema.Array(
    Schema.Struct({ id: Line(100), label: Line(200), action: Action, recommended: maybe(Schema.Boolean) })
  ),
  team: maybe(team),
  story: maybe(story),
  run: maybe(run),
  runKey: maybe(run),
  resolution: maybe(Schema.Struct({ optionId: Resolution.fields.optionId, note: maybe(Note) })),
  resolvedVia: maybe(Channel),
  resolvedAt: maybe(Timestamp),
  expiresAt: maybe(Timestamp),
  createdAt: maybe(Timestamp)
})

/** What `import` reads: the API's field names, arrays oldest first, all but a few fields optional. */
export const Document = Schema.Struct({
  teams: none(TeamDocument),
  services: none(ServiceDocument),
  stories: none(StoryDocument),
  runs: none(RunDocument),
  decisions: none(DecisionDocument)
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
