import * as FileSystem from "@effect/platform/FileSystem"
import type * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Array, Effect, Option, Schema } from "effect"
import type { Fact } from "../../domain/work/RunReport.ts"
import { Evidence, FailureClass, Stage, Verification } from "../../domain/work/Run.ts"
import { Line, WebAddress } from "../../domain/value/Text.ts"
import { oneOf, option, text, title, usage, whole } from "./Options.ts"

const maybe = Options.optional
const words = (name: string, description: string) => maybe(text(name, description))
const named = (name: string, description: string) => maybe(title(name, description))

/** No pull request has a number over nine digits. */
const numberIn = (url: string) => /[/=#]([1-9]\d{0,8})\/?$/.exec(url)?.[1]
const pullRequestShape = "an http or https address that ends in its number, such as https://github.com/acme/pay/pull/7"
const PullRequestAddress = WebAddress.pipe(Schema.filter((url) => numberIn(url) !== undefined))

/** Facts of a report, each as an option. */
export const reportOptions = {
  stage: maybe(oneOf("stage", Stage, "What it is doing now")),
  cost: maybe(whole("cost", "What the attempt has cost so far, in cents")),
  evidence: maybe(
    Options.file("evidence").pipe(
      Options.withPseudoName("FILE.json"),
      Options.withDescription(
        "The evidence pack: {gates, acceptance, demonstrate, diff} as GET /v1/runs/{run} shows it"
      )
    )
  ),
  pullRequest: maybe(
    option("pull-request", PullRequestAddress, pullRequestShape, {
      description: "Its pull request, by an address that ends in the number",
      placeholder: "URL"
    })
  ),
  plan: words("plan", "The plan is ready, in Markdown"),
  needsPath: named("needs-path", "A path that it has to change; people are asked when the policy denies it"),
  question: words("question", "What the agent wants to know; people are asked"),
  specFailed: words("spec-failed", "Why no working acceptance spec could be written; people are asked"),
  specChanged: words("spec-changed", "How the implementation changed the acceptance spec; people are asked"),
  gateFailed: maybe(
    option("gate-failed", Line(200), "text of 1 to 200 characters", {
      description: "Name of a gate that failed; people are asked past the policy's gate failure budget",
      placeholder: "GATE"
    })
  ),
  mainBroken: named("main-broken", "The merge that broke the main branch; people are asked about a revert"),
  mainRed: words("main-red", "Why the main branch is red; people are asked"),
  maintenance: named("maintenance", "Title of something worth a story; people are asked"),
  idea: named("idea", "Title of a feature that the strategy notes suggest; people are asked"),
  scope: words("scope", "How doing the story well would change its scope; people are asked"),
  verification: maybe(
    oneOf("verification", Verification.fields.status, "How it ended; people are asked where the policy does not merge")
  ),
  merged: Options.boolean("merged").pipe(Options.withDescription("The pull request is merged")),
  failure: words("failure", "Why it failed"),
  failureClass: oneOf("class", FailureClass, "What kind of --failure it is, default: persistent").pipe(
    Options.withDefault("persistent" as const)
  ),
  reason: text(
    "reason",
    "More words to --needs-path, --gate-failed, --main-broken, --verification, --maintenance or --idea"
  ).pipe(Options.withDefault(""))
}

type ReportInput = Command.Command.ParseConfig<typeof reportOptions>

const decodeEvidence = Schema.decodeUnknown(Schema.parseJson(Evidence))

const evidenceOf = (file: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const json = yield* Effect.mapError(files.readFileString(file), () => usage(`--evidence: cannot read '${file}'`))
    return yield* Effect.mapError(decodeEvidence(json), (error) =>
      usage(`--evidence: '${file}' is no evidence pack: ${error.message.split("\n").at(-1)?.trim()}`)
    )
  })

/** The facts in the order they are applied: known results first, then facts that may raise a decision. */
export const factsOf = (given: ReportInput) =>
  Effect.gen(function* () {
    const { reason } = given
    const evidence = yield* Effect.transposeOption(Option.map(given.evidence, evidenceOf))
    const said = <A>(value: Option.Option<A>, fact: (value: A) => Fact) => Option.toArray(Option.map(value, fact))
    const facts: ReadonlyArray<Fact> = [
      ...said(given.stage, (stage) => ({ type: "stage", stage })),
      ...said(given.cost, (costCents) => ({ type: "cost", costCents })),
      ...said(evidence, (found) => ({ type: "evidence", evidence: found })),
      ...said(given.pullRequest, (url) => ({
        type: "pull_request",
        pullRequest: { url, number: Number(numberIn(url)) }
      })),
      ...said(given.plan, (plan) => ({ type: "plan_ready", plan, size: null })),
      ...said(given.needsPath, (path) => ({ type: "path_needed", path, reason })),
      ...said(given.question, (question) => ({ type: "question", question })),
      ...said(given.specFailed, (why) => ({ type: "spec_failed", reason: why })),
      ...said(given.specChanged, (why) => ({ type: "spec_changed", reason: why })),
      ...said(given.gateFailed, (gate) => ({ type: "gate_failed", gate, reason })),
      ...said(given.mainBroken, (merge) => ({ type: "main_broken", merge, reason })),
      ...said(given.mainRed, (why) => ({ type: "main_red", reason: why })),
      ...said(given.maintenance, (title) => ({ type: "maintenance_found", title, reason })),
      ...said(given.idea, (title) => ({ type: "feature_idea", title, reason })),
      ...said(given.scope, (why) => ({ type: "scope_grew", reason: why })),
      ...said(given.verification, (status) => ({ type: "verification", status, summary: reason })),
      ...(given.merged ? [{ type: "merged" } as const] : []),
      ...said(given.failure, (error) => ({ type: "failure", failureClass: given.failureClass, error }))
    ]
    return Array.isNonEmptyReadonlyArray(facts)
      ? facts
      : yield* Effect.fail(usage("There is nothing to report: say at least one thing of the run"))
  })
