// @effect-diagnostics processEnv:off
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import * as Doctor from "../../../adapters/runner/Doctor.ts"

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

  it.live("names the programs that are there, and those that are missing", () =>
    Effect.gen(function* () {
      const [code, text] = yield* examined({ RUNNER_AGENT: "claude-code,codex", RUNNER_AGENT_ENV: "ANTHROPIC_API_KEY" })
      assert.strictEqual(code, 1)
      assert.match(text, /^git version/)
      assert.include(text, "claude-code (RUNNER_AGENT names it)\n  claude 2.1.325\n  a dollar counts as a euro")
      assert.include(text, "codex (RUNNER_AGENT names it)\n  missing: 'codex' cannot be started")
      assert.include(text, "opencode (not named)\n  not installed")
      assert.notInclude(text, "sk-planted")
    })
  )

  it.live("ends with 0 when nothing is missing, and names a missing key", () =>
    Effect.gen(function* () {
      const [fine] = yield* examined({ RUNNER_AGENT: "claude-code", RUNNER_AGENT_ENV: "ANTHROPIC_API_KEY" })
      const [bad, text] = yield* examined({ RUNNER_AGENT: "claude-code" })
      assert.deepStrictEqual([fine, bad], [0, 1])
      assert.include(text, "missing: no key: name one of ANTHROPIC_API_KEY")
    })
  )
})
