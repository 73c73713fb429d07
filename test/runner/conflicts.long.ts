import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { agentScript, eventually, type Files, gates, git, put, repository, rig, running } from "./Rig.ts"
import { grantOf } from "./ScriptedService.ts"

const branch = "gatehouse/PAY-1-run-7f3k"
const run = "run-7f3k"
const base = { "hello.txt": "Hello\n", "README.md": "Hi\n", ".kanman/gates.json": gates("true") }
const denying = { deniedPaths: ["secret/**"] }

/** Commits files to main, as another change that is merged meanwhile. */
const moveMain = (repo: string, folder: string, files: Files, ...removed: ReadonlyArray<string>) => {
  const work = join(folder, "elsewhere")
  rmSync(work, { recursive: true, force: true })
  git(folder, "clone", "-q", repo, work)
  put(work, files)
  for (const path of removed) rmSync(join(work, path))
  git(work, "add", "-A")
  git(work, "commit", "-q", "-m", "Elsewhere")
  git(work, "push", "-q", "origin", "HEAD:main")
}

const isMergeable = (repo: string) => {
  git(repo, "merge-tree", "--write-tree", "main", branch)
  return git(repo, "merge-base", "main", branch) === git(repo, "rev-parse", "main")
}

describe("an attempt after the base moved", () => {
  it.scopedLive("goes on from the merged base, and its diff has the own change alone", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { service } = bench
      const repo = repository(bench.base, base)
      service.state.queue.push(grantOf(repo, { policy: denying }))
      const implement = `if [ "$GATEHOUSE_ATTEMPT" = 1 ]; then echo 'Hello, world' > hello.txt; else git show origin/main:secret/key; echo again > again.txt; fi`
      const runner = yield* running(bench, agentScript({ implement }))
      yield* runner.says(/handed off/)
      moveMain(repo, bench.base, { "secret/key": "new\n", ".kanman/gates.json": gates("test -f secret/key") })
      service.state.queue.push(grantOf(repo, { policy: denying, fence: 2, run: { attempt: 2 } }))
      yield* runner.says(/attempt 2 begins/)
      assert.strictEqual(yield* runner.drain, 0)
      const heads = service.factsOf(run).flatMap((fact) => (fact.type === "handed_off" ? [fact.head] : []))
      assert.strictEqual(heads[1], git(repo, "rev-parse", branch))
      assert.isTrue(isMergeable(repo))
      assert.include(service.logOf(run), "[implement] new\n")
      const [, second] = service.factsOf(run).flatMap((fact) => (fact.type === "evidence" ? [fact.evidence] : []))
      assert.deepStrictEqual(second?.diff?.paths, [".kanman/acceptance/PAY-1/ac-1.sh", "again.txt", "hello.txt"])
      assert.deepStrictEqual(second?.acceptance, [{ criterionId: "ac-1", status: "passed" }])
      assert.strictEqual(
        git(repo, "log", "--format=%an: %s", "--merges", branch),
        `Gatehouse: Merge main into ${branch}`
      )
    })
  )

  it.scopedLive("names a conflict without markers in every prompt, until the file is changed", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { service } = bench
      const repo = repository(bench.base, base)
      service.state.queue.push(grantOf(repo))
      const named = `grep -q '^- hello.txt' "$HOME/prompt-implement"`
      const implement = [
        `case "$GATEHOUSE_ATTEMPT" in`,
        `1) echo 'Hello, world' > hello.txt ;;`,
        `2) ${named} && ! grep -q '<<<<<<<' hello.txt && echo '{"gatehouse":{"question":"Which?"}}'; sleep 1000 ;;`,
        `3) ${named} && echo named again && echo 'Hello, whole world' > hello.txt ;;`,
        `4) ${named} || echo not named any more; echo more > more.txt ;;`,
        `esac`
      ].join("\n")
      const runner = yield* running(bench, agentScript({ implement }))
      yield* runner.says(/handed off/)
      moveMain(repo, bench.base, {}, "hello.txt")
      service.state.queue.push(grantOf(repo, { fence: 2, run: { attempt: 2 } }))
      yield* runner.says(/waits for/)
      for (const attempt of [3, 4]) {
        const { length } = service.factsOf(run)
        service.state.queue.push(grantOf(repo, { fence: attempt, run: { attempt } }))
        yield* eventually(
          () => `the hand-off of attempt ${attempt} in\n${runner.lines.join("\n")}`,
          () =>
            service
              .factsOf(run)
              .slice(length)
              .some(({ type }) => type === "handed_off")
        )
      }
      assert.strictEqual(yield* runner.drain, 0)
      assert.match(service.logOf(run), /named again[^]*not named any more/)
      assert.strictEqual(git(repo, "show", `${branch}:hello.txt`), "Hello, whole world")
    })
  )

  it.scopedLive("has the agent resolve the conflicts, and the branch then merges", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { service } = bench
      const repo = repository(bench.base, base)
      service.state.queue.push(grantOf(repo))
      const implement = [
        `case "$GATEHOUSE_ATTEMPT" in`,
        `1) echo 'Hello, world' > hello.txt ;;`,
        `2) grep -q '^- hello.txt' "$HOME/prompt-implement" && grep -q '<<<<<<<' hello.txt && echo '{"gatehouse":{"question":"Which?"}}'; sleep 1000 ;;`,
        `3) echo more > more.txt ;;`,
        `4) grep -q '^- hello.txt' "$HOME/prompt-implement" && grep -q '<<<<<<<' hello.txt && git show origin/main:hello.txt && echo 'Hallo, world' > hello.txt ;;`,
        `esac`
      ].join("\n")
      const runner = yield* running(bench, agentScript({ implement }))
      yield* runner.says(/handed off/)
      moveMain(repo, bench.base, { "hello.txt": "Hallo\n", "other.txt": "other\n" })
      assert.throws(() => isMergeable(repo))
      service.state.queue.push(grantOf(repo, { fence: 2, run: { attempt: 2 } }))
      yield* runner.says(/waits for/)
      service.state.queue.push(grantOf(repo, { fence: 3, run: { attempt: 3 } }))
      yield* runner.says(/left conflict markers of the merge with main in hello.txt/)
      service.state.queue.push(grantOf(repo, { fence: 4, run: { attempt: 4 } }))
      yield* runner.says(/attempt 4 begins/)
      assert.strictEqual(yield* runner.drain, 0)
      const heads = service.factsOf(run).flatMap((fact) => (fact.type === "handed_off" ? [fact.head] : []))
      assert.strictEqual(heads.length, 2)
      assert.strictEqual(heads[1], git(repo, "rev-parse", branch))
      assert.isTrue(isMergeable(repo))
      assert.strictEqual(git(repo, "show", `${branch}:hello.txt`), "Hallo, world")
      assert.strictEqual(git(repo, "show", `${branch}:other.txt`), "other")
      const evidence = service.factsOf(run).findLast((fact) => fact.type === "evidence")?.evidence
      assert.deepStrictEqual(evidence?.diff?.paths, [".kanman/acceptance/PAY-1/ac-1.sh", "hello.txt", "more.txt"])
      assert.deepStrictEqual(evidence?.acceptance, [{ criterionId: "ac-1", status: "passed" }])
    })
  )
})
