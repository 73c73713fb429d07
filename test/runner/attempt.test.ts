import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { agentScript, eventually, gates, git, repository, rig, running } from "./Rig.ts"
import { grantOf } from "./ScriptedService.ts"

const branch = "gatehouse/PAY-1-run-7f3k"
const run = "run-7f3k"

describe("an attempt", () => {
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
      yield* eventually("the tree is removed", () =>
        readdirSync(join(bench.folder, "trees")).every((name) => name.endsWith(".plan"))
      )
      assert.isFalse(existsSync(join(bench.folder, "work", "run-7f3k-1")))
      assert.strictEqual(yield* runner.drain, 0)
      assert.strictEqual(service.state.goodbyes, 1)
    })
  )
})
