import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import * as Json from "../../application/ports/Json.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Runs from "../../application/work/Runs.ts"
import { DecisionView } from "../../domain/work/Decision.ts"
import { RunView } from "../../domain/work/Run.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { repository, runnerHome } from "../runner/Rig.ts"
import { station, type Station } from "../support/Station.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { folder } from "./Installed.ts"
import { modelServer } from "./ModelServer.ts"

const decodeRun = Json.decoder(RunView)
const decodeDecision = Json.decoder(DecisionView)

/** Secrets that no log, prompt, tree, commit or evidence may show. */
export const canaries = { model: "sk-canary-model-0000", git: `ghp_${"C".repeat(36)}` }

export const agents = ["claude-code", "codex"] as const
export type AgentName = (typeof agents)[number]

/** A team of a test: its story has the same prefix. */
export interface TeamOf {
  readonly policy?: object
  readonly gate?: string
}

/** Agents that other users can start, which those below the home of root are not. */
const openPrograms = (home: string) => {
  const place = join(home, "agents")
  mkdirSync(place)
  execFileSync("cp", ["-rl", join(folder, "node_modules"), place])
  return join(place, "node_modules/.bin")
}

/** Settings of a runner that starts the real programs with a scripted model. */
export const agentSettings = (home: string, model: { readonly url: string }) => {
  const programs = openPrograms(home)
  const config = join(home, "codex.toml")
  writeFileSync(
    config,
    `model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${model.url}/v1"
wire_api = "responses"
env_key = "MODEL_KEY"
request_max_retries = 1
stream_max_retries = 1
`
  )
  const prices = join(home, "prices.json")
  writeFileSync(
    prices,
    JSON.stringify({ version: "test-1", eurPerUsd: 1, models: { scripted: { input: 10, output: 10 } } })
  )
  return {
    PATH: `${programs}:/usr/local/bin:/usr/bin:/bin`,
    RUNNER_SLOTS: "2",
    RUNNER_AGENT: agents.join(","),
    RUNNER_AGENT_ENV: "ANTHROPIC_BASE_URL,ANTHROPIC_API_KEY,MODEL_KEY,CLAUDE_CODE_MAX_RETRIES",
    RUNNER_MODELS: agents.map((name) => `${name}=scripted-1`).join(","),
    RUNNER_CODEX_CONFIG: config,
    RUNNER_PRICES: prices,
    RUNNER_SILENCE_SECONDS: "25",
    RUNNER_DRAIN_SECONDS: "5",
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: canaries.model,
    MODEL_KEY: canaries.model,
    GIT_TOKENS: `git.acme.test=${canaries.git}`,
    CLAUDE_CODE_MAX_RETRIES: "1"
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 100))

/** A service, a runner with the real programs, a scripted model, and a team with a repository for each prefix. */
export const works = async (
  teams: Readonly<Record<string, TeamOf & { readonly agent: AgentName }>>,
  ...scripted: Parameters<typeof modelServer>
) => {
  const model = await modelServer(...scripted)
  const at = await station()
  try {
    return await opened(teams, model, at)
  } catch (error) {
    model.close()
    await at.close()
    throw error
  }
}

const opened = async (
  teams: Parameters<typeof works>[0],
  model: Awaited<ReturnType<typeof modelServer>>,
  at: Station
) => {
  const { url } = await at.serve({ DEMO: "off" })
  const { slug } = await at.run(Seed.workspace)
  const home = runnerHome()
  const repositories = new Map<string, string>()
  for (const [prefix, { gate = "true" }] of Object.entries(teams)) {
    const gates = JSON.stringify({ gates: [{ name: "test", command: ["sh", "-c", gate] }] })
    repositories.set(prefix, repository(dirname(at.folder()), { "README.md": "Hi\n", ".kanman/gates.json": gates }))
  }
  await at.run(
    Seed.load(slug, {
      teams: Object.entries(teams).map(([prefix, { agent, policy }]) => ({
        slug: prefix.toLowerCase(),
        name: prefix,
        keyPrefix: prefix,
        policy: {
          preset: "trial",
          executor: agent,
          planApproval: "never",
          mergePolicy: "verified",
          acceptanceSpecRequired: false,
          ...policy
        },
        repositories: [repositories.get(prefix)]
      })),
      stories: Object.keys(teams).map((prefix) => ({ key: `${prefix}-1`, team: prefix.toLowerCase(), title: prefix }))
    })
  )
  const person = await at.run(People.person(slug))
  const { value: key } = await at.run(Seed.token(slug, ["write"]))
  const settings = {
    ...agentSettings(home, model),
    SERVICE_URL: url,
    SERVICE_API_KEY: key,
    RUNNER_NAME: "agents",
    RUNNER_DIR: join(home, "runner")
  }
  const launch = async () => {
    const runner = at.launch(process.execPath, ["dist/main.js", "runner"], settings)
    await runner.says(/Online at/)
    return runner
  }
  let runner = await launch()

  const look = async (run: RunKey) =>
    decodeRun(await at.run(Effect.flatMap(RunStore, (store) => store.get(person.workspace, run))))
  const pending = async (run: RunKey) => {
    const filter = { status: "pending", team: null, run } as const
    const { items } = await at.run(
      Effect.flatMap(DecisionStore, (store) => store.page(person.workspace, filter, { limit: 10, before: null }))
    )
    return Json.each(items).map(decodeDecision)
  }
  const logs = async (run: RunKey, attempt = 1) =>
    (await at.run(Runners.logs(person.workspace, { run, attempt, after: 0 }))).text
  const until = async <A>(what: string, found: () => Promise<A | undefined>, run: RunKey): Promise<A> => {
    const deadline = performance.now() + 120_000
    for (;;) {
      const result = await found()
      if (result !== undefined) return result
      if (performance.now() > deadline)
        throw new Error(
          `not within 120 s: ${what}\n${runner.out()}${runner.err()}\n${await logs(run)}\n${JSON.stringify(await look(run))}`
        )
      await pause()
    }
  }
  return {
    url,
    key,
    model,
    home,
    person,
    at,
    look,
    logs,
    /** The logs of all runs. */
    allLogs: async () =>
      (
        await at.run(
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ readonly text: string }>`SELECT text FROM run_logs`)
        )
      ).map(({ text }) => text),
    /** Rows about runs, with their evidence, plans and errors, and what people were asked. */
    allRows: () =>
      at.run(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const tables = ["runs", "decisions", "audit_entries", "jobs", "pull_requests"]
          const found = yield* Effect.forEach(
            tables,
            (table) => sql<{ readonly text: string }>`SELECT row_to_json(t)::text AS text FROM ${sql(table)} t`
          )
          return found.flat().map(({ text }) => text)
        })
      ),
    /** Texts of all files that the runner has kept: trees, homes of agents with their sessions, its own records. */
    allFiles: () =>
      spawnSync("find", [join(home, "runner"), "-type", "f"], { encoding: "utf8" })
        .stdout.split("\n")
        .filter((path) => path !== "")
        .flatMap((path) => {
          try {
            return [{ path, text: readFileSync(path, "latin1") }]
          } catch {
            // The runner has removed it meanwhile.
            return []
          }
        }),
    runner: () => runner,
    relaunch: async () => (runner = await launch()),
    repository: (prefix: string) => repositories.get(prefix) ?? "",
    start: async (prefix: string) => (await at.run(Runs.start(person, `${prefix}-1` as StoryKey))).run.key,
    asked: (run: RunKey) => until("a decision", async () => (await pending(run))[0], run),
    status: (run: RunKey, ...wanted: ReadonlyArray<string>) =>
      until(
        wanted.join(" or "),
        async () => {
          const view = await look(run)
          return wanted.includes(view.status) ? view : undefined
        },
        run
      ),
    until,
    answer: (decision: DecisionView["key"], optionId: string, note: string | null = null) =>
      at.run(Decisions.answer(person, { decision, optionId, note, idempotency: null })),
    stop: (run: RunKey) => at.run(Runs.stop(person, run)),
    /** Lets ten minutes pass for a decision. */
    age: (decision: string) =>
      at.run(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`UPDATE decisions SET created_at = created_at - interval '10 minutes',
            expires_at = expires_at - interval '10 minutes' WHERE key = ${decision}`
        )
      ),
    /** Lets the lease of a run lapse now. */
    lapse: (run: RunKey) =>
      at.run(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE runs SET leased_until = now() WHERE key = ${run}`)
      ),
    close: async () => {
      runner.signal("SIGTERM")
      await runner.ended()
      model.close()
      await at.close()
      rmSync(home, { recursive: true, force: true })
    }
  }
}
export type Works = Awaited<ReturnType<typeof works>>
