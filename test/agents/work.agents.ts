import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { showing } from "../../adapters/runner/process/Environment.ts"
import { git } from "../runner/Rig.ts"
import { ask } from "../support/World.ts"
import { check, kinds, letters, raised, script, usage } from "./Scripts.ts"
import { agents, canaries, type Works, works } from "./Works.ts"

const moods = {
  MRL: /rate limit of the model is reached/,
  MER: /model did not answer as it should/,
  MNO: /model did not answer as it should|ended without a result/,
  MNI: /it was silent for 25 s/
} as const

/** Processes of a run, by their environment. */
const processesOf = (run: RunKey) => showing(`GATEHOUSE_RUN=${run}`, undefined)

const kill = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended already.
  }
}

const lineOf = (text: string, pattern: RegExp) =>
  text
    .split("\n")
    .filter((one) => pattern.test(one))
    .join("\n")

describe("real coding agents on a real runner", () => {
  let at: Works
  beforeAll(async () => {
    const teams = agents.flatMap((agent) =>
      Object.entries(kinds).map(([kind, team]) => [`${kind}${letters[agent]}`, { ...team, agent }] as const)
    )
    at = await works(Object.fromEntries(teams), script, usage)
  })
  afterAll(() => at?.close())

  const merged = async (run: RunKey, prefix: string, path = "done.txt") => {
    const end = await at.status(run, "succeeded", "failed", "timed_out", "stopped")
    assert.strictEqual(end.status, "succeeded", `${JSON.stringify(end.attemptList)}\n${await at.logs(run)}`)
    return git(at.repository(prefix), "show", `main:${path}`)
  }

  /** Requests to the model about a story. */
  const requests = (story: string) => at.model.seen.filter(({ body }) => body.includes(`# ${story}:`))

  describe.each(agents)("%s", (agent) => {
    const named = (kind: string) => `${kind}${letters[agent]}`

    it("works from Ready to merged, and its words, tools and cost are in the log", async () => {
      const prefix = named("MRG")
      const run = await at.start(prefix)
      assert.strictEqual(await merged(run, prefix), "done")
      const log = await at.logs(run)
      for (const words of [`Plan of ${prefix}-1`, "done.txt", "All done."]) assert.include(log, words)
      assert.isAbove((await at.look(run)).costCents, 0)
    })

    it("asks, ends without the answer, and goes on with it in the same session ten minutes later", async () => {
      const prefix = named("QST")
      const run = await at.start(prefix)
      const { body, key } = await at.asked(run)
      assert.strictEqual(body, "Which currency?")
      await at.status(run, "waiting")
      await at.until("the end of its processes", async () => processesOf(run).length === 0 || undefined, run)
      assert.include(await at.logs(run), "awaits an answer")
      await at.age(key)
      await at.answer(key, "answer", "Euro")
      assert.strictEqual(await merged(run, prefix), "Euro")
      assert.strictEqual(git(at.repository(prefix), "show", "main:draft.txt"), "meanwhile")
      const last = requests(`${prefix}-1`).at(-1)?.body ?? ""
      for (const words of ["request_human_input", "I wait for the answer.", "Euro"]) assert.include(last, words)
    })

    it("reads the answer that is given over REST while it works", async () => {
      const prefix = named("NOW")
      const run = await at.start(prefix)
      const { key } = await at.asked(run)
      assert.strictEqual((await at.look(run)).status, "running")
      const answered = await ask(at.url, `/v1/decisions/${key}/resolve`, {
        method: "POST",
        token: at.key,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ optionId: "answer", note: "Euro" })
      })
      assert.strictEqual(answered.status, 200, answered.text)
      assert.strictEqual(await merged(run, prefix), "Euro")
      assert.notInclude(await at.logs(run), "awaits an answer")
    })

    it("reworks after a note", async () => {
      const prefix = named("NOT")
      const run = await at.start(prefix)
      const first = await at.asked(run)
      assert.strictEqual(first.kind, "merge_approval")
      await at.answer(first.key, "request_changes", "Say please")
      const second = await at.until(
        "the second approval",
        async () => {
          const found = await at.asked(run)
          return found.key === first.key ? undefined : found
        },
        run
      )
      await at.answer(second.key, "merge")
      assert.strictEqual(await merged(run, prefix), "please")
    })

    it("asks for a denied path", async () => {
      const prefix = named("DEN")
      const run = await at.start(prefix)
      const { key, kind, title } = await at.asked(run)
      assert.deepStrictEqual([kind, title], ["policy_exception", "May it change secret/key.txt?"])
      await at.answer(key, "allow_once")
      assert.strictEqual(await merged(run, prefix, "secret/key.txt"), "new")
    })

    it("tries again after it changed the spec", async () => {
      const prefix = named("SPC")
      const run = await at.start(prefix)
      const { key, kind } = await at.asked(run)
      assert.strictEqual(kind, "diff_guard")
      await at.answer(key, "revert_spec_and_retry")
      assert.include(await merged(run, prefix, check(`${prefix}-1`)), "test -f done.txt")
    })

    it("is stopped by the budget, and goes on when that is raised", async () => {
      const prefix = named("BUD")
      const run = await at.start(prefix)
      const { key, kind } = await at.asked(run)
      assert.strictEqual(kind, "budget_stop")
      await at.until("the end of its processes", async () => processesOf(run).length === 0 || undefined, run)
      raised.add(`${prefix}-1`)
      await at.answer(key, "raise_budget")
      assert.strictEqual(await merged(run, prefix), "done")
      assert.isAtLeast((await at.look(run)).costCents, 60)
    })

    it("is stopped by a person", async () => {
      const prefix = named("STP")
      const run = await at.start(prefix)
      await at.until(
        "the step",
        async () => (await at.logs(run)).includes("The step implement begins") || undefined,
        run
      )
      await at.until("its processes", async () => processesOf(run).length > 0 || undefined, run)
      await at.stop(run)
      await at.until("the end of its processes", async () => processesOf(run).length === 0 || undefined, run)
      const said = new RegExp(`${prefix}-1: the (run (was|is) stopped|lease is lost: .* is stopped)`)
      await at.until("the words of the runner", async () => said.test(at.runner().out()) || undefined, run)
      assert.strictEqual((await at.look(run)).status, "stopped")
    })

    it("that is killed fails as transient", async () => {
      const prefix = named("END")
      const run = await at.start(prefix)
      await at.until("the request", async () => requests(`${prefix}-1`).length > 1 || undefined, run)
      for (const pid of processesOf(run)) kill(pid)
      const { attemptList } = await at.status(run, "failed")
      assert.strictEqual(attemptList[0]?.failureClass, "transient", JSON.stringify(attemptList))
      assert.match(attemptList[0]?.error ?? "", /ended without a result/)
    })

    it.each(Object.entries(moods))("tells the mood %s of the model", async (kind, error) => {
      const run = await at.start(named(kind))
      const { attemptList } = await at.status(run, "failed")
      assert.deepStrictEqual(
        [attemptList[0]?.failureClass, error.test(attemptList[0]?.error ?? "")],
        ["transient", true],
        JSON.stringify(attemptList)
      )
    })

    it("shows no key of its own to the commands of the model", async () => {
      const prefix = named("CAN")
      const run = await at.start(prefix)
      assert.strictEqual(await merged(run, prefix), "done")
    })

    it("goes on after a kill of its runner", async () => {
      const prefix = named("KIL")
      const run = await at.start(prefix)
      const half = () => at.allFiles().some(({ path }) => path.includes(run) && path.endsWith("/half.txt"))
      await at.until("the file", async () => half() || undefined, run)
      at.runner().signal("SIGKILL")
      await at.runner().ended()
      await at.relaunch()
      await at.until("the end of its processes", async () => processesOf(run).length === 0 || undefined, run)
      await at.lapse(run)
      assert.strictEqual(await merged(run, prefix), "done")
      assert.strictEqual((await at.look(run)).attempts, 2)
    })
  })

  it("no key is in a prompt, a log, a commit, an output, a row or a file that is kept", async () => {
    const prefixes = agents.flatMap((agent) => Object.keys(kinds).map((kind) => `${kind}${letters[agent]}`))
    const commits = prefixes.map((prefix) => git(at.repository(prefix), "log", "--all", "-p", "--format=%B"))
    const prompts = at.model.seen.map(({ body }) => body)
    const files = at.allFiles()
    for (const name of ["/half.txt", "/.codex/config.toml"])
      assert.isTrue(files.some(({ path }) => path.endsWith(name)))
    const keys = [at.key, canaries.model, canaries.git, /rk_[A-Za-z0-9]{32}/]
    const address = /127\.0\.0\.1:\d+\/[\w-]{32}/
    // The agent needs the address of its tools, in a file of its own.
    const places = {
      commits,
      prompts,
      output: [at.runner().out(), at.runner().err()],
      logs: await at.allLogs(),
      rows: await at.allRows(),
      files: files
        .filter(({ path }) => !path.endsWith("/.codex/config.toml"))
        .map(({ path, text }) => `${path}\n${text}`)
    }
    for (const [place, texts] of Object.entries(places))
      for (const secret of [...keys, address])
        for (const text of texts) {
          const isShown = typeof secret === "string" ? text.includes(secret) : secret.test(text)
          assert.isFalse(
            isShown,
            `${place}: ${String(secret)} in ${text.slice(0, 200)} ${lineOf(text, /canary|rk_|tk_|ghp_|127/).slice(0, 2000)}`
          )
        }
    for (const { path, text } of files)
      for (const key of keys) assert.isFalse(typeof key === "string" ? text.includes(key) : key.test(text), path)
  })
})
