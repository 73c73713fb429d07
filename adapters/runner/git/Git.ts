import { Data, Duration, Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import { devNull } from "node:os"
import { cut } from "../../../domain/value/Text.ts"
import type { GitTokens } from "../../RunnerSettings.ts"
import { valuesOf } from "../process/Environment.ts"

export class GitFailed extends Data.TaggedError("GitFailed")<{ readonly command: string; readonly problem: string }> {
  override get message() {
    return `git ${this.command} failed: ${this.problem}`
  }
}

/** Settings of every git command; a repository cannot change them, and its files only name filters that are not defined. */
const settings: Readonly<Record<string, string>> = {
  "core.hooksPath": devNull,
  "core.fsmonitor": "false",
  "core.untrackedCache": "false",
  "core.attributesFile": devNull,
  "core.excludesFile": devNull,
  "core.quotePath": "false",
  "core.autocrlf": "false",
  "core.sshCommand": "ssh -oBatchMode=yes",
  "credential.helper": "",
  "diff.ignoreSubmodules": "all",
  "submodule.recurse": "false",
  "fetch.recurseSubmodules": "false",
  "push.recurseSubmodules": "no",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "protocol.version": "2",
  "http.followRedirects": "initial"
}

/** The credential of a host, for one command; neither an address, a file nor a command line ever holds it. */
const credential = (tokens: GitTokens, host: string | null): Readonly<Record<string, string>> => {
  const token = host === null ? undefined : tokens.get(host)
  return host === null || token === undefined
    ? {}
    : {
        // After a redirect git sends the header to the new host too.
        "http.followRedirects": "false",
        [`http.https://${host}/.extraHeader`]: `Authorization: Basic ${Buffer.from(`x-access-token:${Redacted.value(token)}`).toString("base64")}`
      }
}

const configured = (config: Readonly<Record<string, string>>) =>
  Object.fromEntries([
    ["GIT_CONFIG_COUNT", `${Object.keys(config).length}`],
    ...Object.entries(config).flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value]
    ])
  ])

/** The environment of a git command. */
export const environment = (
  tokens: GitTokens,
  host: string | null,
  more: Readonly<Record<string, string>> = {}
): Readonly<Record<string, string>> => ({
  ...valuesOf([
    "PATH",
    "HOME",
    "SSH_AUTH_SOCK",
    "HTTPS_PROXY",
    "https_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "GIT_SSL_CAINFO"
  ]),
  LC_ALL: "C",
  GIT_ALLOW_PROTOCOL: "file:https:ssh",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "/bin/false",
  SSH_ASKPASS: "/bin/false",
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LITERAL_PATHSPECS: "1",
  ...configured({ ...settings, ...credential(tokens, host) }),
  ...more
})

export interface Call {
  readonly args: readonly [string, ...ReadonlyArray<string>]
  readonly env: Readonly<Record<string, string>>
  readonly input?: string
  readonly limit?: Duration.DurationInput
}

const mostOutput = 33_554_432

const lastLines = (text: string) => cut(fields(text).slice(-5).join(" "), 600)

/** Runs git to its end and returns its output. */
export const git = ({ args, env, input = "", limit = Duration.minutes(2) }: Call): Effect.Effect<string, GitFailed> => {
  const failed = (problem: string) => new GitFailed({ command: args[0], problem })
  return Effect.async<string, GitFailed>((resume) => {
    const child = spawn("git", args, { cwd: "/", env, detached: true, stdio: "pipe" })
    const chunks: Array<Buffer> = []
    let [size, errors] = [0, ""]
    const stop = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
      } catch {
        // It has ended already.
      }
    }
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= mostOutput) chunks.push(chunk)
      else stop()
    })
    child.stderr.on("data", (chunk: Buffer) => (errors = `${errors}${chunk}`.slice(-8192)))
    child.stdin.on("error", () => {})
    child.stdin.end(input)
    child.once("error", (error) => resume(failed(error.message)))
    child.once("close", (code, signal) =>
      resume(
        size > mostOutput
          ? failed("it printed too much")
          : code === 0
            ? Effect.succeed(Buffer.concat(chunks).toString("utf8"))
            : failed(lastLines(errors) || (signal ?? `exit code ${code}`))
      )
    )
    return Effect.sync(stop)
  }).pipe(
    Effect.timeoutFail({
      duration: limit,
      onTimeout: () => failed(`it did not end within ${Duration.format(Duration.decode(limit))}`)
    })
  )
}

/** Lines or NUL-separated fields of an output. */
export const fields = (output: string, separator = "\n"): ReadonlyArray<string> =>
  output.split(separator).filter((field) => field !== "")
