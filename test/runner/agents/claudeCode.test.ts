import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { claudeCode } from "../../../adapters/runner/agent/ClaudeCode.ts"
import { classOf, line, played, prices, words } from "./Played.ts"
import { long } from "../../support/Long.ts"

const claude = claudeCode({ model: "fake-model", settings: null, eurPerUsd: 1 })

const init = (status = "connected") =>
  line({ type: "system", subtype: "init", session_id: "s-1", mcp_servers: [{ name: "gatehouse", status }] })
const said = (text: string, usage = { input_tokens: 1000, output_tokens: 100 }) =>
  line({
    type: "assistant",
    message: { id: `m-${text}`, model: "fake-model", content: [{ type: "text", text }], usage }
  })
const result = (more: object = {}) =>
  line({ type: "result", subtype: "success", is_error: false, result: "All done", total_cost_usd: 0.25, ...more })

describe("a program that plays Claude Code", () => {
  it.scopedLive("reads the prompt to its end, and becomes lines, a session, a cost and a text", () =>
    Effect.gen(function* () {
      const script = `cat > prompt; ${init()}; ${said("Looks around")}; ${result()}`
      const { file, of, outcome } = yield* played(claude, script, { prices })
      assert.deepStrictEqual(outcome, { type: "done", text: "All done" })
      assert.strictEqual(file("prompt"), "Do it.")
      assert.deepStrictEqual(of("session"), [{ type: "session", session: "claude-code:s-1" }])
      assert.deepStrictEqual(of("progress"), [{ type: "progress", text: "Looks around" }])
      // 20 cents of a dollar by the table, then 25 by its own figure; a dollar is half a euro here.
      assert.deepStrictEqual(
        of("cost").map(({ costCents, prices: version }) => [costCents, version]),
        [
          [10, "test-1"],
          [13, "test-1"]
        ]
      )
    })
  )

  it.scopedLive.each([
    ["hangs after its result", `${init()}; ${result()}; exec sleep 1000`, "done"],
    ["prints the same message for each of its parts", `${init()}; ${said("a")}; ${said("a")}; ${result()}`, "done"],
    ["warns on standard error", `echo 'ERROR: fatal' >&2; ${init()}; ${result()}`, "done"],
    ["prints what is no JSON", `echo 'Error: {'; ${init()}; ${result()}`, "done"],
    ["ends without a result", `${init()}; ${said("a")}`, "it ended without a result. Its last words: a"],
    [
      "ends at once",
      "echo 'cannot open display' >&2; exit 1",
      "it ended without a result. Its last words: cannot open display"
    ],
    [
      "has no tools",
      `${init("failed")}; exec sleep 1000`,
      "the tools of Gatehouse did not connect, so it could ask nobody"
    ],
    ["prints a line of 10 MB", `${init()}; head -c 10485760 /dev/zero | tr '\\0' x; echo; ${result()}`, "done"]
  ] as const)("%s", ([, script, expected]) =>
    Effect.map(played(claude, script), (seen) => assert.strictEqual(words(seen), expected))
  )

  it.scopedLive("is not trusted when it succeeds without the tools", () =>
    Effect.gen(function* () {
      const mcp = { url: "", isConnected: () => false }
      const seen = yield* played(claude, `${init()}; ${result()}`, { mcp })
      assert.deepStrictEqual(
        [classOf(seen), words(seen)],
        ["transient", "the tools of Gatehouse did not connect, so it could ask nobody"]
      )
    })
  )

  long(() => {
    it.scopedLive("is stopped when it is silent while it works", () =>
      Effect.gen(function* () {
        const clocks = { silence: Duration.seconds(1) }
        const seen = yield* played(claude, `${init()}; exec sleep 1000`, { clocks })
        assert.strictEqual(classOf(seen), "clock")
      })
    )
  })

  const failure = (more: object) => result({ is_error: true, ...more })
  it.scopedLive.each([
    [
      "rate limit",
      { terminal_reason: "api_error", api_error_status: 429, result: "API Error: slow down" },
      "transient",
      /rate limit/
    ],
    ["API error", { terminal_reason: "api_error", result: "API Error: 500 boom" }, "transient", /did not answer/],
    ["refused key", { result: "Invalid API key · Please run /login" }, "dependency", /refused the key/],
    ["used budget", { subtype: "error_max_budget_usd" }, "budget", /budget/],
    [
      "error of its own",
      { subtype: "error_during_execution", result: null, errors: ["no luck"] },
      "persistent",
      /error_during_execution: no luck/
    ]
  ] as const)("tells a %s apart", ([, more, failureClass, error]) =>
    Effect.gen(function* () {
      const seen = yield* played(claude, `${init()}; ${failure(more)}; exit 1`)
      assert.strictEqual(classOf(seen), failureClass)
      assert.match(words(seen), error)
    })
  )

  it.scopedLive("says which tools its program refused", () =>
    Effect.gen(function* () {
      const denied = { permission_denials: [{ tool_name: "Bash", tool_input: { command: "rm -rf /" } }] }
      const { of } = yield* played(claude, `${init()}; ${result(denied)}`)
      assert.deepStrictEqual(of("refused"), [{ type: "refused", tool: "Bash: rm -rf /" }])
    })
  )

  it.scopedLive("says that a price is not known, and reports no cost of nothing", () =>
    Effect.gen(function* () {
      const { of } = yield* played(claude, `${init()}; ${said("a")}; exit 1`)
      assert.deepStrictEqual(of("cost"), [])
      assert.match(of("progress").at(-1)?.text ?? "", /price of the model fake-model is not in the table 'parity'/)
    })
  )

  it.scopedLive("resumes its own session, and begins anew when that is lost", () =>
    Effect.gen(function* () {
      const script = `case "$*" in *--resume*) echo 'No conversation found with session ID: s-0' >&2; exit 1;; esac
${init()}; ${result()}`
      const { of, outcome } = yield* played(claude, script, { session: "claude-code:s-0" })
      assert.strictEqual(outcome.type, "done")
      assert.include(
        of("progress").map(({ text }) => text),
        "The session is lost; a new one begins."
      )
      const other = yield* played(claude, `echo "$*" > args; ${init()}; ${result()}`, { session: "codex:s-0" })
      assert.notInclude(other.file("args"), "--resume")
    })
  )

  it.scopedLive.each([
    ["plan", "--permission-mode=plan"],
    ["implement", "--permission-mode=acceptEdits"]
  ] as const)("never bypasses permissions in the step %s, and shows no address on its command line", ([step, mode]) =>
    Effect.gen(function* () {
      const seen = yield* played(claude, `echo "$*" > args; env > environment; ${init()}; ${result()}`, { step })
      assert.include(seen.file("args"), mode)
      for (const word of ["dangerously", "bypass", "secret"]) assert.notInclude(seen.file("args"), word)
      assert.include(seen.file("args"), "--disallowedTools=AskUserQuestion")
      assert.include(seen.file("args"), "--max-budget-usd=5.0000")
      assert.notMatch(seen.file("environment"), /^(CLAUDECODE|CLAUDE_CODE_ENTRYPOINT|SERVICE_API_KEY)=/m)
    })
  )
})
