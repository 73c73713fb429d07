import { Effect, Schema } from "effect"
import type { Cursors } from "../../../../application/workspace/Cursors.ts"
import * as Listing from "../../../../application/workspace/Listing.ts"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../../../application/ports/DecisionStore.ts"
import * as Json from "../../../../application/ports/Json.ts"
import type { RunnerStore } from "../../../../application/ports/runner/RunnerStore.ts"
import { RunStore } from "../../../../application/ports/RunStore.ts"
import { StoryStore } from "../../../../application/ports/StoryStore.ts"
import { TeamStore } from "../../../../application/ports/TeamStore.ts"
import * as Runners from "../../../../application/runner/Runners.ts"
import * as Runs from "../../../../application/work/Runs.ts"
import { DecisionView } from "../../../../domain/work/Decision.ts"
import { parseKey, RunHistory, RunNotFound, RunSummary, RunView } from "../../../../domain/work/Run.ts"
import { StoryView } from "../../../../domain/work/Story.ts"
import { TeamNotFound, TeamView } from "../../../../domain/workspace/Team.ts"
import type { Filled } from "../components/Form.tsx"
import { plain } from "../decisions/Markdown.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { fragment, redirect } from "../Render.tsx"
import { type Detail, RunDetail, RunQuestion } from "./RunDetail.tsx"
import { RunList } from "./RunList.tsx"
import { LogNews, LogPage } from "./RunLog.tsx"
import { stages, states } from "./RunWords.ts"
import { quoted, WrongAddress } from "../WrongAddress.ts"

const decodeRuns = Json.decoder(Schema.Array(RunSummary))
const decodeRun = Json.decoder(RunView)
const decodeHistory = Json.decoder(RunHistory)
const decodeDecisions = Json.decoder(Schema.Array(DecisionView))
const decodeStory = Json.decoder(StoryView)
const decodeTeams = Json.decoder(Schema.Array(TeamView))

const perPage = 25

/** Bytes of a log on the page of its run. */
const shownLog = 64_000

/** Most decisions of a run on its page. */
const mostDecisions = 50

const list = Effect.fnUntraced(function* ({ base, person: { workspace }, query }: Visit) {
  const teams = decodeTeams(yield* (yield* TeamStore).list(workspace))
  const asked = query.get("team") ?? ""
  const team = asked === "" ? null : (teams.find(({ slug }) => slug === asked)?.slug ?? null)
  if (asked !== "" && team === null) return yield* new TeamNotFound({ team: asked })
  const store = yield* RunStore
  const { items, nextCursor } = yield* Listing.page(
    { workspace, list: "app runs", filters: { team } },
    { limit: perPage, cursor: query.get("cursor") },
    (request) => store.page(workspace, { team, story: null }, request)
  )
  const view: View = {
    title: "Runs",
    section: "teams",
    body: (
      <RunList
        base={base}
        path={`${base}/runs?${query.toString()}`}
        runs={decodeRuns(items)}
        nextCursor={nextCursor}
        team={team}
        teams={teams}
      />
    )
  }
  return view
})

const keyOf = ({ parameters }: Visit) => {
  const { key: run = "" } = parameters
  return Effect.mapError(parseKey(run), () => new RunNotFound({ run }))
}

const runOf = (visit: Visit) =>
  Effect.flatMap(keyOf(visit), (key) =>
    Effect.flatMap(RunStore, (store) => Effect.map(store.get(visit.person.workspace, key), decodeRun))
  )

const teamsOf = ({ person: { workspace } }: Visit) =>
  Effect.flatMap(TeamStore, (store) => Effect.map(store.list(workspace), decodeTeams))

const named = (teams: ReadonlyArray<TeamView>, { team }: RunView) =>
  teams.find(({ slug }) => slug === team)?.name ?? team

const logOf = (
  visit: Visit,
  run: RunView,
  of: { readonly attempt: number; readonly after: number; readonly most?: number }
) =>
  Effect.map(Runners.logs(visit.person.workspace, { run: run.key, ...of }), (log) => ({
    base: visit.base,
    run: run.key,
    attempt: of.attempt,
    ...log
  }))

const detailOf = Effect.fnUntraced(function* (visit: Visit) {
  const { base, person } = visit
  const { workspace } = person
  const run = yield* runOf(visit)
  const [history, decisions, story, log, teams] = yield* Effect.all(
    [
      Effect.flatMap(RunStore, (store) => store.history(workspace, run.key)),
      Effect.flatMap(DecisionStore, (store) =>
        Effect.orDie(
          store.page(workspace, { status: null, team: null, run: run.key }, { limit: mostDecisions, before: null })
        )
      ),
      Effect.flatMap(StoryStore, (store) => Effect.option(store.get(workspace, run.story.key))),
      logOf(visit, run, { attempt: run.attempts, after: 0, most: shownLog }),
      teamsOf(visit)
    ],
    { concurrency: "unbounded" }
  )
  const detail: Detail = {
    base,
    run,
    teamName: named(teams, run),
    history: decodeHistory(history),
    decisions: decodeDecisions(decisions.items),
    criteria: story._tag === "Some" ? decodeStory(story.value).acceptanceCriteria : [],
    log: { ...log, isCut: log.next > shownLog }
  }
  return detail
})

const viewOf = (detail: Detail, status = 200): View => {
  const { run } = detail
  const state = run.status === "running" ? stages[run.stage] : states[run.status][2]
  return {
    title: `${state}: ${plain(run.story.title)}`,
    section: "teams",
    team: detail.run.team,
    status,
    body: <RunDetail {...detail} />
  }
}

const shown = (visit: Visit) => Effect.map(detailOf(visit), viewOf)

/** Shows the run as it is now, and why the request changed nothing. */
const notDone = (visit: Visit) => (refusal: string) =>
  Effect.map(detailOf(visit), (detail) => viewOf({ ...detail, refusal }, 409))

const question =
  (act: "stop" | "retry", filled?: Filled, status = 200) =>
  (visit: Visit) =>
    Effect.map(Effect.all([runOf(visit), teamsOf(visit)], { concurrency: 2 }), ([run, teams]): View => {
      const { base } = visit
      return {
        title: `${act === "stop" ? "Stop" : "Retry"} ${run.key}?`,
        section: "teams",
        team: run.team,
        status,
        body: <RunQuestion base={base} run={run} teamName={named(teams, run)} act={act} {...(filled && { filled })} />
      }
    })

const back = ({ base }: Visit, key: string, done: "run-stopped" | "run-retried") =>
  redirect(`${base}/runs/${key}`, done)

const stop = (visit: Visit) =>
  Effect.gen(function* () {
    const key = yield* keyOf(visit)
    yield* Runs.stop(visit.person, key)
    return back(visit, key, "run-stopped")
  }).pipe(
    Effect.catchTag("RunOver", ({ run }) => notDone(visit)(`${run} is over already, so there is nothing to stop.`))
  )

const retry = (visit: Visit) =>
  Effect.gen(function* () {
    const key = yield* keyOf(visit)
    const note = visit.form.get("note")
    const refused = (length: number) =>
      question(
        "retry",
        {
          values: { note },
          errors: { note: `Shorten the note to 4,000 characters; it has ${length.toLocaleString("en")}.` }
        },
        400
      )(visit)
    return yield* Runs.retry(visit.person, key, note.trim() === "" ? null : note).pipe(
      Effect.map(() => back(visit, key, "run-retried")),
      Effect.catchTags({
        NoteTooLong: ({ length }) => refused(length),
        RunNotOver: ({ run }) =>
          notDone(visit)(`${run} is still at work. Only a failed, timed out or stopped run can be retried.`)
      })
    )
  })

const wholeNumber = (text: string | null): number | null =>
  text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null

/** The whole log of an attempt; with a position, what was added after it. */
const log = Effect.fnUntraced(function* (visit: Visit) {
  const { base, query, reader } = visit
  const run = yield* runOf(visit)
  const asked = query.get("attempt") ?? String(run.attempts)
  const attempt = run.attemptList.find((one) => String(one.attempt) === asked)?.attempt
  if (attempt === undefined)
    return yield* new WrongAddress({
      problem: `${run.key} has no attempt ${quoted(asked)}, which the address names. Its latest attempt is number ${run.attempts}.`,
      way: { href: `${base}/runs/${run.key}/log?attempt=${run.attempts}`, text: "Open the log of the latest attempt" }
    })
  const after = wholeNumber(query.get("after"))
  const part = yield* logOf(visit, run, { attempt, after: after ?? 0 })
  if (after !== null) return fragment(reader, <LogNews {...part} />)
  const view: View = {
    title: `Log of ${run.key}`,
    section: "teams",
    team: run.team,
    body: <LogPage {...part} base={base} run={run} />
  }
  return view
})

type Needs = AuditLog | Cursors | DecisionStore | RunnerStore | RunStore | StoryStore | TeamStore

export const pages: ReadonlyArray<Page<Needs>> = [
  { path: "runs", get: list },
  { path: "runs/:key", get: shown },
  { path: "runs/:key/log", get: log },
  { path: "runs/:key/stop", get: question("stop"), post: stop },
  { path: "runs/:key/retry", get: question("retry"), post: retry }
]
