import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { agentScript, gates, git, repository, rig, running, trapIn } from "./Rig.ts"
import { grantOf } from "./ScriptedService.ts"

const run = "run-7f3k"
const branch = "gatehouse/PAY-1-run-7f3k"
const folder = ".kanman/acceptance/PAY-1"
const implementing = { run: { stage: "implementing" } }
const writing = (name: string, script: string, mode = "+x") =>
  `mkdir -p ${folder}; printf '${script}' > ${folder}/${name}; chmod ${mode} ${folder}/${name}`

describe("a spec that proves nothing is a person's", () => {
  it.scopedLive.each([
    ["there is no check", "true", /The spec has no check/],
    ["no file is executable", writing("ac-1.sh", "#!/bin/sh\\nfalse\\n", "-x"), /The spec has no check/],
    ["all checks pass", writing("ac-1.sh", "#!/bin/sh\\ntrue\\n"), /Every check passes before the work/],
    ["a program is missing", writing("ac-1.sh", "#!/bin/sh\\nno-such-program\\n"), /cannot be run: exit code 127/],
    ["a check is no program", writing("ac-1.sh", "\\001\\002\\003"), /cannot be run/],
    ["a check does not end", writing("ac-1.sh", "#!/bin/sh\\nsleep 1000\\n"), /did not end within 1 s/, "1"]
  ] as const)("%s", ([, spec, reason, seconds = "60"]) =>
    Effect.gen(function* () {
      const bench = yield* rig
      const repo = repository(bench.base, { ".kanman/gates.json": gates("true") })
      bench.service.state.queue.push(grantOf(repo, implementing))
      const runner = yield* running(bench, agentScript({ spec }), { RUNNER_GATE_SECONDS: seconds })
      yield* runner.says(/waits for/)
      const [fact] = bench.service.factsOf(run).flatMap((one) => (one.type === "spec_failed" ? [one] : []))
      assert.match(fact?.reason ?? "", reason)
      assert.strictEqual(git(repo, "branch", "--list", "gatehouse/*"), "")
    })
  )
})

describe("the spec", () => {
  it.scopedLive("is the only thing that its step may write", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const repo = repository(bench.base, {
        "README.md": "Hi\n",
        ".kanman/gates.json": gates("! grep -q changed README.md")
      })
      bench.service.state.queue.push(grantOf(repo, implementing))
      const spec = `${writing("ac-1.sh", "#!/bin/sh\\ngrep -q world hello.txt\\n")}; echo changed > README.md; echo x > stray`
      const runner = yield* running(bench, agentScript({ spec }))
      yield* runner.says(/handed off/)
      assert.strictEqual(git(repo, "diff", "--name-only", "main", branch), `${folder}/ac-1.sh\nhello.txt`)
      assert.include(bench.service.logOf(run), "its other changes are dropped: README.md, stray")
    })
  )

  it.scopedLive("is run by the command that the base names", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const file = { gates: [], acceptance: { command: ["/bin/sh", "-c", "sh .kanman/acceptance/PAY-1/steps"] } }
      const repo = repository(bench.base, { ".kanman/gates.json": JSON.stringify(file) })
      bench.service.state.queue.push(grantOf(repo, implementing))
      const runner = yield* running(bench, agentScript({ spec: writing("steps", "grep -q world hello.txt\\n", "-x") }))
      yield* runner.says(/handed off/)
      const [evidence] = bench.service.factsOf(run).flatMap((fact) => (fact.type === "evidence" ? [fact.evidence] : []))
      assert.deepStrictEqual(evidence?.acceptance, [{ criterionId: "ac-1", status: "passed" }])
    })
  )

  it.scopedLive("that a gate changes fails the verification", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const repo = repository(bench.base, { ".kanman/gates.json": gates("sh ./test.sh") })
      bench.service.state.queue.push(grantOf(repo, implementing))
      bench.service.state.holds = (_, all) => !all.some(({ type }) => type === "verification")
      const cheat = `printf '#!/bin/sh\\n' > ${folder}/ac-1.sh`
      const runner = yield* running(
        bench,
        agentScript({ implement: `echo "${cheat.replaceAll("\\", "\\\\")}" > test.sh` })
      )
      yield* runner.says(/waits for/)
      const [verification] = bench.service.factsOf(run).flatMap((fact) => (fact.type === "verification" ? [fact] : []))
      assert.match(verification?.summary ?? "", /the spec was changed while the change was verified/)
    })
  )

  it.scopedLive("may be missing where a person allowed it", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const repo = repository(bench.base, { ".kanman/gates.json": gates("true") })
      const exceptions = [{ decision: "dec-4m2q", kind: "gate_failure", subject: null }]
      bench.service.state.queue.push(grantOf(repo, { ...implementing, exceptions }))
      const runner = yield* running(bench, agentScript({ spec: "exit 1" }))
      yield* runner.says(/a person allowed the run to go on without it/)
      yield* runner.says(/handed off/)
    })
  )
})

it.scopedLive("the demonstration gets the steps on its input, and a story is never executed", () =>
  Effect.gen(function* () {
    const bench = yield* rig
    const file = {
      demonstrate: { command: ["/bin/sh", "-c", "cat > $HOME/steps; cat $HOME/steps; grep -c . $HOME/steps"] }
    }
    const repo = repository(bench.base, { ".kanman/gates.json": JSON.stringify(file) })
    const trap = trapIn(bench)
    const text = `$(touch ${trap}); \`touch ${trap}\`\n; touch ${trap}`
    const story = { title: `x"; ${text}`, description: text, demonstrate: [text, "Second"], testPlan: text }
    bench.service.state.queue.push(grantOf(repo, { ...implementing, policy: { acceptanceSpecRequired: false }, story }))
    const runner = yield* running(bench, agentScript())
    yield* runner.says(/handed off/)
    const [evidence] = bench.service.factsOf(run).flatMap((fact) => (fact.type === "evidence" ? [fact.evidence] : []))
    assert.deepStrictEqual(
      evidence?.demonstrate.map(({ status }) => status),
      ["passed", "passed"]
    )
    assert.match(bench.service.logOf(run), /\[demonstrate\] 2$/m)
    assert.isFalse(existsSync(trap))
  })
)

it.scopedLive("a failure that a person allowed is handed off with it", () =>
  Effect.gen(function* () {
    const bench = yield* rig
    const repo = repository(bench.base, { ".kanman/gates.json": gates("false") })
    const exceptions = [{ decision: "dec-4m2q", kind: "verification_failed", subject: null }]
    const policy = { acceptanceSpecRequired: false }
    bench.service.state.queue.push(grantOf(repo, { ...implementing, policy, exceptions }))
    const runner = yield* running(bench, agentScript())
    yield* runner.says(/handed off/)
    const [handed] = bench.service.factsOf(run).flatMap((fact) => (fact.type === "handed_off" ? [fact] : []))
    assert.match(handed?.summary ?? "", /0 of 1 gates passed[^]*A person allowed the run to go on/)
  })
)

it.scopedLive("a repository that cannot be reached, or an agent that is not there, fails with its reason", () =>
  Effect.gen(function* () {
    const bench = yield* rig
    const { state } = bench.service
    state.queue.push(
      grantOf(`${bench.base}/nowhere.git`, implementing),
      grantOf("ext::sh -c true", { ...implementing, fence: 2 }),
      grantOf(repository(bench.base, { a: "" }), { fence: 3, run: { stage: "planning", executor: "codex" } }),
      grantOf(repository(bench.base, { a: "" }), {
        fence: 4,
        run: { stage: "implementing" },
        policy: { acceptanceSpecRequired: false }
      })
    )
    const runner = yield* running(bench, "true")
    yield* runner.says(/git ls-remote failed: .*nowhere/)
    yield* runner.says(/the address of the repository is refused/)
    yield* runner.says(/This runner has no agent 'codex'; it has custom/)
    yield* runner.says(/The agent changed no files/)
  })
)
