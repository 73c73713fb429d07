import { Effect } from "effect"
import * as Listing from "../../../../application/workspace/Listing.ts"
import { RunStore } from "../../../../application/ports/RunStore.ts"
import * as OwnRun from "../../../../application/runner/OwnRun.ts"
import * as Runs from "../../../../application/work/Runs.ts"
import type { RunKey } from "../../../../domain/value/RunKey.ts"
import { Note } from "../../../../domain/work/Decision.ts"
import { RunNotFound } from "../../../../domain/work/Run.ts"
import type { WorkspaceId } from "../../../../domain/workspace/Workspace.ts"
import { ProgressText } from "../../../api/RunnerApi.ts"
import { type Agent, given, keys, maybe, page, pageOf, paging, runOf, storyOf, teamOf, tool } from "../Tool.ts"

const read = ({ workspace }: { readonly workspace: WorkspaceId }, key: RunKey) =>
  Effect.flatMap(RunStore, (store) => store.get(workspace, key))

/** The run of an agent; any other is missing. */
export const ownRun = ({ held }: Agent, run: string) =>
  Effect.filterOrFail(
    runOf(run),
    (key) => key === held.run,
    () => new RunNotFound({ run })
  )

const list = tool(
  {
    name: "list_runs",
    title: "List runs",
    description: "Lists the runs of the workspace, of a team or of a story, newest first.",
    kind: "read",
    right: null,
    input: { team: maybe(keys.team), story: maybe(keys.story), ...paging }
  },
  ({ workspace }, { story, team, ...asked }) =>
    Effect.gen(function* () {
      const filters = { team: yield* given(team, teamOf), story: yield* given(story, storyOf) }
      const store = yield* RunStore
      const listing = { workspace, list: "runs", filters }
      return page(yield* Listing.page(listing, pageOf(asked), (one) => store.page(workspace, filters, one)))
    })
)

const get = tool(
  {
    name: "get_run",
    title: "Get a run",
    description: "Returns a run with its attempts, its evidence and the keys of its decisions.",
    kind: "read",
    right: null,
    input: { run: keys.run }
  },
  (member, { run }) => Effect.flatMap(runOf(run), (key) => read(member, key)),
  (agent, { run }) => Effect.flatMap(ownRun(agent, run), (key) => read(agent, key))
)

const start = tool(
  {
    name: "start_run",
    title: "Start a run",
    description: "Queues a run of a story; a runner takes it. Refused while another run of the story is unfinished.",
    kind: "change",
    right: "run start",
    input: { story: keys.story }
  },
  (member, { story }) =>
    Effect.gen(function* () {
      const { run } = yield* Runs.start(member, yield* storyOf(story))
      return yield* read(member, run.key)
    })
)

const progress = ProgressText.annotations({
  description: "One line for the log of the run: what is done, and what comes next"
})

const report = tool(
  {
    name: "report_progress",
    title: "Report progress",
    description: "Appends a line to the log of a run that is not over, where people follow it.",
    kind: "tell",
    right: "run report",
    input: { run: keys.run, text: progress }
  },
  (member, { run, text }) =>
    Effect.gen(function* () {
      const key = yield* runOf(run)
      yield* Runs.note(member, key, text)
      return { run: key, logged: true }
    }),
  (agent, { run, text }) =>
    Effect.gen(function* () {
      const key = yield* ownRun(agent, run)
      yield* OwnRun.progress(agent.held, text)
      return { run: key, logged: true }
    })
)

const stop = tool(
  {
    name: "stop_run",
    title: "Stop a run",
    description: "Ends the current attempt of a run and cancels its pending decisions; the story stays where it is.",
    kind: "change",
    right: "run stop",
    input: { run: keys.run }
  },
  (member, { run }) =>
    Effect.gen(function* () {
      const stopped = yield* Runs.stop(member, yield* runOf(run))
      return yield* read(member, stopped.run.key)
    })
)

const retry = tool(
  {
    name: "retry_run",
    title: "Retry a run",
    description: "Queues a new attempt of a failed, timed out or stopped run under the same key.",
    kind: "change",
    right: "run retry",
    input: {
      run: keys.run,
      note: maybe(Note.annotations({ description: "Guidance for the next attempt, at most 4,000 characters" }))
    }
  },
  (member, { note = null, run }) =>
    Effect.gen(function* () {
      const retried = yield* Runs.retry(member, yield* runOf(run), note)
      return yield* read(member, retried.run.key)
    })
)

export const runTools = [list, get, start, report, stop, retry]
