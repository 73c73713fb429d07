import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { agentScript, gates, git, put, repository, rig, running, trapIn } from "./Rig.ts"
import { grantOf } from "./ScriptedService.ts"

const files = { "README.md": "Hi\n", ".kanman/gates.json": gates("true") }
const unplanned = { run: { stage: "implementing" }, policy: { acceptanceSpecRequired: false } }

describe("hostile repositories", () => {
  it.scopedLive("run nothing but what the gates name at the base", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const trap = trapIn(bench)
      const script = `x #!/bin/sh\ntouch ${trap}\n`
      const repo = repository(
        bench.base,
        {
          ...files,
          ".gitattributes": "* filter=evil diff=evil merge=evil text eol=crlf\n*.txt export-subst ident\n",
          ".gitmodules": `[submodule "evil"]\n\tpath = evil\n\turl = ext::sh -c 'touch ${trap}'\n`,
          ".gitconfig": `[core]\n\tfsmonitor = touch ${trap}\n`,
          ".githooks/pre-commit": script,
          "hooks/post-checkout": script,
          ".kanman/acceptance/PAY-1/old": script
        },
        (folder) => {
          git(folder, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},evil`)
        }
      )
      git(repo, "config", "core.hooksPath", join(repo, "hooks"))
      put(
        join(repo, "hooks"),
        Object.fromEntries(
          ["pre-receive", "update", "post-receive", "post-update", "reference-transaction", "proc-receive"].map(
            (hook) => [hook, script]
          )
        )
      )
      git(repo, "config", "uploadpack.packObjectsHook", `touch ${trap}; false`)
      git(repo, "update-ref", "refs/heads/-evil", "main")
      git(repo, "update-ref", "refs/heads/$(trap);evil", "main")
      bench.service.state.queue.push(grantOf(repo, unplanned))
      rmSync(trap, { force: true })
      const runner = yield* running(bench, "echo world > hello.txt")
      yield* runner.says(/handed off/)
      assert.isFalse(existsSync(trap))
      assert.isTrue(readFileSync(join(repo, "HEAD"), "utf8").includes("main"))
    })
  )

  it.scopedLive("with links at the base lead nothing outside", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const outside = join(bench.base, "outside")
      mkdirSync(outside)
      const repo = repository(bench.base, { "README.md": "Hi\n" }, (folder) => {
        symlinkSync(outside, join(folder, ".kanman"))
        symlinkSync("/etc/passwd", join(folder, "package.json"))
        symlinkSync("/etc/passwd", join(folder, "Makefile"))
      })
      bench.service.state.queue.push(grantOf(repo, { run: { stage: "implementing" } }))
      const runner = yield* running(bench, agentScript())
      yield* runner.says(/waits for|failed$|handed off/)
      assert.deepStrictEqual(readdirSync(outside), [])
    })
  )

  it.scopedLive("with gates that cannot be read fail with the path", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const repo = repository(bench.base, {
        ".kanman/gates.json": '{"gates":[{"name":"a","command":["true"],"shell":true}]}'
      })
      bench.service.state.queue.push(grantOf(repo, unplanned))
      const runner = yield* running(bench, "true")
      yield* runner.says(/gates\[0\]\.shell/)
      yield* runner.says(/failed$/)
      assert.deepInclude(
        bench.service.factsOf("run-7f3k").find((fact) => fact.type === "failure"),
        { failureClass: "persistent" }
      )
    })
  )
})
