import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { agentScript, eventually, gates, git, repository, rig, running } from "./Rig.ts"
import { long } from "../support/Long.ts"
import { grantOf } from "./ScriptedService.ts"

const branch = "gatehouse/PAY-1-run-7f3k"
const run = "run-7f3k"

describe("an attempt", () => {
  long(() => {
    it.scopedLive("goes from a plan to a verified branch that is pushed and handed off", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        const repo = repository(bench.base, { "README.md": "Hi\n", ".kanman/gates.json": gates("test -f hello.txt") })
        service.state.queue.push(grantOf(repo))
        const runner = yield* running(bench, agentScript())
        yield* runner.says(/handed off/)
        const facts = service.factsOf(run)
        assert.deepStrictEqual(
          facts.map(({ type }) => type),
          ["plan_ready", "stage", "evidence", "handed_off"]
        )
        const head = git(repo, "rev-parse", branch)
        const handed = facts.find((fact) => fact.type === "handed_off")
        assert.deepInclude(handed, { branch, base: "main", head, repository: repo, title: "PAY-1: Greet the world" })
        const evidence = facts.find((fact) => fact.type === "evidence")?.evidence
        assert.deepStrictEqual(
          evidence?.gates.map(({ name, status }) => [name, status]),
          [["gate-1", "passed"]]
        )
        assert.deepStrictEqual(evidence?.acceptance, [{ criterionId: "ac-1", status: "passed" }])
        assert.deepStrictEqual(evidence?.demonstrate, [{ text: "Read hello.txt", status: "skipped", url: null }])
        assert.deepInclude(evidence?.diff, { files: 2, additions: 3, deletions: 0, commit: head })
        assert.strictEqual(git(repo, "show", `${branch}:hello.txt`), "Hello, world")
        const [spec, change] = git(
          repo,
          "log",
          "--reverse",
          "--format=%an <%ae>|%s|%(trailers:unfold,separator=%x2C)",
          `main..${branch}`
        ).split("\n")
        const trailers = "Story: PAY-1,Run: run-7f3k,Attempt: 1"
        assert.strictEqual(spec, `Gatehouse <gatehouse@127.0.0.1>|Acceptance spec for PAY-1|${trailers}`)
        assert.strictEqual(change, `Gatehouse <gatehouse@127.0.0.1>|PAY-1: Greet the world|${trailers}`)
        assert.strictEqual(git(repo, "diff", "--name-only", "main", `${branch}~1`), ".kanman/acceptance/PAY-1/ac-1.sh")
        yield* eventually(
          () => "the tree is removed",
          () => readdirSync(join(bench.folder, "trees")).length === 0
        )
        yield* eventually(
          () => "the folder of the work is removed",
          () => !existsSync(join(bench.folder, "work", "run-7f3k-1"))
        )
        assert.strictEqual(yield* runner.drain, 0)
        assert.strictEqual(service.state.goodbyes, 1)
      })
    )
  })

  long(() => {
    it.scopedLive("goes on with the plan that another runner made and the note of the person who approved it", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        const repo = repository(bench.base, { "README.md": "Hi\n", ".kanman/gates.json": gates("test -f hello.txt") })
        service.state.queue.push(
          grantOf(repo, {
            fence: 2,
            run: { stage: "implementing", plan: "Greet by a file." },
            inputs: [{ decision: "dec-4m2q", action: "approve_plan", note: "Mind the comma" }]
          })
        )
        const runner = yield* running(
          bench,
          agentScript({
            implement: `grep -A2 "^## Plan" "$HOME/prompt-implement"; grep "Mind the comma" "$HOME/prompt-implement"; echo 'Hello, world' > hello.txt`
          })
        )
        yield* runner.says(/handed off/)
        assert.include(service.logOf(run), "[implement] ## Plan\n[implement] \n[implement] Greet by a file.\n")
        assert.include(service.logOf(run), "[implement] - approve plan (dec-4m2q): Mind the comma\n")
      })
    )
  })

  long(() => {
    it.scopedLive("ends its process while the plan waits for approval, and goes on from the pushed branch", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        const repo = repository(bench.base, { Makefile: "test:\n\ttest -f hello.txt\n" })
        service.state.holds = (facts) => !facts.some(({ type }) => type === "plan_ready" || type === "handed_off")
        service.state.queue.push(grantOf(repo))
        const runner = yield* running(
          bench,
          agentScript({
            implement: `grep -q "Write hello" "$HOME/prompt-implement" && grep -q "Mind the comma" "$HOME/prompt-implement" && echo 'Hello, world' > hello.txt`
          })
        )
        yield* runner.says(/waits for dec-4m2q/)
        assert.deepStrictEqual(service.factsOf(run), [{ type: "plan_ready", plan: "Write hello.txt.", size: null }])
        service.state.queue.push(
          grantOf(repo, {
            fence: 2,
            run: { stage: "implementing", plan: "Write hello.txt." },
            inputs: [{ decision: "dec-4m2q", action: "approve_plan", note: "Mind the comma" }]
          })
        )
        yield* runner.says(/handed off/)
        assert.strictEqual(git(repo, "show", `${branch}:hello.txt`), "Hello, world")
        assert.include(service.logOf(run), "Found at the base commit, which has no .kanman/gates.json: make test")
        assert.deepStrictEqual(service.state.finished, [])
      })
    )
  })

  long(() => {
    it.scopedLive("asks before a denied path is changed, by the diff, and goes on with the exception", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        const repo = repository(bench.base, { "secret/key": "old\n", ".kanman/gates.json": gates("true") })
        const policy = { planApproval: "never", deniedPaths: [".kanman/acceptance/**", "secret/**"] }
        service.state.queue.push(grantOf(repo, { policy }))
        const runner = yield* running(
          bench,
          agentScript({ implement: "echo world > hello.txt; echo new > secret/key; echo '{}' > .kanman/gates.json" })
        )
        yield* runner.says(/waits for/)
        const paths = service.factsOf(run).flatMap((fact) => (fact.type === "path_needed" ? [fact.path] : []))
        assert.deepStrictEqual(paths, [".kanman/gates.json", "secret/key"])
        service.state.queue.push(
          grantOf(repo, {
            fence: 2,
            policy,
            run: { stage: "verifying" },
            exceptions: paths.map((subject) => ({ decision: "dec-4m2q", kind: "policy_exception", subject }))
          })
        )
        yield* runner.says(/handed off/)
        assert.strictEqual(git(repo, "show", `${branch}:secret/key`), "new")
      })
    )
  })

  it.scopedLive("guards the spec by its hash, and restores it on the next attempt", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { service } = bench
      const repo = repository(bench.base, { ".kanman/gates.json": gates("true") })
      service.state.queue.push(grantOf(repo))
      const cheat = `[ "$GATEHOUSE_ATTEMPT" = 1 ] && printf '#!/bin/sh\\n' > .kanman/acceptance/PAY-1/ac-1.sh; echo world > hello.txt`
      const runner = yield* running(bench, agentScript({ implement: cheat }))
      yield* runner.says(/waits for/)
      assert.deepStrictEqual(
        service.factsOf(run).map(({ type }) => type),
        ["plan_ready", "stage", "spec_changed"]
      )
      service.state.queue.push(grantOf(repo, { fence: 2, run: { attempt: 2 } }))
      yield* runner.says(/handed off/)
      assert.include(git(repo, "show", `${branch}:.kanman/acceptance/PAY-1/ac-1.sh`), "grep -q world")
      assert.include(git(repo, "log", "--format=%s", branch), "Restore the acceptance spec of PAY-1")
    })
  )

  long(() => {
    it.scopedLive("reworks once after a failed gate, and asks after the second failure", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        const repo = repository(bench.base, {
          ".kanman/gates.json": gates("echo needs $PWD/perfect.txt; test -f perfect.txt", "true")
        })
        service.state.holds = (_, all) => all.filter(({ type }) => type === "verification").length < 2
        service.state.queue.push(grantOf(repo))
        const runner = yield* running(
          bench,
          agentScript({ rework: `grep -q "needs .*perfect.txt" "$HOME/prompt-rework" && echo 1 > almost.txt` })
        )
        yield* runner.says(/waits for/)
        assert.deepStrictEqual(
          service.factsOf(run).map(({ type }) => type),
          [
            "plan_ready",
            "stage",
            "evidence",
            "gate_failed",
            "verification",
            "stage",
            "evidence",
            "gate_failed",
            "verification"
          ]
        )
        const [gate] = service.factsOf(run).flatMap((fact) => (fact.type === "gate_failed" ? [fact] : []))
        assert.strictEqual(gate?.gate, "gate-1")
        assert.match(gate?.reason ?? "", /exit code 1: needs/)
        assert.strictEqual(git(repo, "show", `${branch}:almost.txt`), "1")
      })
    )
  })
})
