import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { rmSync } from "node:fs"
import { dirname } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import * as Json from "../../application/ports/Json.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Runs from "../../application/work/Runs.ts"
import type { Person } from "../../application/workspace/Authorization.ts"
import { DecisionView, type Kind } from "../../domain/work/Decision.ts"
import { RunView } from "../../domain/work/Run.ts"
import { isOver } from "../../domain/work/RunTransitions.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { showing } from "../../adapters/runner/process/Environment.ts"
import { station, type Station } from "../support/Station.ts"
import { isLong } from "../support/Long.ts"
import * as People from "../support/People.ts"
import type { Program } from "../support/Process.ts"
import * as Seed from "../support/Seed.ts"
import { runnerHome } from "./Rig.ts"
import { git, repository } from "./Rig.ts"

/** Asks through the tools of the run, as an MCP client does; `stay` ends only when people have answered. */
const ask = `const call = (name, given) => fetch(process.env.GATEHOUSE_MCP_URL, {
  method: "POST",
  headers: {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-06-18"
  },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } })
}).then((answer) => answer.text());
(async () => {
  console.log(await call("request_human_input", { question: "Which currency?" }));
  while (process.argv[1] === "stay" && !(await call("get_run", { run: process.env.GATEHOUSE_RUN })).includes("resolved"))
    await new Promise((resolve) => setTimeout(resolve, 100));
})()`

/** One agent for all stories; its way depends on the team of the story and the attempt. */
const agent = `prompt=$(cat)
ask='${ask}'
team=\${GATEHOUSE_STORY%%-*}
case "$GATEHOUSE_STEP" in
plan)
  echo "Write a file."
  case "$prompt" in *"Keep it short"*) echo "Short, as asked." ;; esac ;;
spec)
  mkdir -p ".kanman/acceptance/$GATEHOUSE_STORY"
  printf '#!/bin/sh\\ntest -f done.txt\\n' > ".kanman/acceptance/$GATEHOUSE_STORY/check"
  chmod +x ".kanman/acceptance/$GATEHOUSE_STORY/check" ;;
*)
  echo "$GATEHOUSE_RUN" > done.txt
  case "$team-$GATEHOUSE_ATTEMPT" in
  DEN-*) mkdir -p secret; echo new > secret/key ;;
  SPEC-1) echo 'exit 0' > ".kanman/acceptance/$GATEHOUSE_STORY/check" ;;
  GATE-1) ;;
  GATE-*) echo yes > good.txt ;;
  BUD-*) printf '{"gatehouse":{"costCents":12}}\\n' ;;
  STOP-*) sleep 600 ;;
  ASK-*) case "$prompt" in *Euro*) ;; *) node -e "$ask" ;; esac ;;
  STAY-*) case "$prompt" in *Euro*) ;; *) node -e "$ask" stay ;; esac ;;
  esac ;;
esac`

interface Case {
  readonly title: string
  readonly policy?: object
  readonly gate?: string
  /** Answers by the kind of decision, in turn. */
  readonly answers?: Partial<Record<Kind, ReadonlyArray<readonly [option: string, note?: string]>>>
  readonly status?: "succeeded" | "stopped" | "timed_out"
  readonly attempts?: number
}

const all: Readonly<Record<string, Case>> = {
  POL: { title: "merged by policy" },
  APP: {
    title: "merged by approval",
    policy: { mergePolicy: "manual" },
    answers: { merge_approval: [["merge"]] }
  },
  NOTE: {
    title: "a plan that is changed by a note",
    policy: { planApproval: "always" },
    answers: { plan_approval: [["request_changes", "Keep it short"], ["approve_plan"]] }
  },
  ASK: {
    title: "a question through the tools, answered after the agent has ended",
    answers: { clarification: [["answer", "Euro"]] }
  },
  STAY: {
    title: "a question through the tools, answered while the agent works",
    answers: { clarification: [["answer", "Euro"]] }
  },
  DEN: {
    title: "a denied path that is allowed once",
    policy: { deniedPaths: [".kanman/acceptance/**", "secret/**"] },
    answers: { policy_exception: [["allow_once"]] }
  },
  SPEC: {
    title: "a changed spec that is restored",
    answers: { diff_guard: [["revert_spec_and_retry"]] },
    attempts: 2
  },
  GATE: {
    title: "a gate that fails again after rework, and another attempt",
    gate: "test -f good.txt",
    answers: { verification_failed: [["retry"]], repeated_gate_failure: [["retry"]] },
    attempts: 2
  },
  UNV: {
    title: "a gate that fails for good, whose failure a person allows",
    gate: "false",
    answers: {
      verification_failed: [["allow_once"]],
      repeated_gate_failure: [["allow_once"]],
      merge_approval: [["merge"]]
    }
  },
  BUD: {
    title: "a budget that is used up and raised",
    policy: { budgets: { runCents: 10, dayCents: null, monthCents: null } },
    answers: { budget_stop: [["raise_budget"], ["raise_budget"]] }
  },
  STOP: { title: "stopped by a person", status: "stopped" },
  EXP: { title: "a plan that nobody approves", policy: { planApproval: "always" }, status: "timed_out" }
}

const [byPolicy, ...others] = Object.entries(all)
/** `npm test` takes the first, CI all. */
const cases = Object.fromEntries([...(byPolicy === undefined ? [] : [byPolicy]), ...(isLong ? others : [])])

/** Lets the deadline of a decision pass; the service notices by itself. */
const overdue = (key: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE decisions SET expires_at = now() WHERE key = ${key}`)

const patience = 180_000
const decodeRun = Json.decoder(RunView)
const decodeDecision = Json.decoder(DecisionView)

describe("from Ready to the end, with a real service, runner, agent and repository", () => {
  let at: Station
  let service: Program
  let runner: Program
  let person: Person
  const home = runnerHome()
  const repositories = new Map<string, string>()

  beforeAll(async () => {
    at = await station()
    const served = await at.serve({ DEMO: "off" })
    service = served.service
    const { slug } = await at.run(Seed.workspace)
    for (const [prefix, { gate = "test -f done.txt" }] of Object.entries(cases)) {
      const gates = JSON.stringify({ gates: [{ name: "test", command: ["sh", "-c", gate] }] })
      const files = { "README.md": "Hi\n", ".kanman/gates.json": gates }
      repositories.set(prefix, repository(dirname(at.folder()), files))
    }
    await at.run(
      Seed.load(slug, {
        teams: Object.entries(cases).map(([prefix, { policy }]) => ({
          slug: prefix.toLowerCase(),
          name: prefix,
          keyPrefix: prefix,
          policy: { preset: "autonomous", executor: "custom", ...policy },
          repositories: [repositories.get(prefix)]
        })),
        stories: Object.entries(cases).map(([prefix, { title }]) => ({
          key: `${prefix}-1`,
          team: prefix.toLowerCase(),
          title
        }))
      })
    )
    person = await at.run(People.person(slug))
    const { value } = await at.run(Seed.token(slug))
    runner = at.launch(process.execPath, ["dist/main.js", "runner"], {
      SERVICE_URL: served.url,
      SERVICE_API_KEY: value,
      RUNNER_NAME: "whole-way",
      RUNNER_DIR: home,
      RUNNER_SLOTS: String(Object.keys(cases).length),
      RUNNER_CUSTOM_COMMAND: agent,
      RUNNER_DRAIN_SECONDS: "10"
    })
    await runner.says(/Online at/)
  }, patience)
  afterAll(async () => {
    runner?.signal("SIGTERM")
    await runner?.ended()
    service?.signal("SIGTERM")
    await at?.close()
    rmSync(home, { recursive: true, force: true })
  }, patience)

  const look = async (run: RunKey) =>
    decodeRun(await at.run(Effect.flatMap(RunStore, (store) => store.get(person.workspace, run))))

  const pendingOf = async (run: RunKey) => {
    const filter = { status: "pending", team: null, run } as const
    const { items } = await at.run(
      Effect.flatMap(DecisionStore, (store) => store.page(person.workspace, filter, { limit: 10, before: null }))
    )
    return Json.each(items).map(decodeDecision)
  }

  it.concurrent.each(Object.entries(cases))(
    "%s",
    async (prefix, { answers = {}, attempts = 1, status = "succeeded" }) => {
      const { run } = await at.run(Runs.start(person, `${prefix}-1` as StoryKey))
      const left = new Map(Object.entries(answers).map(([kind, all]) => [kind, [...all]]))
      const bodies: Array<string> = []
      let isStopped = false
      for (let view = await look(run.key); !isOver(view.status); view = await look(run.key)) {
        for (const { body, key, kind, recommendation } of await pendingOf(run.key)) {
          bodies.push(body)
          if (prefix === "EXP") {
            await at.run(overdue(key))
            continue
          }
          const [option = recommendation, note = null] = left.get(kind)?.shift() ?? assert.fail(`${kind} was asked`)
          await at.run(
            Decisions.answer(person, { decision: key, optionId: option, note, idempotency: null }).pipe(Effect.ignore)
          )
        }
        if (prefix === "STOP" && view.stage === "implementing" && !isStopped) {
          isStopped = true
          await runner.says(/STOP-1: the agent works on the step implement/)
          await at.run(Runs.stop(person, run.key))
        }
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      const end = await look(run.key)
      assert.deepStrictEqual([end.status, end.attempts], [status, attempts], JSON.stringify(end.attemptList))
      assert.deepStrictEqual([...left.values()].flat().length <= 1, true)
      const repo = repositories.get(prefix) ?? ""
      if (status === "succeeded") {
        assert.strictEqual(git(repo, "show", "main:done.txt"), run.key)
        assert.match(git(repo, "log", "-1", "--format=%B", "main"), new RegExp(`Run: ${run.key}`))
        assert.isNotNull(end.pullRequest)
        const { text } = await at.run(Runners.logs(person.workspace, { run: run.key, attempt: attempts, after: 0 }))
        assert.notStrictEqual(text, "")
        if (prefix === "ASK") assert.include(text, "The step implement awaits an answer.")
        if (prefix === "STAY") assert.include(text, "The answer is there; the step implement goes on.")
      } else assert.strictEqual(git(repo, "log", "--format=%s", "main"), "First")
      if (prefix === "NOTE") assert.include(bodies.at(-1), "Short, as asked.", JSON.stringify(bodies))
      if (prefix === "UNV") assert.include(bodies.at(-1), "The verification did not pass: the gate test failed.")
      if (prefix === "DEN") assert.strictEqual(git(repo, "show", "main:secret/key"), "new")
      if (prefix === "SPEC")
        assert.include(git(repo, "show", "main:.kanman/acceptance/SPEC-1/check"), "test -f done.txt")
      if (prefix === "STOP") {
        await runner.says(/STOP-1: the (run (was|is) stopped|lease is lost: .* is stopped)/)
        for (const left = () => showing(`GATEHOUSE_RUN=${run.key}`, undefined); left().length > 0;)
          await new Promise((resolve) => setTimeout(resolve, 200))
      }
    },
    patience
  )
})
