// @effect-diagnostics processEnv:off
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { agentScript, gates, git, put, repository, rig, running } from "./Rig.ts"
import { grantOf } from "./ScriptedService.ts"

/** Puts a program before the others of the same name, until the scope ends. */
const inFront = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.env["PATH"] ?? ""
      process.env["PATH"] = `${folder}:${before}`
      return before
    }),
    (before) => Effect.sync(() => void (process.env["PATH"] = before))
  )

it.scopedLive("a copy of the mirror that another slot disturbs is made again", () =>
  Effect.gen(function* () {
    const bench = yield* rig
    const repo = repository(bench.base, { ".kanman/gates.json": gates("true") })
    const programs = join(bench.base, "programs")
    const mark = join(bench.base, "disturbed")
    mkdirSync(programs)
    const real = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()
    const disturbed = `if [ "$1" = clone ] && [ ! -e ${mark} ]; then touch ${mark}; echo "fatal: failed to create link 'tmp_obj_x'" >&2; exit 128; fi`
    put(programs, { git: `x #!/bin/sh\n${disturbed}\nexec ${real} "$@"\n` })
    yield* inFront(programs)
    bench.service.state.queue.push(
      grantOf(repo, { run: { stage: "implementing" }, policy: { acceptanceSpecRequired: false } })
    )
    const runner = yield* running(bench, agentScript())
    yield* runner.says(/handed off|failed$/)
    assert.isTrue(existsSync(mark))
    assert.strictEqual(git(repo, "show", "gatehouse/PAY-1-run-7f3k:hello.txt"), "Hello, world")
  })
)
