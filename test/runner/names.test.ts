import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { gates, git, repository, rig, running } from "./Rig.ts"
import { grantOf } from "./ScriptedService.ts"

const branch = "gatehouse/PAY-1-run-7f3k"
const unplanned = { run: { stage: "implementing" }, policy: { acceptanceSpecRequired: false } }

it.scopedLive("files whose names are not UTF-8 are kept, changed, added and removed", () =>
  Effect.gen(function* () {
    const bench = yield* rig
    const repo = repository(bench.base, { ".kanman/gates.json": gates("true") }, (folder) => {
      for (const name of ["kept\xe9", "changed\xe9", "gone\xe9"])
        writeFileSync(Buffer.from(`${folder}/${name}`, "latin1"), "old\n")
      writeFileSync(`${folder}/grün`, "old\n")
    })
    bench.service.state.queue.push(grantOf(repo, unplanned))
    const command = String.raw`rm "$(printf 'gone\351')"; echo new > "$(printf 'changed\351')"; echo new > "$(printf 'added\351')"; echo new > blå; echo new > other.txt`
    const runner = yield* running(bench, command)
    yield* runner.says(/handed off/)
    assert.deepStrictEqual(git(repo, "diff", "--name-status", "main", branch).split("\n"), [
      String.raw`A	"added\351"`,
      String.raw`A	"bl\303\245"`,
      String.raw`M	"changed\351"`,
      String.raw`D	"gone\351"`,
      "A\tother.txt"
    ])
  })
)
