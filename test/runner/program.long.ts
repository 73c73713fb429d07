import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { eventually, gates, git, processesNaming, repository, rig } from "./Rig.ts"
import { launch } from "./Program.ts"
import { grantOf } from "./ScriptedService.ts"

const files = { "README.md": "Hi\n", ".kanman/gates.json": gates("true") }
const unplanned = { run: { stage: "implementing" }, policy: { acceptanceSpecRequired: false } }

const says = (program: { readonly text: () => string }, pattern: RegExp) =>
  eventually(
    () => `${pattern} in\n${program.text()}`,
    () => pattern.test(program.text())
  )

const ended = (program: { readonly text: () => string; readonly code: () => number | null | undefined }) =>
  eventually(
    () => `the end of\n${program.text()}`,
    () => program.code() !== undefined
  )

describe("the program", () => {
  it.scopedLive("drains after SIGTERM and ends with 0", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      bench.service.state.queue.push(grantOf(repository(bench.base, files), unplanned))
      const program = yield* launch(bench, "echo begun; sleep 1; echo world > hello.txt", {})
      yield* says(program, /step implement/)
      program.child.kill("SIGTERM")
      yield* ended(program)
      assert.strictEqual(program.code(), 0)
      assert.match(program.text(), /(draining|Leases nothing more)[^]*handed off[^]*has ended/)
    })
  )

  it.scopedLive("ends at once after a second signal, and leaves no process", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const mark = `second-${crypto.randomUUID()}`
      bench.service.state.queue.push(grantOf(repository(bench.base, files), unplanned))
      const program = yield* launch(
        bench,
        `echo half > half.txt; setsid sleep 1000 & sh -c ': ${mark}; sleep 1000'`,
        {}
      )
      yield* says(program, /step implement/)
      program.child.kill("SIGINT")
      yield* says(program, /A second signal ends them now/)
      program.child.kill("SIGINT")
      yield* ended(program)
      assert.strictEqual(program.code(), 0)
      assert.deepStrictEqual(processesNaming(mark), [])
    })
  )

  it.scopedLive("prints one JSON object a line with --json, and no secret", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      bench.service.state.queue.push(grantOf(repository(bench.base, files), unplanned))
      const program = yield* launch(bench, "echo world > hello.txt", {}, { args: ["--json"] })
      yield* says(program, /handed off/)
      const events = program
        .text()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { event: string; time: string })
      assert.includeMembers(
        events.map(({ event }) => event),
        ["starts", "online", "leased", "step", "gate", "hand_off", "released"]
      )
    })
  )

  it.scopedLive("that was killed is followed by one that ends its agents, keeps its files and works on", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { service } = bench
      const mark = `killed-${crypto.randomUUID()}`
      const repo = repository(bench.base, files)
      service.state.queue.push(grantOf(repo, unplanned))
      const agent = `echo half > half.txt; [ "$GATEHOUSE_ATTEMPT" = 2 ] && exit 0; setsid sh -c ': ${mark}; sleep 1000' & sh -c ': ${mark}; sleep 1000'`
      // Without namespaces, agents outlive a runner that is killed.
      const first = yield* launch(bench, agent, {}, { namespaces: false })
      yield* says(first, /step implement/)
      yield* eventually(
        () => "the agent",
        () => processesNaming(mark).length >= 2
      )
      first.child.kill("SIGKILL")
      yield* ended(first)
      assert.isNotEmpty(processesNaming(mark))
      service.state.queue.push(grantOf(repo, { ...unplanned, fence: 2, run: { stage: "implementing", attempt: 2 } }))
      const second = yield* launch(bench, agent, {})
      yield* says(second, /handed off/)
      assert.match(second.text(), /Ends processes that an earlier runner left/)
      assert.match(second.text(), /run-7f3k-1-1 is kept: it has changes that are not committed: half.txt/)
      assert.deepStrictEqual(processesNaming(mark), [])
      assert.isTrue(existsSync(join(bench.folder, "work/run-7f3k-1/tree-1/half.txt")))
      assert.strictEqual(git(repo, "show", "gatehouse/PAY-1-run-7f3k:half.txt"), "half")
    })
  )

  it.scopedLive("refuses a folder that another runner uses", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const first = yield* launch(bench, "true", {})
      yield* says(first, /Online/)
      const second = yield* launch(bench, "true", {})
      yield* ended(second)
      assert.strictEqual(second.code(), 1)
      assert.match(second.text(), new RegExp(`is used by another runner, process ${first.child.pid}; set another`))
    })
  )

  it.scopedLive("runs on Deno", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      bench.service.state.queue.push(grantOf(repository(bench.base, files), unplanned))
      const root = join(import.meta.dirname, "../..")
      const program = yield* launch(
        bench,
        "echo world > hello.txt",
        {},
        {
          wrapped: [
            join(root, "node_modules/.bin/deno"),
            "run",
            "-A",
            "--config",
            join(root, "deno.json"),
            join(root, "main.ts"),
            "runner",
            "--"
          ]
        }
      )
      yield* says(program, /handed off/)
      program.child.kill("SIGTERM")
      yield* ended(program)
      assert.strictEqual(program.code(), 0)
    })
  )

  it("documents its variables in its help", () => {
    const main = join(import.meta.dirname, "../../dist/main.js")
    const help = execFileSync(process.execPath, [main, "runner", "--help"], { encoding: "utf8" })
    for (const name of ["SERVICE_API_KEY_FILE", "RUNNER_DIR", "GIT_TOKENS", "RUNNER_DRAIN_SECONDS"])
      assert.include(help, name)
    assert.match(help, /runner list/)
  })
})
