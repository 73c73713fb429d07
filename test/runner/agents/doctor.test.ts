// @effect-diagnostics processEnv:off
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import * as Doctor from "../../../adapters/runner/Doctor.ts"
import { rig, running } from "../Rig.ts"
import { key } from "../ScriptedService.ts"

describe("runner doctor", () => {
  const folder = mkdtempSync(join(tmpdir(), "gh-doctor-"))
  const { PATH } = process.env
  beforeAll(() => {
    chmodSync(folder, 0o755)
    writeFileSync(join(folder, "claude"), "#!/bin/sh\necho '2.1.325 (Claude Code)'\n")
    chmodSync(join(folder, "claude"), 0o755)
    process.env["PATH"] = `${folder}:/usr/bin:/bin`
    process.env["ANTHROPIC_API_KEY"] = "sk-planted"
  })
  afterAll(() => {
    process.env["PATH"] = PATH
    delete process.env["ANTHROPIC_API_KEY"]
    rmSync(folder, { recursive: true })
  })

  const examined = Effect.fn(function* (variables: Readonly<Record<string, string>>) {
    const lines: Array<string> = []
    const console = yield* Effect.console
    const code = yield* Doctor.examine.pipe(
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables)))),
      Effect.withConsole({ ...console, log: (...words) => Effect.sync(() => void lines.push(words.join(" "))) })
    )
    return [code, lines.join("\n")] as const
  })

  const service = { SERVICE_URL: "http://localhost:3000", SERVICE_API_KEY: key }

  it.live("names the programs that are there, and those that are missing", () =>
    Effect.gen(function* () {
      const [code, text] = yield* examined({
        ...service,
        RUNNER_AGENT: "claude-code,codex",
        RUNNER_AGENT_ENV: "ANTHROPIC_API_KEY"
      })
      assert.strictEqual(code, 1)
      assert.match(text, /^git version/)
      assert.include(text, "claude-code (used)\n  claude 2.1.325\n  a dollar counts as a euro")
      assert.include(text, "codex (used)\n  to do: install 'codex' where PATH finds it")
      assert.include(text, "opencode (not used)\n  not installed")
      assert.notInclude(text, "sk-planted")
    })
  )

  it.live("ends with 0 when the runner can start, and names a missing key", () =>
    Effect.gen(function* () {
      const named = { ...service, RUNNER_AGENT: "claude-code" }
      const [fine, last] = yield* examined({ ...named, RUNNER_AGENT_ENV: "ANTHROPIC_API_KEY" })
      const [bad, text] = yield* examined(named)
      const [unset, why] = yield* examined({ ...named, RUNNER_AGENT_ENV: "CLAUDE_CODE_OAUTH_TOKEN" })
      assert.deepStrictEqual([fine, bad, unset], [0, 1, 1])
      assert.match(last, /The runner can start\.$/)
      assert.include(text, "to do: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN or")
      assert.include(why, "to do: set CLAUDE_CODE_OAUTH_TOKEN, which RUNNER_AGENT_ENV names")
    })
  )

  it.live("with nothing set, says all there is to do and ends with 1", () =>
    Effect.gen(function* () {
      const [code, text] = yield* examined({})
      assert.strictEqual(code, 1)
      assert.include(text, "service\n  to do: SERVICE_URL is missing; set it to the address")
      assert.include(text, "\n  to do: SERVICE_API_KEY is missing; set it to an API token")
      assert.include(text, "agents\n  to do: RUNNER_AGENT is missing; set it to one or more of")
      assert.match(text, /The runner cannot work yet\.$/)
      assert.strictEqual(text.split("SERVICE_URL is missing").length, 2, "a problem is said once")
    })
  )

  it.live("says which command the agent custom is, and whether it can run", () =>
    Effect.gen(function* () {
      const command = join(folder, "claude")
      const [fine, text] = yield* examined({ ...service, RUNNER_CUSTOM_COMMAND: command })
      assert.strictEqual(fine, 0)
      assert.include(text, `custom (used)\n  the command '${command}'`)
      const [bad, why] = yield* examined({ ...service, RUNNER_CUSTOM_COMMAND: join(folder, "missing") })
      assert.strictEqual(bad, 1)
      assert.include(why, "custom (used)\n  to do: RUNNER_CUSTOM_COMMAND begins with")
      const other = { RUNNER_AGENT: "claude-code", RUNNER_AGENT_ENV: "ANTHROPIC_API_KEY" }
      const [, unused] = yield* examined({ ...service, ...other, RUNNER_CUSTOM_COMMAND: command })
      assert.include(unused, "custom (not used)\n  RUNNER_CUSTOM_COMMAND is set; add custom to RUNNER_AGENT to use it")
    })
  )

  it.live("an invalid setting of another kind is to do, too", () =>
    Effect.gen(function* () {
      const [code, text] = yield* examined({ ...service, RUNNER_CUSTOM_COMMAND: "true", RUNNER_SLOTS: "0" })
      assert.strictEqual(code, 1)
      assert.include(text, "settings\n  to do: RUNNER_SLOTS must be a whole number from 1 to 100; got '0'")
    })
  )

  it.scopedLive("a runner whose agent has no key says so at its start, and to the service", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const runner = yield* running(bench, "true", { RUNNER_AGENT: "claude-code,custom" })
      assert.include(
        yield* runner.says(/no key/),
        "claude-code has no key of its model, so its runs will fail: set ANTHROPIC_API_KEY or"
      )
      yield* runner.says(/Online/)
      assert.deepStrictEqual(bench.service.state.hellos[0]?.executors, [
        { name: "claude-code", version: "2.1.325", lacksKey: true },
        { name: "custom", version: null }
      ])
    })
  )
})
