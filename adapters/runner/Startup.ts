import { ConfigError, Effect, Option, Redacted } from "effect"
import { closeSync, fstatSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { keyMissing, type RunnerSettings, wrongKeyFile } from "../RunnerSettings.ts"
import { forget, showing } from "./process/Environment.ts"
import { type Isolation, outputOf } from "./process/Isolation.ts"
import { identityOf } from "./process/Survivors.ts"
import * as Records from "./Records.ts"

const wrong = (name: string, problem: string) => Effect.fail(ConfigError.InvalidData([name], problem))

const isReadableBy = (
  file: { readonly mode: number; readonly uid: number; readonly gid: number },
  uid: number,
  gid: number
) =>
  uid === file.uid
    ? (file.mode & 0o400) !== 0
    : gid === file.gid
      ? (file.mode & 0o040) !== 0
      : (file.mode & 0o004) !== 0

/** Reads a key file that no agent can read; a pipe is read up once. */
const readKeyFile = (path: string, isolation: Isolation) =>
  Effect.try({
    try: () => {
      // A socket, which Node makes of a pipe to a child, cannot be opened by its path.
      const descriptor = path === "/dev/stdin" ? 0 : openSync(path, "r")
      try {
        const status = fstatSync(descriptor)
        const uid = isolation.account?.uid ?? process.getuid?.() ?? -1
        const gid = isolation.account?.gid ?? process.getgid?.() ?? -1
        return {
          isOpen: status.isFile() && isReadableBy(status, uid, gid),
          text: readFileSync(descriptor, "utf8").trim()
        }
      } finally {
        closeSync(descriptor)
      }
    },
    catch: (error) => wrongKeyFile(path, `cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }).pipe(
    Effect.filterOrFail(
      ({ isOpen }) => !isOpen,
      () =>
        wrongKeyFile(
          path,
          isolation.account === undefined
            ? "can be read by agents, which run as the same user. Pass the key through /dev/stdin or SERVICE_API_KEY, or run the runner as root"
            : "can be read by the user of the agents. Make it readable for root only: chmod 600"
        )
    ),
    Effect.filterOrFail(
      ({ text }) => /^tk_[A-Za-z0-9]{32}$/.test(text),
      () => wrongKeyFile(path, "must hold an API token: tk_ and 32 letters or digits")
    ),
    Effect.map(({ text }) => Redacted.make(text))
  )

/** The key of the service; afterwards neither the environment nor /proc shows it, and no agent can find it. */
export const takeKey = Effect.fn("Startup.takeKey")(function* (settings: RunnerSettings, isolation: Isolation) {
  yield* Effect.sync(() => forget(["SERVICE_API_KEY", "GIT_TOKENS"]))
  const key = Option.isSome(settings.key)
    ? settings.key.value
    : Option.isSome(settings.keyFile)
      ? yield* readKeyFile(settings.keyFile.value, isolation)
      : yield* Effect.fail(keyMissing)
  if (isolation.prefix.length > 0) return key
  const secrets = [key, ...settings.gitTokens.values()].map((secret) => Redacted.value(secret))
  const shown = secrets.flatMap((secret) => showing(secret, isolation.account?.uid))
  if (shown.length > 0)
    return yield* wrong(
      "SERVICE_API_KEY",
      `SERVICE_API_KEY or GIT_TOKENS can be read by agents in the environment of process ${[...new Set(shown)].join(", ")}. ` +
        "Start the runner without npm or a shell that exports them, as 'node dist/main.js runner', or as root"
    )
  return key
})

/** git as old as Debian 12 has it. */
const oldest = [2, 39] as const

export const requireGit = Effect.gen(function* () {
  const output = yield* outputOf(["git", "--version"], undefined)
  const [, major, minor] = /(\d+)\.(\d+)/.exec(output ?? "") ?? []
  const isNew = Number(major) > oldest[0] || (Number(major) === oldest[0] && Number(minor) >= oldest[1])
  if (!isNew)
    return yield* wrong("PATH", `The runner needs git ${oldest.join(".")} or newer in PATH; found ${output ?? "none"}`)
})

/** Agents run as another user than root, who must reach the folder of working trees. */
export const requireReach = Effect.fn("Startup.requireReach")(function* (
  settings: RunnerSettings,
  isolation: Isolation,
  work: string
) {
  if (isolation.account !== undefined && (yield* outputOf(["test", "-x", work], isolation.account)) === undefined)
    return yield* wrong(
      "RUNNER_DIR",
      `RUNNER_DIR '${settings.folder}' cannot be entered by ${settings.user}, the user of the agents; use a folder such as /var/lib/gatehouse-runner`
    )
})

/** A script needs to be readable too, by the interpreter that its first line names. */
const findAgent = `case "$1" in
/*) test -f "$1" -a -x "$1" && { test "$2" = binary || test -r "$1"; } ;;
*) command -v -- "$1" ;;
esac`

const firstTwo = Option.liftThrowable((path: string) => {
  const descriptor = openSync(path, "r")
  try {
    const bytes = Buffer.alloc(2)
    readSync(descriptor, bytes)
    return bytes.toString("latin1")
  } finally {
    closeSync(descriptor)
  }
})

/** The program that a command begins with; undefined where only a shell can tell, or the working tree has it. */
const programOf = (command: string): string | undefined => {
  const [, word = ""] = /^\s*([\w/.@%+:,-]+)(?=\s|$)/.exec(command) ?? []
  return word === "" || (word.includes("/") && !word.startsWith("/")) ? undefined : word
}

/** The command of the agent begins with a program that the user of the agents can execute. */
export const requireAgent = Effect.fn("Startup.requireAgent")(function* (
  { agents, customCommand, user }: Pick<RunnerSettings, "agents" | "customCommand" | "user">,
  { account }: Pick<Isolation, "account">
) {
  const program = programOf(customCommand)
  if (program === undefined || !agents.includes("custom")) return
  const kind = program.startsWith("/") && Option.contains(firstTwo(program), "#!") ? "script" : "binary"
  const found = yield* outputOf(["/bin/sh", "-c", findAgent, "sh", program, kind], account)
  if (found !== undefined) return
  const [who, way] =
    account === undefined
      ? ["the user of this runner", "make it executable with chmod +x"]
      : [
          `the user of the agents, ${user},`,
          "put it in a folder that every user may enter, such as /usr/local/bin, with chmod 755, or set RUNNER_USER to a user who can"
        ]
  return yield* wrong(
    "RUNNER_CUSTOM_COMMAND",
    `RUNNER_CUSTOM_COMMAND begins with '${program}', which ${who} ${
      program.startsWith("/") ? "cannot execute" : "does not find in PATH"
    }. Install it, and ${way}`
  )
})

export const unknownUser = (user: string) =>
  ConfigError.InvalidData(
    ["RUNNER_USER"],
    `RUNNER_USER must be the name of a user of this machine other than root; got '${user}'`
  )

/** Makes the folders of the runner. */
export const openPlaces = (folder: string) =>
  Effect.catchAll(
    Effect.try(() => Records.open(folder)),
    ({ cause }) =>
      wrong(
        "RUNNER_DIR",
        `RUNNER_DIR '${folder}' cannot be made or written: ${cause instanceof Error ? cause.message : String(cause)}; set another RUNNER_DIR`
      )
  )

/** Two runners in one folder would end each other's processes. */
export const claim = (folder: string) => {
  const file = join(folder, "runner.pid")
  const take = Effect.suspend(() => {
    const found = Option.getOrElse(Option.liftThrowable(() => readFileSync(file, "utf8"))(), () => "")
    const pid = Number.parseInt(found, 10)
    if (pid > 0 && pid !== process.pid && identityOf(pid) === found)
      return wrong(
        "RUNNER_DIR",
        `RUNNER_DIR '${folder}' is used by another runner, process ${pid}; set another RUNNER_DIR`
      )
    return Effect.sync(() => writeFileSync(file, identityOf(process.pid) ?? `${process.pid}`, { mode: 0o600 }))
  })
  return Effect.acquireRelease(take, () => Effect.sync(() => rmSync(file, { force: true })))
}
