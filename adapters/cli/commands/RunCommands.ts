import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Prompt from "@effect/cli/Prompt"
import { Console, Effect, Option, Schema } from "effect"
import * as Authorization from "../../../application/workspace/Authorization.ts"
import { JobStore } from "../../../application/ports/JobStore.ts"
import { RunStore } from "../../../application/ports/RunStore.ts"
import { TeamStore } from "../../../application/ports/TeamStore.ts"
import * as Runners from "../../../application/runner/Runners.ts"
import * as Runs from "../../../application/work/Runs.ts"
import * as Workspaces from "../../../application/workspace/Workspaces.ts"
import type { JobView } from "../../../domain/work/Job.ts"
import { MergeHold } from "../../../domain/work/MergeHold.ts"
import { progress, type RunStatus, type RunSummary, type RunView } from "../../../domain/work/Run.ts"
import { isOver } from "../../../domain/work/RunTransitions.ts"
import { printable } from "../../../domain/value/Text.ts"
import { format } from "../../../domain/value/Timestamp.ts"
import type { Progress } from "../../../domain/work/RunContext.ts"
import type { TeamNotFound } from "../../../domain/workspace/Team.ts"
import type { WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { columns, flat, section, time } from "../Columns.ts"
import { paged, pageOf, personalList } from "../Paging.ts"
import { heldBy, runCells, runLines } from "../RunText.ts"
import { factsOf, reportOptions } from "../ReportOptions.ts"
import { email, oneOf, run, story, team, text, usage, whole, workspace } from "../Options.ts"
import { json, maybeAs, personalVerb, printingVerb, verb, who } from "../Command.ts"

const encodeHold = Schema.encodeSync(Schema.NullOr(MergeHold))

const shown = ({ mergeHold, raised, run, story }: Progress) => {
  const { attempts, costCents, failureClass, stage, status } = progress(run)
  return {
    run: run.key,
    team: run.team,
    story: { key: story.key, title: story.title, column: story.column.role },
    status,
    stage,
    attempts,
    costCents,
    budgetCents: run.budgetCents,
    failureClass,
    lease: run.lease && { fence: run.lease.fence, expiresAt: format(run.lease.expiresAt) },
    inputs: run.inputs,
    exceptions: run.exceptions,
    raised: raised.map(({ key }) => key),
    mergeHold: encodeHold(mergeHold)
  }
}

const words: Record<RunStatus, string> = {
  queued: "is queued",
  running: "is running",
  waiting: "is waiting",
  succeeded: "has succeeded",
  failed: "has failed",
  timed_out: "has timed out",
  stopped: "is stopped"
}

const heldMerge = (hold: typeof MergeHold.Encoded | null) => (hold === null ? "" : ` Its merge is ${heldBy(hold)}.`)

const said = ({ lease, mergeHold, raised, run, stage, status, story }: ReturnType<typeof shown>) =>
  `${run} of ${story.key} ${words[status]} (${stage}).` +
  (lease === null ? "" : ` Lease ${lease.fence} ends at ${time(lease.expiresAt)}.`) +
  (raised.length > 0 ? ` It waits for ${raised.join(", ")}.` : "") +
  heldMerge(mergeHold)

const start = personalVerb(
  "start",
  "Queue a run for a story, whatever column it is in",
  { story },
  (person, input) => Effect.map(Runs.start(person, input.story), shown),
  said
)

const unconfirmed = usage("Nothing was stopped. Add --yes to confirm that you mean it")

/** Asks a person to confirm; without a terminal, --yes confirms in advance. */
const confirmed = (key: string, yes: boolean) =>
  yes
    ? Effect.void
    : process.stdin.isTTY && process.stdout.isTTY
      ? Prompt.run(Prompt.confirm({ message: `Stop ${key}? Its current attempt ends.` })).pipe(
          Effect.catchTag("QuitException", () => Effect.succeed(false)),
          Effect.flatMap((isSure) => (isSure ? Effect.void : Effect.fail(unconfirmed)))
        )
      : Effect.fail(unconfirmed)

const stop = personalVerb(
  "stop",
  "Stop a run: its attempt ends, its pending decisions are cancelled, the story stays where it is",
  { run, yes: Options.boolean("yes").pipe(Options.withDescription("Confirms it, so that nobody is asked")) },
  (person, input) => Effect.zipRight(confirmed(input.run, input.yes), Effect.map(Runs.stop(person, input.run), shown)),
  said
)

const retry = personalVerb(
  "retry",
  "Queue a new attempt of a failed, timed out or stopped run",
  { run, note: Options.optional(text("note", "Guidance for the agent; at most 4,000 characters")) },
  (person, { note, run }) => Effect.map(Runs.retry(person, run, Option.getOrNull(note)), shown),
  said
)

const as = Options.optional(email("as", "E-mail address of the member whose agent works; without it, the service does"))

/** The worker on runs: the named member, or the service itself. */
const workerOf = (slug: WorkspaceSlug, as: Option.Option<string>) =>
  Option.match(as, {
    onNone: () => Effect.map(Workspaces.idOf(slug), (workspace): Runs.Worker => ({ workspace })),
    onSome: (email) => Effect.map(Authorization.member(slug, email, "mcp"), (person): Runs.Worker => person)
  })

const lease = verb(
  "lease",
  "Take a queued run, the next or the one named, and begin its attempt",
  { workspace, as, team: Options.optional(team), run: Options.optional(run) },
  ({ as, run, team, workspace }) =>
    Effect.gen(function* () {
      const worker = yield* workerOf(workspace, as)
      if (Option.isSome(team)) yield* (yield* TeamStore).get(worker.workspace, team.value)
      const leased = yield* Runs.lease(worker, {
        team: Option.getOrNull(team),
        run: Option.getOrNull(run)
      })
      return leased === null ? null : shown(leased)
    }),
  (leased) => (leased === null ? "Nothing is queued." : said(leased))
)

const fence = Options.optional(whole("fence", "Number of the lease; without it, the one taken on the command line"))

const report = verb(
  "report",
  "Report what is known of a run; people are asked where the policy says so",
  { workspace, as, run, fence, ...reportOptions },
  ({ as, fence, run, workspace, ...given }) =>
    Effect.gen(function* () {
      const facts = yield* factsOf(given)
      return shown(yield* Runs.report(yield* workerOf(workspace, as), run, facts, Option.getOrNull(fence)))
    }),
  said
)

const Outcome = Schema.Literal("succeeded", "failed", "timed_out")

const finish = verb(
  "finish",
  "Say that the work on a run is over; without --outcome it succeeded, unless a failure was reported",
  { workspace, as, run, fence, outcome: Options.optional(oneOf("outcome", Outcome, "How it ended")) },
  ({ as, fence, outcome, run, workspace }) =>
    Effect.gen(function* () {
      const worker = yield* workerOf(workspace, as)
      return shown(yield* Runs.finish(worker, run, Option.getOrNull(outcome), Option.getOrNull(fence)))
    }),
  said
)

const show = verb(
  "show",
  "Show a run with its attempts, evidence, decisions, jobs and what holds its merge",
  { workspace, as: maybeAs, run },
  ({ as, run, workspace }) =>
    Effect.gen(function* () {
      const by = yield* who(workspace, as)
      const id = Authorization.isPerson(by) ? by.workspace : yield* Workspaces.idOf(workspace)
      const view = JSON.parse(yield* (yield* RunStore).get(id, run)) as typeof RunView.Encoded
      const { items } = yield* (yield* JobStore).page(id, { status: null, run }, { limit: 100, before: null })
      const jobs = JSON.parse(items) as ReadonlyArray<typeof JobView.Encoded>
      return { ...view, mergeHold: jobs.find(({ hold }) => hold !== null)?.hold ?? null, jobs }
    }),
  (run) =>
    [
      `${run.key} of ${run.story.key} ${words[run.status]} (${run.stage}): ${flat(run.story.title)}.${heldMerge(run.mergeHold)}`,
      ...runLines(run),
      ...section("Jobs", columns(run.jobs.map((job) => [job.id, job.status, job.kind])))
    ].join("\n")
)

/** Waits between two looks at a log that is followed. */
const pause = "2 seconds"

const logs = printingVerb(
  "logs",
  "Print the log of a run's latest attempt, or of the one named",
  {
    workspace,
    as: maybeAs,
    run,
    attempt: Options.optional(whole("attempt", "Number of the attempt")),
    follow: Options.boolean("follow").pipe(
      Options.withDescription("Print further lines as they come, until the attempt is over")
    ),
    json
  },
  ({ as, attempt, follow, json: isForScripts, run, workspace }) =>
    Effect.gen(function* () {
      const by = yield* who(workspace, as)
      const id = Authorization.isPerson(by) ? by.workspace : yield* Workspaces.idOf(workspace)
      const store = yield* RunStore
      const look = Effect.map(store.get(id, run), (json) => JSON.parse(json) as typeof RunView.Encoded)
      const { attempts: last } = yield* look
      const number = Option.getOrElse(attempt, () => last)
      if (number < 1 || number > last)
        return yield* Effect.fail(
          usage(`--attempt must be ${last < 2 ? last : `from 1 to ${last}`}, which ${run} has; got '${number}'`)
        )
      let [log, after, isBegun] = ["", 0, false]
      for (;;) {
        const { attempts, status } = yield* look
        const { next, text } = yield* Runners.logs(id, { run, attempt: number, after })
        after = next
        log += text
        if (!follow || isOver(status) || attempts > number) return { run, attempt: number, log, isBegun }
        if (!isForScripts) {
          yield* Effect.sync(() => process.stdout.write(printable(log)))
          isBegun ||= log !== ""
          log = ""
        }
        yield* Effect.sleep(pause)
      }
    }),
  ({ attempt, isBegun, log, run }, isForScripts) => {
    if (isForScripts) return Console.log(JSON.stringify({ run, attempt, log }))
    return isBegun && log === "" ? Effect.void : Console.log(log.trimEnd() || "The attempt has no log.")
  }
)

const list = personalList(
  "list",
  "List runs, newest first",
  { team: Options.optional(team), story: Options.optional(story), ...paged },
  ({ workspace }, { story, team, ...asked }) =>
    Effect.flatMap(RunStore, (store) => {
      const filters = { team: Option.getOrNull(team), story: Option.getOrNull(story) }
      return pageOf<RunSummary, typeof RunSummary.Encoded, TeamNotFound, never>(
        { workspace, list: "runs", filters },
        asked,
        (page) => store.page(workspace, filters, page)
      )
    }),
  "No runs.",
  (runs) => columns(runs.map(runCells))
)

export const runCommand = Command.make("run").pipe(
  Command.withDescription("Start, stop, retry, list and show runs, and work on them"),
  Command.withSubcommands([start, stop, retry, list, show, logs, lease, report, finish])
)
