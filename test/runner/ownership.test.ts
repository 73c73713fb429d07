import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { agentScript, eventually, gates, git, isRoot, repository, rig, type Rig, running } from "./Rig.ts"
import { grantOf } from "./ScriptedService.ts"
import { long } from "../support/Long.ts"
import { canRun } from "../support/Optional.ts"

const branch = "gatehouse/PAY-1-run-7f3k"
const files = { "README.md": "Hi\n", "src/a.txt": "a\n", ".kanman/gates.json": gates("true") }
const unplanned = { run: { stage: "implementing" }, policy: { acceptanceSpecRequired: false } }

/** A folder that only the runner's user can read. */
const secretFolder = ({ base }: Rig) => {
  const folder = join(base, "secret")
  mkdirSync(folder)
  writeFileSync(join(folder, "key.txt"), "secret\n", { mode: 0o600 })
  chmodSync(folder, 0o700)
  return folder
}

// As the same user an agent is not contained, which the runner says when it starts.
describe.runIf(canRun(isRoot, "this user is not root"))("an agent of another user", () => {
  it.scopedLive("cannot put a link in the place of its tree, home or temporary folder", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const secret = secretFolder(bench)
      const repo = repository(bench.base, files)
      bench.service.state.queue.push(grantOf(repo, unplanned))
      const swap = ["tree-1", "home", "tmp"].map((name) => `mv ../${name} ../${name}-old; ln -sT ${secret} ../${name}`)
      const runner = yield* running(bench, `(${swap.join("; ")}) 2>&1; echo world > hello.txt`)
      yield* runner.says(/handed off/)
      assert.strictEqual(git(repo, "show", `${branch}:hello.txt`), "world")
      assert.strictEqual(statSync(secret).uid, 0)
      assert.notInclude(git(repo, "log", "--all", "-p"), "secret")
    })
  )

  long(() => {
    it.scopedLive("gets its home back as it left it, and no folder outside", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        const secret = secretFolder(bench)
        const repo = repository(bench.base, files)
        service.state.queue.push(grantOf(repo, unplanned))
        const runner = yield* running(
          bench,
          agentScript({
            implement: `if test -f "$HOME/kept"; then echo world > hello.txt; else touch "$HOME/kept"; mv ../home ../old; mv ../tmp ../older; ln -sT ${secret} ../home; ln -sT ${secret} ../tmp; echo '{"gatehouse":{"question":"Which?"}}'; sleep 1000; fi`
          })
        )
        yield* runner.says(/waits for/)
        const folder = join(bench.folder, "work", "run-7f3k-1")
        assert.isFalse(lstatSync(join(folder, "home")).isSymbolicLink())
        assert.strictEqual(statSync(folder).uid, 0)
        service.state.queue.push(grantOf(repo, { ...unplanned, fence: 2 }))
        yield* runner.says(/handed off/)
        assert.strictEqual(statSync(secret).uid, 0)
      })
    )
  })

  it.scopedLive("commits nothing that only the runner can read", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const repo = repository(bench.base, files)
      bench.service.state.queue.push(grantOf(repo, unplanned))
      const runner = yield* running(bench, "echo world > hello.txt; touch ready; until test -e go; do sleep 0.05; done")
      const tree = join(bench.folder, "work", "run-7f3k-1", "tree-1")
      yield* eventually(
        () => "the agent works",
        () => existsSync(join(tree, "ready"))
      )
      writeFileSync(join(tree, "key.txt"), "secret\n", { mode: 0o600 })
      writeFileSync(join(tree, "go"), "")
      yield* runner.says(/key.txt cannot be read by the user of the agents/)
      yield* runner.says(/failed$/)
      assert.notInclude(git(repo, "log", "--all", "-p"), "secret")
    })
  )
})

long(() => {
  describe("the folder of an attempt", () => {
    it.scopedLive("holds nothing of the runner while the agent works, and goes with read-only folders in it", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const repo = repository(bench.base, files)
        bench.service.state.queue.push(grantOf(repo, unplanned))
        const runner = yield* running(
          bench,
          `mkdir -p "$HOME/go/mod"; touch "$HOME/go/mod/x"; chmod 500 "$HOME/go/mod"; ls -1 .. > hello.txt 2>/dev/null; true`
        )
        yield* runner.says(/handed off/)
        assert.strictEqual(git(repo, "show", `${branch}:hello.txt`), isRoot ? "" : "home\ntmp\ntree-1")
        yield* eventually(
          () => "the folder is removed",
          () => readdirSync(join(bench.folder, "work")).length === 0
        )
      })
    )

    it.scopedLive("gives each verification an empty home and temporary folder, which no agent sees", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        const isEmpty = 'test -O "$HOME" && test -z "$(find "$HOME" "$TMPDIR" -mindepth 1)"'
        const repo = repository(bench.base, {
          ".kanman/gates.json": gates(`${isEmpty} && touch "$HOME/left" "$TMPDIR/left"`, "test -f fixed.txt")
        })
        service.state.queue.push(grantOf(repo, unplanned))
        const runner = yield* running(
          bench,
          agentScript({
            implement: 'touch "$HOME/.npmrc" "$TMPDIR/planted"; echo world > hello.txt',
            rework: 'test -f "$HOME/.npmrc" && test ! -e ../checks && echo fixed > fixed.txt'
          })
        )
        yield* runner.says(/handed off/)
        const results = service
          .factsOf("run-7f3k")
          .flatMap((fact) => (fact.type === "evidence" ? [fact.evidence.gates.map(({ status }) => status)] : []))
        assert.deepStrictEqual(results, [
          ["passed", "failed"],
          ["passed", "passed"]
        ])
      })
    )
  })
})
