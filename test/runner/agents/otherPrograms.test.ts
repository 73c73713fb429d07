import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { codex } from "../../../adapters/runner/agent/Codex.ts"
import { geminiCli } from "../../../adapters/runner/agent/GeminiCli.ts"
import { openCode } from "../../../adapters/runner/agent/OpenCode.ts"
import type { AgentEvent } from "../../../adapters/runner/agent/Agent.ts"
import { followed } from "../../../adapters/runner/process/FollowedFile.ts"
import { classOf, line, played, prices, words } from "./Played.ts"

const codexAgent = codex({ model: "fake-model", config: "" })

describe("a program that plays Codex", () => {
  const thread = line({ type: "thread.started", thread_id: "t-1" })
  const item = (of: object) => line({ type: "item.completed", item: { id: "i", ...of } })
  const completed = line({
    type: "turn.completed",
    usage: { input_tokens: 1000, cached_input_tokens: 0, output_tokens: 100 }
  })
  const message = item({ type: "agent_message", text: "All done" })

  it.scopedLive("becomes lines, a session, a cost and a text; a warning is no failure", () =>
    Effect.gen(function* () {
      const script = [
        "cat > /dev/null",
        thread,
        item({ type: "error", message: "Model metadata not found" }),
        item({ type: "command_execution", command: "ls", exit_code: 0 }),
        item({ type: "file_change", changes: [{ path: "a.txt", kind: "add" }] }),
        line({ type: "error", message: "Reconnecting... 1/5" }),
        message,
        completed,
        "exec sleep 1000"
      ].join("; ")
      const { of, outcome } = yield* played(codexAgent, script, { prices })
      assert.deepStrictEqual(outcome, { type: "done", text: "All done" })
      assert.deepStrictEqual(
        of("progress").map(({ text }) => text),
        [
          "Warning: Model metadata not found",
          "Ran ls, exit code 0",
          "Changed a.txt",
          "Warning: Reconnecting... 1/5",
          "All done"
        ]
      )
      assert.deepStrictEqual(of("cost"), [{ type: "cost", costCents: 10, prices: "test-1" }])
      assert.deepStrictEqual(
        of("session").map(({ session }) => session),
        ["codex:t-1:0.0.0", "codex:t-1:1000.0.100"]
      )
    })
  )

  const recorded = (input: number, output: number) => {
    const total_token_usage = { input_tokens: input, cached_input_tokens: 0, output_tokens: output }
    return line({ type: "event_msg", payload: { type: "token_count", info: { total_token_usage } } })
  }
  const record = "$HOME/.codex/sessions/2026/11/17"

  it.scopedLive("costs while it works, by its record of the thread, and each token once", () =>
    Effect.gen(function* () {
      const script = [
        `mkdir -p ${record}`,
        `${recorded(9_000_000, 9)} > ${record}/rollout-of-another-t-2.jsonl`,
        thread,
        `${recorded(400, 40)} > ${record}/rollout-2026-t-1.jsonl`,
        "while [ ! -e cost-4 ]; do sleep 0.05; done",
        `${recorded(400, 40)} >> ${record}/rollout-2026-t-1.jsonl`,
        `printf %s '{"type":"event_msg",' >> ${record}/rollout-2026-t-1.jsonl`,
        `${recorded(1000, 100)} | cut -c 21- >> ${record}/rollout-2026-t-1.jsonl`,
        "while [ ! -e cost-10 ]; do sleep 0.05; done",
        message,
        completed
      ].join("; ")
      const seeing = (event: AgentEvent, folder: string) => {
        if (event.type === "cost") writeFileSync(join(folder, `cost-${event.costCents}`), "")
      }
      const { of, outcome } = yield* played(codexAgent, script, { prices, seeing })
      assert.deepStrictEqual(outcome, { type: "done", text: "All done" })
      assert.deepStrictEqual(
        of("cost").map(({ costCents }) => costCents),
        [4, 10]
      )
      assert.strictEqual(of("session").at(-1)?.session, "codex:t-1:1000.0.100")
    })
  )

  it("reads a record of the agents' user alone, and neither a link nor a pipe", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gh-record-"))
    const lines: Array<string> = []
    const uid = process.getuid?.() ?? 0
    const look = (ending: string, owner = uid) => followed(folder, ending, owner, (text) => lines.push(text))()
    mkdirSync(join(folder, "2026/11"), { recursive: true })
    writeFileSync(join(folder, "2026/11/a.jsonl"), "one\ntwo\nhalf")
    symlinkSync("a.jsonl", join(folder, "2026/11/link.jsonl"))
    execFileSync("mkfifo", [join(folder, "2026/11/pipe.jsonl")])
    for (const ending of ["link.jsonl", "pipe.jsonl", "none.jsonl"]) await look(ending)
    await look("a.jsonl", uid + 1)
    assert.deepStrictEqual(lines, [])
    await look("a.jsonl")
    assert.deepStrictEqual(lines, ["one", "two"])
    rmSync(folder, { recursive: true })
  })

  it.scopedLive("resumes a thread, whose tokens count once", () =>
    Effect.gen(function* () {
      const script = `echo "$*" > args; ${thread}; ${message}; ${completed}`
      const { file, of } = yield* played(codexAgent, script, { prices, session: "codex:t-1:400.0.40" })
      assert.include(file("args"), "resume t-1 -")
      assert.deepStrictEqual(of("cost"), [{ type: "cost", costCents: 6, prices: "test-1" }])
    })
  )

  it.scopedLive.each([
    ["429 Too Many Requests", "transient", /rate limit/],
    ["unexpected status 500", "transient", /did not answer/],
    ["unexpected status 401 Unauthorized", "dependency", /refused the key/]
  ] as const)("tells '%s' apart", ([text, failureClass, error]) =>
    Effect.gen(function* () {
      const seen = yield* played(
        codexAgent,
        `${thread}; ${line({ type: "turn.failed", error: { message: text } })}; exit 1`
      )
      assert.strictEqual(classOf(seen), failureClass)
      assert.match(words(seen), error)
    })
  )

  it.scopedLive("keeps its sandbox, and its address in a file of its own", () =>
    Effect.gen(function* () {
      for (const [step, sandbox] of [
        ["plan", "read-only"],
        ["rework", "workspace-write"]
      ] as const) {
        const seen = yield* played(
          codexAgent,
          `echo "$*" > args; env > environment; ${thread}; ${message}; ${completed}`,
          { step }
        )
        assert.include(seen.file("args"), `--sandbox=${sandbox}`)
        for (const word of ["danger", "bypass", "secret", "full-auto"]) assert.notInclude(seen.file("args"), word)
        assert.include(seen.file(".codex/config.toml"), 'url = "http://127.0.0.1:9/secret"')
        assert.notMatch(seen.file("environment"), /GATEHOUSE_FILE/)
      }
    })
  )
})

describe("programs that were not tried", () => {
  it.scopedLive("Gemini CLI by its documentation", () =>
    Effect.gen(function* () {
      const script = [
        line({ type: "init", session_id: "g-1", model: "fake-model" }),
        line({ type: "message", role: "assistant", content: "All done", delta: true }),
        line({ type: "result", status: "success", stats: { input_tokens: 1000, output_tokens: 100 } })
      ].join("; ")
      const { of, outcome } = yield* played(geminiCli(null), script, { prices })
      assert.deepStrictEqual(outcome, { type: "done", text: "All done" })
      assert.deepStrictEqual([of("cost")[0]?.costCents, of("session")[0]?.session], [10, "gemini-cli:g-1"])
    })
  )

  it.scopedLive("OpenCode by its documentation", () =>
    Effect.gen(function* () {
      const script = [
        line({ type: "step_start", sessionID: "o-1", part: {} }),
        line({ type: "tool_use", sessionID: "o-1", part: { tool: "write", state: { input: { path: "a.txt" } } } }),
        line({ type: "step_finish", sessionID: "o-1", part: { reason: "tool-calls", cost: 0.1 } }),
        line({ type: "text", sessionID: "o-1", part: { text: "All done" } }),
        line({ type: "step_finish", sessionID: "o-1", part: { reason: "stop", cost: 0.1 } })
      ].join("; ")
      const { of, outcome } = yield* played(openCode(null), script)
      assert.deepStrictEqual(outcome, { type: "done", text: "All done" })
      assert.deepStrictEqual(
        of("cost").map(({ costCents }) => costCents),
        [10, 20]
      )
    })
  )
})
