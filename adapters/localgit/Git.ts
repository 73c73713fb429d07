import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { Effect, Either } from "effect"
import { HostFailed } from "../../application/ports/codehost/CodeHost.ts"

/** Longest duration of one command. */
const patience = "30 seconds"
const mostOutput = 4_000_000

export interface Ran {
  readonly code: number
  readonly output: string
  readonly errors: string
  /** True when the command was ended because it printed more than asked for. */
  readonly isCut: boolean
}

/**
 * Nothing of the caller's environment, of the machine's configuration, or of a repository names a program that git
 * would run: settings on the command line go before those of the repository.
 */
const environment = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin",
  HOME: "/nonexistent",
  LC_ALL: "C",
  TZ: "UTC",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ALLOW_PROTOCOL: "file:https:ssh",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_ASKPASS: "false",
  GIT_SSH_COMMAND: "false"
}

const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.alternateRefsCommand=false",
  "core.pager=cat",
  "core.attributesFile=/dev/null",
  "commit.gpgSign=false",
  "gpg.program=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.ext.allow=never"
].flatMap((setting) => ["-c", setting])

const notStarted = (error: unknown) =>
  new HostFailed({
    reason:
      error instanceof Error && "code" in error && error.code === "ENOENT"
        ? "The program git is not installed on the machine of the service. Install git 2.38 or newer."
        : `The program git could not be started on the machine of the service: ${error instanceof Error ? error.message : String(error)}.`,
    isFinal: false
  })

const unanswered = new HostFailed({ reason: "git gave no answer within 30 seconds.", isFinal: false })

export interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** Bytes of output after which the command is ended. */
  readonly most?: number
  /** Latin-1 keeps every byte of names that are not UTF-8, in the input and in the output. */
  readonly encoding?: "latin1" | "utf8"
}

/** Runs git to its end, whatever its exit code is. */
export const git = (
  args: ReadonlyArray<string>,
  { encoding = "utf8", env = {}, input = "", most = mostOutput }: Options = {}
): Effect.Effect<Ran, HostFailed> =>
  Effect.async<Ran, HostFailed>((resume) => {
    const options = { cwd: tmpdir(), env: { ...environment, ...env }, stdio: "pipe" } as const
    const spawned = Either.try(() => spawn("git", [...settings, "--no-pager", ...args], options))
    if (Either.isLeft(spawned)) {
      resume(notStarted(spawned.left))
      return
    }
    const child = spawned.right
    child.once("error", (error) => resume(notStarted(error)))
    // Where no process could be made there may be no streams either.
    if (child.pid === undefined) return
    const chunks: Array<Buffer> = []
    let [size, errors, isCut] = [0, "", false]
    child.stdout.on("data", (chunk: Buffer) => {
      if (isCut) return
      chunks.push(chunk.subarray(0, most - size))
      size += chunk.length
      if (size <= most) return
      isCut = true
      child.kill("SIGKILL")
    })
    child.stderr.on("data", (chunk: Buffer) => {
      if (errors.length < 4000) errors += chunk.toString("utf8")
    })
    child.stdin.on("error", () => {})
    child.stdin.end(input, encoding)
    child.once("close", (code) =>
      resume(
        Effect.succeed({
          code: code ?? 137,
          output: Buffer.concat(chunks).toString(encoding),
          errors: errors.trim(),
          isCut
        })
      )
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  }).pipe(Effect.timeoutFail({ duration: patience, onTimeout: () => unanswered }))

/** A command that failed in a way that nobody expects. */
export const unexpected = (command: string, { code, errors, isCut }: Ran) =>
  new HostFailed({
    reason: isCut
      ? `git ${command} printed more than ${mostOutput / 1_000_000} MB.`
      : `git ${command} failed with ${code}: ${errors.slice(0, 500)}`,
    isFinal: false
  })
