import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chownSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { long } from "../support/Long.ts"
import { eventually, filesWith, git, isRoot, type Rig, repository, rig } from "./Rig.ts"
import { launch, nobody, type Way } from "./Program.ts"
import { grantOf, key } from "./ScriptedService.ts"

const gitToken = `ghp_${"G".repeat(36)}`

/** Looks for the key wherever a process can: its environment, that of others, command lines and files. */
const search = (folder: string, into: string) =>
  [
    `{ env; for f in /proc/[0-9]*/environ /proc/[0-9]*/cmdline; do tr '\\0' '\\n' < $f; done;`,
    `grep -rahs -e 'tk_[R]' -e 'ghp_[G]' ${folder} "$HOME"; } > ${into} 2>/dev/null;`,
    `echo searched >> ${into}; grep -q -e 'tk_[R]' -e 'ghp_[G]' ${into} && echo KEY-''FOUND >> ${into}; true`
  ].join(" ")

const canary = Effect.fn(function* (bench: Rig, more: Readonly<Record<string, string>>, way: Way) {
  const script = search(bench.folder, "gate.txt")
  const gates = { gates: [{ name: "search", command: ["/bin/sh", "-c", `${script}; cat gate.txt`] }] }
  const repo = repository(bench.base, { ".kanman/gates.json": JSON.stringify(gates) })
  if (way.unprivileged === true && isRoot) execFileSync("chown", ["-R", `${nobody}:${nobody}`, dirname(repo)])
  bench.service.state.queue.push(
    grantOf(repo, { run: { stage: "implementing" }, policy: { acceptanceSpecRequired: false } })
  )
  const program = yield* launch(
    bench,
    search(bench.folder, "agent.txt"),
    { GIT_TOKENS: `git.acme.test=${gitToken}`, ...more },
    way
  )
  yield* eventually(
    () => `the hand-off in\n${program.text()}`,
    () => /handed off/.test(program.text())
  )
  const seen = [
    git(repo, "-c", "safe.directory=*", "show", "gatehouse/PAY-1-run-7f3k:agent.txt"),
    bench.service.logOf("run-7f3k")
  ]
  const evidence = bench.service.factsOf("run-7f3k").filter(({ type }) => type === "evidence")
  assert.isAbove(evidence.length, 0)
  for (const secret of [key, gitToken]) assert.notInclude(JSON.stringify(bench.service.state.sent), secret)
  assert.strictEqual(filesWith(bench, [key, gitToken]), "")
  for (const text of seen) {
    assert.include(text, "searched")
    assert.include(text, "GATEHOUSE_RUN=run-7f3k")
    for (const secret of [key, gitToken, "KEY-FOUND"]) assert.notInclude(text, secret)
  }
  for (const secret of [key, gitToken]) assert.notInclude(program.text(), secret)
})

it.scopedLive("neither agent nor gate finds the key of the runner", () =>
  Effect.flatMap(rig, (bench) => canary(bench, {}, {}))
)

long(() => {
  it.scopedLive.each([
    ["as the same user, who sees no other process", { unprivileged: true }],
    ["as the same user without namespaces", { unprivileged: true, namespaces: false }],
    ["as another user without namespaces", { namespaces: false }]
  ] as const)("nor %s", ([, way]) => Effect.flatMap(rig, (bench) => canary(bench, {}, way)))

  it.scopedLive("nor when it comes from standard input", () =>
    Effect.flatMap(rig, (bench) =>
      canary(
        bench,
        { SERVICE_API_KEY: "", SERVICE_API_KEY_FILE: "/dev/stdin" },
        { unprivileged: true, input: `${key}\n` }
      )
    )
  )

  const refusal = Effect.fn(function* (more: (bench: Rig) => Readonly<Record<string, string>>, way: Way) {
    const bench = yield* rig
    const program = yield* launch(bench, "true", more(bench), way)
    yield* eventually(
      () => `the end of\n${program.text()}`,
      () => program.code() !== undefined
    )
    assert.strictEqual(program.code(), 1)
    assert.notInclude(program.text(), key)
    assert.strictEqual(program.text().trim().split("\n").length, 1, program.text())
    return program.text()
  })

  it.scopedLive("a key that agents could find in another process is refused", () =>
    Effect.gen(function* () {
      const way = { unprivileged: true, namespaces: false, wrapped: ["/bin/sh", "-c", '"$@"; exit $?', "sh"] }
      assert.match(yield* refusal(() => ({}), way), /can be read by agents in the environment of process \d+/)
    })
  )

  it.scopedLive("a key file that agents could read is refused", () =>
    Effect.gen(function* () {
      const put = (mode: number, uid?: number) => (bench: Rig) => {
        const path = join(bench.base, "key")
        writeFileSync(path, key, { mode })
        if (uid !== undefined && isRoot) chownSync(path, uid, uid)
        return { SERVICE_API_KEY: "", SERVICE_API_KEY_FILE: path }
      }
      assert.match(yield* refusal(put(0o600, nobody), { unprivileged: true }), /which run as the same user/)
      if (isRoot) assert.match(yield* refusal(put(0o644), {}), /readable for root only: chmod 600/)
    })
  )

  it.scopedLive("a missing key is named", () =>
    Effect.map(
      refusal(() => ({ SERVICE_API_KEY: "" }), {}),
      (text) => assert.match(text, /^SERVICE_API_KEY is missing; set it to an API token/)
    )
  )
})
