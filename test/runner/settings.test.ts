import { assert, describe, it } from "@effect/vitest"
import { ConfigError, ConfigProvider, Duration, Effect, Either, Option, Redacted } from "effect"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { homedir, hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { startsRunner } from "../../adapters/cli/RunnerHelp.ts"
import * as RunnerSettings from "../../adapters/RunnerSettings.ts"
import { key } from "./ScriptedService.ts"

const least = { SERVICE_URL: "https://gatehouse.example.com/", RUNNER_CUSTOM_COMMAND: "./agent", SERVICE_API_KEY: key }

const read = (variables: Readonly<Record<string, string>>) =>
  Effect.runSync(
    Effect.either(
      Effect.withConfigProvider(RunnerSettings.all, ConfigProvider.fromMap(new Map(Object.entries(variables))))
    )
  )

const problem = (variables: Readonly<Record<string, string>>): string => {
  const found = read(variables)
  if (Either.isRight(found)) return "accepted"
  return ConfigError.isInvalidData(found.left) || ConfigError.isMissingData(found.left) ? found.left.message : "other"
}

it("the least settings have defaults for the rest", () => {
  const settings = Either.getOrThrow(read(least))
  assert.deepInclude(settings, {
    url: "https://gatehouse.example.com",
    name: hostname(),
    slots: 1,
    teams: [],
    user: "nobody"
  })
  assert.strictEqual(Redacted.value(Option.getOrThrow(settings.key)), key)
  assert.strictEqual(
    settings.folder,
    process.getuid?.() === 0 ? "/var/lib/gatehouse-runner" : join(homedir(), ".gatehouse-runner")
  )
  assert.deepStrictEqual(
    [...Object.values(settings.clocks), settings.gateLimit, settings.drainLimit].map(Duration.toSeconds),
    [300, 900, 3600, 600, 300]
  )
})

it("lists and tokens are read", () => {
  const settings = Either.getOrThrow(
    read({
      ...least,
      RUNNER_TEAMS: "payments, web",
      GIT_TOKENS: "GitHub.com=a=b,git.acme.test:8443=c",
      RUNNER_AGENT_ENV: "A_KEY,B"
    })
  )
  assert.deepStrictEqual<ReadonlyArray<string>>(settings.teams, ["payments", "web"])
  assert.deepStrictEqual(
    [...settings.gitTokens].map(([host, token]) => [host, Redacted.value(token)]),
    [
      ["github.com", "a=b"],
      ["git.acme.test:8443", "c"]
    ]
  )
  assert.deepStrictEqual(settings.agentVariables, ["A_KEY", "B"])
})

describe("agents", () => {
  it.each([
    [{}, ["custom"]],
    [{ RUNNER_AGENT: "claude-code, codex" }, ["claude-code", "codex"]],
    [{ RUNNER_AGENT: "codex", RUNNER_CUSTOM_COMMAND: "" }, ["codex"]]
  ])("%j", (changed, agents) => {
    assert.deepStrictEqual<ReadonlyArray<string>>(Either.getOrThrow(read({ ...least, ...changed })).agents, agents)
  })

  it("have models and prices, by a table with a version", () => {
    const folder = mkdtempSync(join(tmpdir(), "gh-prices-"))
    const table = { version: "2026-11", eurPerUsd: 0.9, models: { m: { input: 1, output: 2 } } }
    writeFileSync(join(folder, "prices.json"), JSON.stringify(table))
    const more = { RUNNER_MODELS: "codex=m-1,claude-code=n", RUNNER_PRICES: join(folder, "prices.json") }
    const { models, prices } = Either.getOrThrow(read({ ...least, ...more }))
    rmSync(folder, { recursive: true })
    assert.deepStrictEqual([models.get("codex"), models.get("claude-code")], ["m-1", "n"])
    assert.deepStrictEqual(prices, table)
    assert.strictEqual(Either.getOrThrow(read(least)).prices.version, "parity")
  })
})

describe("a wrong value is named with its variable and the way out", () => {
  it.each([
    [{ SERVICE_URL: "" }, "SERVICE_URL is missing; set it to the address of the service"],
    [{ SERVICE_URL: "ftp://x" }, "SERVICE_URL must be an http or https address"],
    [{ SERVICE_URL: "https://user:secret@x" }, "got 'https://…@x'"],
    [{ SERVICE_API_KEY: "tk_short" }, "SERVICE_API_KEY must be an API token"],
    [{ RUNNER_CUSTOM_COMMAND: "" }, "RUNNER_AGENT is missing; set it to one or more of claude-code, codex"],
    [{ RUNNER_CUSTOM_COMMAND: "", RUNNER_AGENT: "codex,custom" }, "RUNNER_CUSTOM_COMMAND is missing"],
    [
      { RUNNER_AGENT: "claude" },
      "RUNNER_AGENT must be one or more of claude-code, codex, gemini-cli, opencode, custom"
    ],
    [{ RUNNER_MODELS: "claude=opus" }, "RUNNER_MODELS must be agents with their models"],
    [{ RUNNER_PRICES: "/no/such/file" }, "RUNNER_PRICES must be the path of a JSON file"],
    [{ RUNNER_CODEX_CONFIG: "codex.toml" }, "RUNNER_CODEX_CONFIG must be the absolute path of a file"],
    [{ RUNNER_SLOTS: "0" }, "RUNNER_SLOTS must be a whole number from 1 to 100; got '0'"],
    [{ RUNNER_SLOTS: "many" }, "got 'many'"],
    [{ RUNNER_TEAMS: "Pay ments" }, "RUNNER_TEAMS must be slugs"],
    [{ RUNNER_DIR: "relative" }, "RUNNER_DIR must be an absolute path that is not below the temporary folder"],
    [{ RUNNER_DIR: join(tmpdir(), "runner", "deep") }, "not below the temporary folder"],
    [{ RUNNER_DIR: "/tmp" }, "not below the temporary folder"],
    [{ RUNNER_USER: "root" }, "RUNNER_USER must be the name of a user of this machine other than root; got 'root'"],
    [{ RUNNER_USER: "-x" }, "got '-x'"],
    [{ RUNNER_AGENT_ENV: "SERVICE_API_KEY" }, "RUNNER_AGENT_ENV must be names of variables"],
    [{ RUNNER_AGENT_ENV: "GIT_TOKENS" }, "RUNNER_AGENT_ENV must be"],
    [{ RUNNER_AGENT_ENV: "A-B" }, "got 'A-B'"],
    [{ GIT_TOKENS: "github.com" }, "GIT_TOKENS must be hosts with their tokens"],
    [{ RUNNER_TOTAL_SECONDS: "1.5" }, "RUNNER_TOTAL_SECONDS must be a number of seconds from 1 to 604800; got '1.5'"],
    [{ RUNNER_SILENCE_SECONDS: "0" }, "RUNNER_SILENCE_SECONDS"],
    [{ RUNNER_DRAIN_SECONDS: "-1" }, "RUNNER_DRAIN_SECONDS"]
  ])("%j", (changed, part) => {
    const message = problem({ ...least, ...changed })
    assert.include(message, part)
    assert.notInclude(message, "\n")
    for (const secret of ["secret", "tk_short"]) assert.notInclude(message, secret)
  })

  it("a link into the temporary folder is below it", () => {
    const folder = mkdtempSync(join(homedir(), ".gatehouse-link-"))
    try {
      symlinkSync(tmpdir(), join(folder, "link"))
      assert.include(
        problem({ ...least, RUNNER_DIR: join(folder, "link", "runner") }),
        "not below the temporary folder"
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

it("every setting is in the help", () => {
  const names = Object.keys({ ...least, GIT_TOKENS: "", RUNNER_TEAMS: "" })
  for (const name of names)
    assert.include(
      RunnerSettings.variables.map(([known]) => known),
      name
    )
})

it("the runner starts without a verb", () => {
  assert.isTrue(startsRunner(["runner"]))
  assert.isTrue(startsRunner(["runner", "--json"]))
  assert.isTrue(startsRunner(["runner", "doctor"]))
  for (const words of [["runner", "list"], ["runner", "--help"], ["run", "list"], []])
    assert.isFalse(startsRunner(words))
})
