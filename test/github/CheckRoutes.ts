import { type Call, created, type Handlers, listed, ok, refuse, textOf } from "./Answer.ts"
import * as Git from "./Git.ts"
import { checksOf } from "./Judge.ts"
import { minimalPullShape } from "./PullShapes.ts"
import { reached, requireCommit } from "./Reach.ts"
import * as Shapes from "./Shapes.ts"
import * as State from "./State.ts"
import type { World } from "./World.ts"

const pullsAt = (world: World, repository: State.Repository, sha: string) =>
  repository.issues
    .filter(State.isPullRequest)
    .filter((one) => one.state === "open" && one.pull.head === sha)
    .map((one) => minimalPullShape(world, repository, one))

const checkRunShape = (world: World, repository: State.Repository, run: State.CheckRun) => {
  const url = `${Shapes.repositoryApi(world, repository)}/check-runs/${run.id}`
  const { output } = run
  return {
    id: run.id,
    node_id: State.nodeId("CR", run.id),
    head_sha: run.head,
    external_id: run.externalId,
    url,
    html_url: `${Shapes.repositoryPage(world, repository)}/runs/${run.id}`,
    details_url: run.detailsUrl,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: {
      title: textOf(output["title"]),
      summary: textOf(output["summary"]),
      text: textOf(output["text"]),
      annotations_count: Array.isArray(output["annotations"]) ? output["annotations"].length : 0,
      annotations_url: `${url}/annotations`
    },
    name: run.name,
    check_suite: { id: run.suite.id },
    app: Shapes.appShape(world, run.suite.app),
    pull_requests: pullsAt(world, repository, run.head)
  }
}

const suiteState = (repository: State.Repository, suite: State.CheckSuite) => {
  const runs = checksOf(repository, suite.head).runs.filter((one) => one.suite === suite)
  const isDone = runs.length > 0 && runs.every(({ status }) => status === "completed")
  if (!isDone) return { status: runs.length === 0 ? "queued" : "in_progress", conclusion: null, runs }
  const worst = ["action_required", "timed_out", "failure", "cancelled", "success", "neutral", "skipped"]
  const conclusion = worst.find((one) => runs.some((run) => run.conclusion === one)) ?? "success"
  return { status: "completed", conclusion, runs }
}

const branchAt = (repository: State.Repository, sha: string) =>
  [...repository.refs].find(([ref, at]) => at === sha && ref.startsWith("refs/heads/"))?.[0].slice(11) ?? null

const suiteShape = async (world: World, repository: State.Repository, suite: State.CheckSuite) => {
  const url = `${Shapes.repositoryApi(world, repository)}/check-suites/${suite.id}`
  const commit = await Git.infoOf(repository.path, suite.head, State.timestamp)
  if (commit === undefined) throw refuse(404, "Not Found")
  const { status, conclusion, runs } = suiteState(repository, suite)
  return {
    id: suite.id,
    node_id: State.nodeId("CS", suite.id),
    head_branch: branchAt(repository, suite.head),
    head_sha: suite.head,
    status,
    conclusion,
    url,
    before: commit.parents[0] ?? null,
    after: suite.head,
    pull_requests: pullsAt(world, repository, suite.head),
    app: Shapes.appShape(world, suite.app),
    created_at: State.timestamp(suite.createdAt),
    updated_at: State.timestamp(suite.createdAt),
    rerequestable: true,
    runs_rerequestable: true,
    latest_check_runs_count: runs.length,
    check_runs_url: `${url}/check-runs`,
    head_commit: Shapes.simpleCommitShape(commit),
    repository: Shapes.repositoryShape(world, repository)
  }
}

const suiteOf = (world: World, repository: State.Repository, app: State.App, head: string): State.CheckSuite => {
  const known = repository.suites.find((one) => one.app === app && one.head === head)
  if (known !== undefined) return known
  const suite = { id: world.nextId(), app, head, createdAt: world.clock.now() }
  repository.suites.push(suite)
  return suite
}

const fill = (world: World, run: State.CheckRun, body: Call["body"]) => {
  run.name = textOf(body["name"]) ?? run.name
  run.externalId = textOf(body["external_id"]) ?? run.externalId
  run.detailsUrl = textOf(body["details_url"]) ?? run.detailsUrl
  run.startedAt = textOf(body["started_at"]) ?? run.startedAt
  run.output = { ...run.output, ...(body["output"] as object | undefined) }
  const conclusion = textOf(body["conclusion"])
  run.status = conclusion === null ? (textOf(body["status"]) ?? run.status) : "completed"
  if (run.status === "completed") {
    run.conclusion = conclusion ?? run.conclusion
    run.completedAt = textOf(body["completed_at"]) ?? State.timestamp(world.clock.now())
  } else Object.assign(run, { conclusion: null, completedAt: null })
}

const emitRun = async (
  world: World,
  repository: State.Repository,
  sender: State.User,
  action: string,
  run: State.CheckRun
) => {
  const suite = await suiteShape(world, repository, run.suite)
  const shape = { ...checkRunShape(world, repository, run), check_suite: suite }
  world.emit(repository, sender, "check_run", action, { check_run: shape })
  if (suite.status === "completed") world.emit(repository, sender, "check_suite", "completed", { check_suite: suite })
}

/** Adds a check run of an app, as its own call or a test does. */
export const addCheckRun = async (
  world: World,
  repository: State.Repository,
  app: State.App,
  sender: State.User,
  body: Call["body"]
): Promise<State.CheckRun> => {
  const head = await requireCommit(repository, String(body["head_sha"]))
  const run: State.CheckRun = {
    id: world.nextId(),
    suite: suiteOf(world, repository, app, head),
    head,
    name: "",
    externalId: "",
    detailsUrl: Shapes.externalUrl,
    status: "queued",
    conclusion: null,
    startedAt: State.timestamp(world.clock.now()),
    completedAt: null,
    output: {}
  }
  fill(world, run, body)
  repository.checkRuns.push(run)
  await emitRun(world, repository, sender, run.status === "completed" ? "completed" : "created", run)
  return run
}

const onlyApps = (app: State.App | null): State.App => {
  if (app === null) throw refuse(403, "You must authenticate via a GitHub App.")
  return app
}

const runOf = (call: Call, repository: State.Repository) => {
  const run = repository.checkRuns.find(({ id }) => String(id) === call.parameters["check_run_id"])
  if (run === undefined) throw refuse(404, "Not Found")
  return run
}

const suiteNamed = (call: Call, repository: State.Repository) => {
  const suite = repository.suites.find(({ id }) => String(id) === call.parameters["check_suite_id"])
  if (suite === undefined) throw refuse(404, "Not Found")
  return suite
}

const newestRuns = async (call: Call, repository: State.Repository) => {
  const sha = await requireCommit(repository, call.parameters["ref"] ?? "")
  const isAll = call.query.get("filter") === "all"
  const runs = isAll ? repository.checkRuns.filter(({ head }) => head === sha) : checksOf(repository, sha).runs
  const [name, status, app] = [call.query.get("check_name"), call.query.get("status"), call.query.get("app_id")]
  return runs.filter(
    (one) =>
      (name ?? one.name) === one.name &&
      (status ?? one.status) === one.status &&
      (app ?? String(one.suite.app.id)) === String(one.suite.app.id)
  )
}

export const checkRoutes: Handlers = {
  "checks/create": async (call) => {
    const { repository, user, app } = reached(call, "checks", "write")
    return created(
      checkRunShape(call.world, repository, await addCheckRun(call.world, repository, onlyApps(app), user, call.body))
    )
  },
  "checks/update": async (call) => {
    const { repository, user, app } = reached(call, "checks", "write")
    const run = runOf(call, repository)
    if (onlyApps(app) !== run.suite.app)
      throw refuse(
        403,
        "Invalid app_id `" + run.suite.app.id + "` - check run can only be modified by the GitHub App that created it."
      )
    fill(call.world, run, call.body)
    await emitRun(call.world, repository, user, run.status === "completed" ? "completed" : "created", run)
    return ok(checkRunShape(call.world, repository, run))
  },
  "checks/get": (call) => {
    const { repository } = reached(call, "checks", "read")
    return ok(checkRunShape(call.world, repository, runOf(call, repository)))
  },
  "checks/list-for-ref": async (call) => {
    const { repository } = reached(call, "checks", "read")
    return listed(
      call,
      await newestRuns(call, repository),
      (one) => checkRunShape(call.world, repository, one),
      "check_runs"
    )
  },
  "checks/list-suites-for-ref": async (call) => {
    const { repository } = reached(call, "checks", "read")
    const sha = await requireCommit(repository, call.parameters["ref"] ?? "")
    const suites = repository.suites.filter(({ head }) => head === sha)
    return listed(call, suites, (one) => suiteShape(call.world, repository, one), "check_suites")
  },
  "checks/get-suite": async (call) => {
    const { repository } = reached(call, "checks", "read")
    return ok(await suiteShape(call.world, repository, suiteNamed(call, repository)))
  },
  "checks/list-for-suite": (call) => {
    const { repository } = reached(call, "checks", "read")
    const { runs } = suiteState(repository, suiteNamed(call, repository))
    return listed(call, runs, (one) => checkRunShape(call.world, repository, one), "check_runs")
  }
}
