import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import {
  agentScript,
  eventually,
  gates,
  git,
  isRoot,
  processesNaming,
  repository,
  rig,
  running,
  trapIn
} from "./Rig.ts"
import type { Fact } from "../../domain/work/RunReport.ts"
import { grantOf } from "./ScriptedService.ts"

const run = "run-7f3k"
const files = { "README.md": "Hi\n", ".kanman/gates.json": gates("true") }
const unplanned = { run: { stage: "implementing" }, policy: { acceptanceSpecRequired: false } }

const failureOf = (facts: ReadonlyArray<Fact>) => facts.find((fact) => fact.type === "failure")

describe("an agent", () => {
  it.scopedLive("that never reads its input works all the same", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const repo = repository(bench.base, files)
      const description = "long ".repeat(100_000)
      bench.service.state.queue.push(grantOf(repo, { ...unplanned, story: { description } }))
      const runner = yield* running(bench, "echo world > hello.txt")
      yield* runner.says(/handed off/)
    })
  )

  it.scopedLive.each([
    ["prints nothing", "exec sleep 1000", { RUNNER_START_SECONDS: "1" }, /printed nothing within 1 s/, "failed"],
    [
      "goes silent after its result",
      "echo done; sleep 1000",
      { RUNNER_SILENCE_SECONDS: "1" },
      /silent for 1 s/,
      "failed"
    ],
    [
      "never ends",
      "while :; do echo still; sleep 0.1; done",
      { RUNNER_TOTAL_SECONDS: "1" },
      /did not end within 1 s/,
      "timed_out"
    ]
  ] as const)("that %s is stopped by its clock", ([, command, clocks, error, outcome]) =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { service } = bench
      service.state.queue.push(grantOf(repository(bench.base, files), unplanned))
      const runner = yield* running(bench, command, clocks)
      yield* runner.says(error)
      yield* eventually(
        () => "finished",
        () => service.state.finished.length === 1
      )
      assert.deepStrictEqual(service.state.finished, [[run, outcome]])
      assert.deepInclude(failureOf(service.factsOf(run)), { failureClass: "transient" })
    })
  )

  it.scopedLive("that refuses to end is killed after ten seconds", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      bench.service.state.queue.push(grantOf(repository(bench.base, files), unplanned))
      const mark = `stubborn-${crypto.randomUUID()}`
      const runner = yield* running(bench, `trap '' TERM; sh -c "trap '' TERM; : ${mark}; sleep 1000; sleep 1000"`, {
        RUNNER_START_SECONDS: "1"
      })
      yield* runner.says(/failed$/)
      assert.deepStrictEqual(processesNaming(mark), [])
    })
  )

  it.scopedLive("that floods its output loses the middle of its log, and the lease is renewed meanwhile", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { service } = bench
      service.state.queue.push(grantOf(repository(bench.base, files), unplanned))
      const runner = yield* running(
        bench,
        "head -c 30000000 /dev/zero | tr '\\0' 'x'; yes flood | head -c 30000000; echo world > hello.txt"
      )
      yield* runner.says(/handed off/)
      assert.include(service.logOf(run), "characters are left out")
      assert.isBelow(service.logOf(run).length, 20_000_000)
      for (const { log } of service.state.sent) assert.isAtMost(Buffer.byteLength(JSON.stringify(log)), 32_768)
      assert.isAbove(service.state.renewals, 0)
    })
  )

  it.scopedLive("that prints without end is stopped", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      bench.service.state.queue.push(grantOf(repository(bench.base, files), unplanned))
      const runner = yield* running(bench, "cat /dev/zero")
      yield* runner.says(/printed more than 256 MB/)
    })
  )

  it.scopedLive("cannot write outside its tree as another user", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { service } = bench
      const repo = repository(bench.base, files)
      service.state.queue.push(grantOf(repo, unplanned))
      const targets = [
        join(bench.folder, "escaped"),
        join(bench.folder, "mirrors", "escaped"),
        join(bench.base, "escaped"),
        "/etc/escaped"
      ]
      const command = `${targets.map((target) => `(echo x > ${target}) 2>&1`).join("; ")}; ls ${bench.folder}/mirrors ${bench.folder}/trees; cat ${repo}/config >/dev/null; echo world > hello.txt`
      const runner = yield* running(bench, command)
      yield* runner.says(/handed off/)
      if (isRoot) for (const target of targets) assert.isFalse(existsSync(target), target)
      // As the same user it is not contained, which the runner says when it starts.
      else assert.match(runner.lines.join("\n"), /Agents run as the same user/)
    })
  )

  it.scopedLive("that commits, moves HEAD and plants settings in its repository changes nothing for the runner", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const repo = repository(bench.base, files)
      bench.service.state.queue.push(grantOf(repo, unplanned))
      const trap = trapIn(bench)
      const planted = [
        `git config core.fsmonitor 'touch ${trap}; false'`,
        `git config filter.evil.clean 'touch ${trap}; cat'`,
        `git config core.hooksPath "$PWD/hooks"`,
        `mkdir hooks; for h in pre-commit post-commit pre-push reference-transaction post-checkout; do printf '#!/bin/sh\\ntouch ${trap}\\n' > hooks/$h; chmod +x hooks/$h; done`,
        "echo '* filter=evil' > .gitattributes",
        "git config user.name x; git config user.email x@y",
        "echo world > hello.txt; git add -A 2>/dev/null; git commit -q -m mine",
        "git checkout -q --orphan other; rm -rf .git/refs/heads",
        "git init -q inner; (cd inner; git config core.fsmonitor 'touch " +
          trap +
          "; false'; git commit -q --allow-empty -m x)"
      ].join("\n")
      const runner = yield* running(bench, `export GIT_CONFIG_GLOBAL=/dev/null\n${planted}\nrm -f ${trap}\ntrue`)
      yield* runner.says(/handed off/)
      assert.isFalse(existsSync(trap))
      assert.strictEqual(git(repo, "show", "gatehouse/PAY-1-run-7f3k:hello.txt"), "world")
      assert.strictEqual(git(repo, "log", "--format=%an", "-1", "gatehouse/PAY-1-run-7f3k"), "Gatehouse")
      assert.notInclude(git(repo, "ls-tree", "-r", "--name-only", "gatehouse/PAY-1-run-7f3k"), "inner")
    })
  )

  it.scopedLive(
    "that replaces folders by links out of the tree commits the links, and nothing is read through them",
    () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const secret = join(bench.base, "secret")
        const repo = repository(bench.base, { ...files, "src/a.txt": "a\n", "src/b/c.txt": "c\n" })
        bench.service.state.queue.push(grantOf(repo, unplanned))
        const runner = yield* running(
          bench,
          `mkdir -p ${secret} 2>/dev/null; rm -rf src; ln -s /etc src; ln -s /etc/passwd passwd; echo '/link' > .gitignore; ln -s / link; mkfifo pipe; echo world > hello.txt`
        )
        yield* runner.says(/handed off/)
        const entries = git(repo, "ls-tree", "-r", "gatehouse/PAY-1-run-7f3k")
        assert.match(entries, /^120000 .*\tsrc$/m)
        assert.match(entries, /^120000 .*\tpasswd$/m)
        assert.notMatch(entries, /src\/|pipe|\tlink$/)
        assert.strictEqual(git(repo, "show", "gatehouse/PAY-1-run-7f3k:passwd"), "/etc/passwd")
      })
  )

  it.scopedLive("that leaves a huge file fails with its name", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      bench.service.state.queue.push(grantOf(repository(bench.base, files), unplanned))
      const runner = yield* running(bench, "truncate -s 200M huge.bin")
      yield* runner.says(/huge.bin has 209715200 bytes; a file may have 104857600/)
    })
  )

  it.scopedLive("that asks is stopped, its work is pushed, and the answer reaches the next one", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { service } = bench
      const repo = repository(bench.base, files)
      service.state.queue.push(grantOf(repo, unplanned))
      const agent = agentScript({
        implement: `if grep -q 'In euros' "$HOME/prompt-implement"; then test -f half.txt && echo world > hello.txt; else echo half > half.txt; echo '{"gatehouse":{"costCents":7,"progress":"half"}}'; echo '{"gatehouse":{"question":"Which currency?"}}'; sleep 1000; fi`
      })
      const runner = yield* running(bench, agent)
      yield* runner.says(/waits for/)
      assert.deepStrictEqual(
        service.factsOf(run).filter(({ type }) => type !== "stage"),
        [
          { type: "cost", costCents: 7 },
          { type: "question", question: "Which currency?" }
        ]
      )
      service.state.queue.push(
        grantOf(repo, {
          ...unplanned,
          fence: 2,
          inputs: [{ decision: "dec-4m2q", action: "answer", note: "In euros" }]
        })
      )
      yield* runner.says(/handed off/)
      assert.strictEqual(git(repo, "show", "gatehouse/PAY-1-run-7f3k:half.txt"), "half")
    })
  )

  it.scopedLive("whose cost uses the budget up is stopped, and its work is kept", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { service } = bench
      const repo = repository(bench.base, files)
      service.state.holds = (facts) => !facts.some((fact) => fact.type === "cost" && fact.costCents >= 1050)
      service.state.queue.push(grantOf(repo, { ...unplanned, run: { stage: "implementing", costCents: 50 } }))
      const runner = yield* running(bench, `echo half > half.txt; echo '{"gatehouse":{"costCents":1000}}'; sleep 1000`)
      yield* runner.says(/waits for/)
      yield* eventually(
        () => "the push",
        () => git(repo, "branch", "--list", "gatehouse/*") !== ""
      )
      assert.strictEqual(git(repo, "show", "gatehouse/PAY-1-run-7f3k:half.txt"), "half")
    })
  )

  it.scopedLive("has a home of its own and only the variables that are named", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const repo = repository(bench.base, files)
      bench.service.state.queue.push(grantOf(repo, unplanned))
      const runner = yield* running(
        bench,
        "env -0 | sort -z | tr '\\0' '\\n' > hello.txt; stat -c %a \"$HOME\" >> hello.txt"
      )
      yield* runner.says(/handed off/)
      const seen = git(repo, "show", "gatehouse/PAY-1-run-7f3k:hello.txt")
      const names = seen.split("\n").flatMap((line) => /^([A-Z_]+)=/.exec(line)?.[1] ?? [])
      const own = [
        "GATEHOUSE_ATTEMPT",
        "GATEHOUSE_MCP_URL",
        "GATEHOUSE_PROCESS",
        "GATEHOUSE_RUN",
        "GATEHOUSE_STEP",
        "GATEHOUSE_STORY"
      ]
      assert.includeMembers(["HOME", "LANG", "OLDPWD", "PATH", "PWD", "SHLVL", "TERM", "TMPDIR", "_", ...own], names)
      assert.include(seen, "TERM=dumb")
      assert.match(seen, new RegExp(`^HOME=${bench.folder}/work/run-7f3k-1/home$`, "m"))
      assert.match(seen, /^700$/m)
      assert.strictEqual(statSync(join(bench.folder, "mirrors")).mode & 0o777, 0o700)
    })
  )
})
