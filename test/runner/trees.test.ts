// @effect-diagnostics processEnv:off
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { agentScript, gates, git, put, repository, rig, running } from "./Rig.ts"
import { grantOf } from "./ScriptedService.ts"
import { long } from "../support/Long.ts"

const run = "run-7f3k"
const branch = "gatehouse/PAY-1-run-7f3k"
const folder = ".kanman/acceptance/PAY-1"
const implementing = { run: { stage: "implementing" } }
const unplanned = { ...implementing, policy: { acceptanceSpecRequired: false } }

/** Writes two checks: one that a file beside it can cheat, and one that only lists the folder. */
const spec = [
  `mkdir -p ${folder}`,
  `printf '#!/bin/sh\\ntouch ${folder}/check.cache\\ntest -f ${folder}/cheat || grep -q world hello.txt\\n' > ${folder}/ac-1.sh`,
  `printf '#!/bin/sh\\nls ${folder}\\n' > ${folder}/ac-2.sh`,
  `chmod +x ${folder}/*.sh`
].join("; ")

long(() => {
  describe("files that a commit ignores, in the folder of the spec", () => {
    it.scopedLive("do not help a change to pass", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const repo = repository(bench.base, { ".gitignore": "*.cache\n", ".kanman/gates.json": gates("true") })
        bench.service.state.queue.push(grantOf(repo, implementing))
        bench.service.state.holds = (_, all) =>
          !all.some(({ type }) => type === "verification" || type === "handed_off")
        const implement = `echo cheat >> .gitignore; mkdir ${folder}/empty; echo > ${folder}/cheat; git init -q ${folder}/nested.cache`
        const runner = yield* running(bench, agentScript({ spec, implement }))
        yield* runner.says(/waits for|handed off/)
        const [verification] = bench.service
          .factsOf(run)
          .flatMap((fact) => (fact.type === "verification" ? [fact] : []))
        assert.match(verification?.summary ?? "", /1 of 2 checks passed/)
      })
    )

    it.scopedLive("that a check leaves are removed before the next one", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const repo = repository(bench.base, { ".gitignore": "*.cache\n", ".kanman/gates.json": gates("true") })
        bench.service.state.queue.push(grantOf(repo, implementing))
        const runner = yield* running(bench, agentScript({ spec }))
        yield* runner.says(/handed off/)
        assert.notInclude(bench.service.logOf(run), "/ac-2.sh] check.cache")
      })
    )
  })
})

it.scopedLive("a file that its agent made unreadable fails the attempt by name, and is kept", () =>
  Effect.gen(function* () {
    const bench = yield* rig
    const repo = repository(bench.base, { ".kanman/gates.json": gates("true") })
    bench.service.state.queue.push(grantOf(repo, unplanned))
    const implement = "mkdir sub; echo refund > sub/locked.md; chmod 000 sub/locked.md"
    const runner = yield* running(bench, agentScript({ implement }))
    yield* runner.says(/is kept: /)
    const [failure] = bench.service.factsOf(run).flatMap((fact) => (fact.type === "failure" ? [fact] : []))
    assert.deepStrictEqual(
      [failure?.failureClass, failure?.error],
      [
        "persistent",
        "git commit failed: sub/locked.md cannot be read by the user of the agents, so it cannot be committed. Give it read permission, or ignore or remove it"
      ]
    )
  })
)

long(() => {
  it.scopedLive(
    "a repository of its own that an agent makes is refused by name, and kept: no commit has its files",
    () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const repo = repository(bench.base, { ".kanman/gates.json": gates("true") })
        bench.service.state.queue.push(grantOf(repo, unplanned))
        const runner = yield* running(
          bench,
          agentScript({ implement: "mkdir sub; cd sub; git init -q; echo refund > x.md" })
        )
        yield* runner.says(/is kept: /)
        const [failure] = bench.service.factsOf(run).flatMap((fact) => (fact.type === "failure" ? [fact] : []))
        assert.deepStrictEqual(
          [failure?.failureClass, failure?.error],
          [
            "persistent",
            "git commit failed: sub/ is a git repository of its own, so its files cannot be committed. Remove sub/.git, or ignore the folder"
          ]
        )
      })
  )
})

describe("gates that cannot be read are refused, and none are guessed in their place", () => {
  const refused = (prepare: (work: string) => void, words: RegExp) =>
    Effect.gen(function* () {
      const bench = yield* rig
      const repo = repository(bench.base, { ".kanman/other": "", Makefile: "test:\n\ttrue\n" }, prepare)
      bench.service.state.queue.push(grantOf(repo, unplanned))
      const runner = yield* running(bench, agentScript())
      yield* runner.says(/handed off|failed$/)
      assert.isTrue(
        runner.lines.some((line) => words.test(line)),
        runner.lines.join("\n")
      )
      assert.strictEqual(git(repo, "branch", "--list", "gatehouse/*"), "")
    })

  long(() => {
    it.scopedLive("as they are too long", () =>
      refused(
        (work) => writeFileSync(join(work, ".kanman/gates.json"), `{"gates":[]${" ".repeat(262_144)}}`),
        /gates.json at the base commit cannot be read: it has 262156 bytes; at most 262144 are read/
      )
    )
  })

  it.scopedLive("as they are a link", () =>
    refused(
      (work) => symlinkSync("other", join(work, ".kanman/gates.json")),
      /gates.json at the base commit cannot be read: it is no regular file/
    )
  )

  long(() => {
    it.scopedLive("as their folder is a link", () =>
      refused((work) => {
        renameSync(join(work, ".kanman"), join(work, "kept"))
        symlinkSync("kept", join(work, ".kanman"))
      }, /gates.json at the base commit cannot be read: .kanman is no folder/)
    )
  })
})

long(() => {
  it.scopedLive("a binary file counts by its size, so that its change is no small one", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const repo = repository(bench.base, { ".kanman/gates.json": gates("true"), "old.bin": "\0".repeat(101) })
      bench.service.state.queue.push(grantOf(repo, unplanned))
      const command =
        "rm old.bin; head -c 50000 /dev/zero > new.bin; echo world > hello.txt; printf '\\0code' > \"$(printf 'caf\\351')\""
      const runner = yield* running(bench, command)
      yield* runner.says(/handed off/)
      const [evidence] = bench.service.factsOf(run).flatMap((fact) => (fact.type === "evidence" ? [fact.evidence] : []))
      assert.deepInclude(evidence?.diff, { files: 4, additions: 1002, deletions: 3 })
    })
  )
})

long(() => {
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
})

/** Puts a program before the others of the same name, until the scope ends. */
const inFront = (folder: string) => {
  const { env } = process
  const before = env["PATH"] ?? ""
  const set = (path: string) => Effect.sync(() => void (env["PATH"] = path))
  return Effect.acquireRelease(set(`${folder}:${before}`), () => set(before))
}

long(() => {
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
      bench.service.state.queue.push(grantOf(repo, unplanned))
      const runner = yield* running(bench, agentScript())
      yield* runner.says(/handed off|failed$/)
      assert.isTrue(existsSync(mark))
      assert.strictEqual(git(repo, "show", `${branch}:hello.txt`), "Hello, world")
    })
  )
})
