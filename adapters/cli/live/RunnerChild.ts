// @effect-diagnostics processEnvInEffect:off
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { agent } from "./Scripts.ts"

const isRoot = process.getuid?.() === 0

/** Folder of the demo's runner, one for each data folder; another user cannot enter the home of root. */
export const folderFor = (dataFolder: string): string => {
  const digest = createHash("sha256").update(dataFolder).digest("hex").slice(0, 12)
  return isRoot ? `/var/lib/gatehouse-runner-demo-${digest}` : join(homedir(), `.gatehouse-runner-demo-${digest}`)
}

/** Removes the folder of a runner that has ended; a runner that uses it has its process id there. */
const tidy = (folder: string) =>
  existsSync(join(folder, "runner.pid")) ? undefined : rmSync(folder, { recursive: true, force: true })

export interface Wanted {
  readonly url: string
  readonly team: string
  readonly token: Redacted.Redacted
  readonly folder: string
}

/** Starts a runner beside this process and hands it the key by a pipe; stops it and removes its folder with the scope. */
export const start = ({ folder, team, token, url }: Wanted, onLine: (line: string) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const script = process.argv[1] ?? ""
      const child = spawn(process.execPath, [...process.execArgv, script, "runner", "--json"], {
        stdio: ["pipe", "pipe", "inherit"],
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: process.env["HOME"] ?? "",
          SERVICE_URL: url,
          SERVICE_API_KEY_FILE: "/dev/stdin",
          RUNNER_NAME: "live-demo",
          RUNNER_TEAMS: team,
          RUNNER_DIR: folder,
          RUNNER_CUSTOM_COMMAND: agent,
          RUNNER_DRAIN_SECONDS: "5"
        }
      })
      child.stdin.end(Redacted.value(token))
      let rest = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        const lines = (rest + text).split("\n")
        rest = lines.pop() ?? ""
        lines.forEach(onLine)
      })
      return child
    }),
    (child) =>
      Effect.async<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGTERM")
      }).pipe(Effect.zipRight(Effect.sync(() => tidy(folder))))
  )
