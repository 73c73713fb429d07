// @effect-diagnostics processEnvInEffect:off
import { spawn } from "node:child_process"
import { homedir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { agent } from "./Scripts.ts"

const isRoot = process.getuid?.() === 0

/** Folder of the demo's runner, apart from that of a real one; another user cannot enter the home of root. */
const folder = isRoot ? "/var/lib/gatehouse-runner-demo" : join(homedir(), ".gatehouse-runner-demo")

/** Starts a runner beside this process, hands it the key by a pipe, and stops it with the scope. */
export const start = (url: string, team: string, token: Redacted.Redacted, onLine: (line: string) => void) =>
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
      })
  )
