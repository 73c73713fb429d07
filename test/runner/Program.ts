// @effect-diagnostics processEnv:off
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isRoot, type Rig, variables } from "./Rig.ts"

const path = process.env["PATH"] ?? ""

const dist = join(import.meta.dirname, "../../dist")

/** The uid of nobody, as which agents run, and as which a runner is tried that is not root. */
export const nobody = 65_534

const programs =
  "git sh bash env id test find chown sleep cat grep tr head ls touch true setsid rm mkdir chmod printf sort kill".split(
    " "
  )

/** A folder of programs without unshare, as on a machine that allows no namespaces. */
const withoutNamespaces = (base: string): string => {
  const folder = join(base, "bin")
  mkdirSync(folder)
  for (const name of programs) {
    const found = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].map((place) => join(place, name)).find(existsSync)
    if (found !== undefined) symlinkSync(realpathSync(found), join(folder, name))
  }
  return folder
}

export interface Way {
  /** Runs it as nobody, when the test is root. */
  readonly unprivileged?: boolean
  readonly namespaces?: boolean
  readonly input?: string
  readonly wrapped?: ReadonlyArray<string>
  readonly args?: ReadonlyArray<string>
}

/** The program as `npm start` runs it, where every user can read it. */
export const launch = Effect.fn(function* (
  rig: Rig,
  command: string,
  more: Readonly<Record<string, string>>,
  way: Way = {}
) {
  const place = join(rig.base, "program")
  if (!existsSync(place)) {
    mkdirSync(place)
    for (const name of ["main.js", "gatehouse.cjs"]) cpSync(join(dist, name), join(place, name))
    writeFileSync(join(place, "package.json"), '{"type":"module"}')
  }
  const isOther = way.unprivileged === true && isRoot
  if (isOther) {
    chmodSync(rig.folder, 0o700)
    chownSync(rig.folder, nobody, nobody)
  }
  const argv = [...(way.wrapped ?? []), process.execPath, join(place, "main.js"), "runner", ...(way.args ?? [])]
  const env = {
    PATH: way.namespaces === false ? withoutNamespaces(rig.base) : path,
    HOME: rig.folder,
    ...variables(rig.service.url, rig.folder, command),
    ...more
  }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(argv[0] ?? "", argv.slice(1), {
        cwd: "/",
        env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== "")),
        detached: true,
        stdio: "pipe",
        ...(isOther && { uid: nobody, gid: nobody })
      })
    ),
    (started) =>
      Effect.sync(() => {
        try {
          if (started.pid !== undefined) process.kill(-started.pid, "SIGKILL")
        } catch {
          // It has ended already.
        }
      })
  )
  let text = ""
  let code: number | null | undefined
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => (text += String(chunk)))
  child.on("close", (status) => (code = status))
  child.stdin.on("error", () => {})
  child.stdin.end(way.input ?? "")
  return { child, text: () => text, code: () => code }
})
