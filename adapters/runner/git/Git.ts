import { Data, Duration, Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import { devNull } from "node:os"
import { cut } from "../../../domain/value/Text.ts"
import type { GitTokens } from "../../RunnerSettings.ts"
import { valuesOf } from "../process/Environment.ts"
import type { Isolation } from "../process/Isolation.ts"

export class GitFailed extends Data.TaggedError("GitFailed")<{
  readonly command: string
  readonly problem: string
  /** True when the files of the agent are the reason, so that the next try fails too. */
  readonly isOfFiles?: boolean
}> {
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
  /** Text, or the command whose output it is. */
  readonly input?: string | (Pick<Call, "args" | "env" | "account"> & { readonly input: string })
  readonly limit?: Duration.DurationInput
  /** Latin-1 keeps every byte of names that are not UTF-8, in the input and in the output. */
  readonly encoding?: "latin1"
  /** An exit code besides 0 that is an answer. */
  readonly answer?: number
  /** The user it runs as; undefined is the runner's own. */
  readonly account?: Isolation["account"]
}

const mostOutput = 33_554_432

const lastLines = (text: string) => cut(fields(text).slice(-5).join(" "), 600)

const failed = ({ args }: Call, problem: string) => new GitFailed({ command: args[0], problem })

/** Starts git; `end` is called once with its failure, if any. */
const start = (call: Call, end: (failure: GitFailed | null) => void) => {
  const child = spawn("git", call.args, { cwd: "/", env: call.env, detached: true, stdio: "pipe", ...call.account })
  let errors = ""
  child.once("error", (error) => end(failed(call, error.message)))
  // Without a free file descriptor a child has no streams either.
  const isStarted = child.pid !== undefined
  if (isStarted) {
    child.stderr.on("data", (chunk: Buffer) => (errors = `${errors}${chunk}`.slice(-8192)))
    child.stdin.on("error", () => {})
  }
  child.once("close", (code, signal) =>
    end(code === 0 || code === call.answer ? null : failed(call, lastLines(errors) || (signal ?? `exit code ${code}`)))
  )
  const stop = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    } catch {
      // It has ended already.
    }
  }
  return { child, stop, isStarted }
}

/** Runs git to its end and returns its output. */
export const git = (call: Call): Effect.Effect<string, GitFailed> =>
  Effect.async<string, GitFailed>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const { child, isStarted, stop } = start(call, (failure) =>
      resume(
        size > mostOutput
          ? failed(call, "it printed too much")
          : (failure ?? Effect.succeed(Buffer.concat(chunks).toString(call.encoding)))
      )
    )
    if (!isStarted) return
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= mostOutput) chunks.push(chunk)
      else stop()
    })
    const { input = "" } = call
    if (typeof input === "string") {
      child.stdin.end(input, call.encoding ?? "utf8")
      return Effect.sync(stop)
    }
    const source = start(input, (failure) => {
      if (failure === null) return
      resume(failure)
      stop()
    })
    if (source.isStarted) {
      source.child.stdin.end(input.input)
      source.child.stdout.pipe(child.stdin)
    }
    return Effect.sync(() => {
      source.stop()
      stop()
    })
  }).pipe(
    Effect.timeoutFail({
      duration: call.limit ?? Duration.minutes(2),
      onTimeout: () =>
        failed(call, `it did not end within ${Duration.format(Duration.decode(call.limit ?? Duration.minutes(2)))}`)
    })
  )

/** Lines or NUL-separated fields of an output. */
export const fields = (output: string, separator = "\n"): ReadonlyArray<string> =>
  output.split(separator).filter((field) => field !== "")
