// @effect-diagnostics processEnv:off
import { FetchHttpClient } from "@effect/platform"
import { Config, ConfigProvider, Deferred, Effect, Fiber } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as RunnerSettings from "../../adapters/RunnerSettings.ts"
import * as Runner from "../../adapters/runner/Runner.ts"
import { commands } from "../support/Process.ts"
import { key } from "./ScriptedService.ts"
import * as ScriptedService from "./ScriptedService.ts"

export const isRoot = process.getuid?.() === 0

const removed = (path: string) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))

/** A new folder for a runner, which the temporary folder must not be; agents of another user can enter it. */
export const runnerHome = () => {
  const folder = mkdtempSync(join(isRoot ? "/var/lib" : homedir(), ".gatehouse-test-"))
  chmodSync(folder, 0o711)
  return folder
}

const runnerFolder = Effect.acquireRelease(Effect.sync(runnerHome), removed)

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "gh-runner-"))
    chmodSync(folder, 0o755)
    return folder
  }),
  removed
)

const gitEnv = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ana",
  GIT_AUTHOR_EMAIL: "ana@acme.test",
  GIT_COMMITTER_NAME: "Ana",
  GIT_COMMITTER_EMAIL: "ana@acme.test"
}

export const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "init.defaultBranch=main", ...args], { cwd, env: gitEnv, encoding: "utf8" }).trim()

/** Files by path; a value with `x ` before it is executable. */
export type Files = Readonly<Record<string, string>>

export const put = (folder: string, files: Files) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text.startsWith("x ") ? text.slice(2) : text)
    if (text.startsWith("x ")) chmodSync(join(folder, path), 0o755)
  }
}

/** A bare repository with one commit on main. */
export const repository = (base: string, files: Files, prepare: (folder: string) => void = () => {}): string => {
  const folder = mkdtempSync(join(base, "repo-"))
  const [work, bare] = [join(folder, "work"), join(folder, "acme.git")]
  git(folder, "init", "-q", work)
  put(work, files)
  prepare(work)
  git(work, "add", "-A")
  git(work, "commit", "-q", "-m", "First")
  git(folder, "clone", "-q", "--bare", work, bare)
  return bare
}

export const gates = (...commands: ReadonlyArray<string>) =>
  JSON.stringify({
    gates: commands.map((script, index) => ({ name: `gate-${index + 1}`, command: ["/bin/sh", "-c", script] }))
  })

/** An agent that writes a failing check and then the file that makes it pass; a test replaces steps. */
export const agentScript = (steps: Partial<Record<"plan" | "spec" | "implement" | "rework", string>> = {}): string => {
  const all = {
    plan: "echo 'Write hello.txt.'",
    spec: "mkdir -p .kanman/acceptance/PAY-1; printf '#!/bin/sh\\ngrep -q world hello.txt\\n' > .kanman/acceptance/PAY-1/ac-1.sh; chmod +x .kanman/acceptance/PAY-1/ac-1.sh",
    implement: "echo 'Hello, world' > hello.txt",
    rework: "echo fixed > fixed.txt",
    ...steps
  }
  const cases = Object.entries(all).map(([step, script]) => `${step})\n${script}\n;;`)
  return `cat > "$HOME/prompt-$GATEHOUSE_STEP"\ncase "$GATEHOUSE_STEP" in\n${cases.join("\n")}\nesac\n`
}

/** Settings of a runner for tests, as the environment gives them. */
export const variables = (url: string, folder: string, command: string): Record<string, string> => ({
  SERVICE_URL: url,
  SERVICE_API_KEY: key,
  RUNNER_NAME: "test",
  RUNNER_DIR: folder,
  RUNNER_CUSTOM_COMMAND: command
})

/** A file that every user can make, so that a planted program shows itself as whichever user it runs. */
export const trapIn = ({ base }: Pick<Rig, "base">): string => {
  const folder = join(base, "open")
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  return join(folder, "trapped")
}

/** A scripted service and folders for a runner. */
export const rig = Effect.gen(function* () {
  const service = yield* ScriptedService.start
  const folder = yield* runnerFolder
  const base = yield* temporaryFolder
  return { service, folder, base }
})
export type Rig = Effect.Effect.Success<typeof rig>

/** Polls until `look` returns a value. */
export const eventually = <A>(what: () => string, look: () => A | undefined | false, seconds = 60): Effect.Effect<A> =>
  Effect.suspend(() => {
    const deadline = performance.now() + seconds * 1000
    const again: Effect.Effect<A> = Effect.suspend(() => {
      const found = look()
      if (found !== undefined && found !== false) return Effect.succeed(found)
      return performance.now() > deadline
        ? Effect.die(new Error(`not within ${seconds} s: ${what()}`))
        : Effect.zipRight(Effect.sleep(20), again)
    })
    return again
  })

/** Runs a runner in this process until the scope ends. */
export const running = Effect.fn(function* (rig: Rig, command: string, more: Readonly<Record<string, string>> = {}) {
  const lines: Array<string> = []
  const provider = ConfigProvider.fromMap(
    new Map(Object.entries({ ...variables(rig.service.url, rig.folder, command), ...more }))
  )
  const settings = yield* Config.unwrap({ all: RunnerSettings.all }).pipe(Effect.withConfigProvider(provider))
  const signals: Runner.Signals = { drain: yield* Deferred.make<void>(), now: yield* Deferred.make<void>() }
  const console = yield* Effect.console
  const fiber = yield* Runner.run(settings.all, false, signals).pipe(
    Effect.withConsole({ ...console, log: (...words) => Effect.sync(() => void lines.push(words.join(" "))) }),
    Effect.provide(FetchHttpClient.layer),
    Effect.forkScoped
  )
  const says = (pattern: RegExp) =>
    eventually(
      () => `${pattern} in\n${lines.join("\n")}`,
      () => lines.find((line) => pattern.test(line))
    )
  return {
    lines,
    signals,
    says,
    ended: Fiber.join(fiber),
    /** Drains it and returns its exit code. */
    drain: Effect.zipRight(Deferred.succeed(signals.drain, undefined), Fiber.join(fiber))
  }
})

/** Files of a runner that hold one of the texts; those that it removes meanwhile are passed over. */
export const filesWith = ({ base, folder }: Pick<Rig, "base" | "folder">, texts: ReadonlyArray<string>): string => {
  const patterns = join(base, "patterns")
  writeFileSync(patterns, texts.join("\n"))
  return spawnSync("grep", ["-rlsaF", "-f", patterns, folder], { encoding: "utf8" }).stdout
}

/** Processes whose command line has the text. A program that lists them would hold up the runner in this process. */
export const processesNaming = (text: string): ReadonlyArray<string> =>
  commands().flatMap(([pid, command]) => (command.includes(text) ? [`${pid} ${command}`] : []))
