import { type Duration, Effect } from "effect"
import { chmod, mkdir } from "node:fs/promises"
import { join } from "node:path"
import { cut, printable } from "../../../domain/value/Text.ts"
import { redactStart } from "../SecretRedaction.ts"
import { described, type Ending, run } from "../process/Child.ts"
import { erase, give } from "../process/Folder.ts"
import type { Site } from "./Site.ts"

export interface Check {
  readonly name: string
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly input?: string
  readonly limit: Duration.Duration
}

export interface Checked {
  readonly name: string
  readonly ending: Ending
  readonly isPassed: boolean
  /** How it ended and the last of its output. */
  readonly summary: string
  /** The last of its output, for the agent that corrects it. */
  readonly tail: string
}

/** Lines of output that are kept. */
const mostLines = 60

/** Characters of a kept line; it is cut after it is redacted. */
const mostLine = 2000

/**
 * Runs checks with an empty home and temporary folder, which are removed afterwards: settings that the agent wrote to its
 * own (`~/.npmrc`) are in no diff and must not decide a result.
 */
export const apart = <A, E, R>(site: Site, use: (site: Site) => Effect.Effect<A, E, R>) => {
  const { bench, grant } = site
  const folder = join(bench.places.attempt(grant.run.key, grant.run.attempt), "checks")
  const made = Effect.gen(function* () {
    yield* erase(folder)
    yield* Effect.promise(async () => {
      await mkdir(folder)
      await chmod(folder, 0o711)
    })
    const home = yield* give(join(folder, "home"), bench.isolation)
    const temporary = yield* give(join(folder, "tmp"), bench.isolation)
    return { ...site.env, HOME: home, TMPDIR: temporary }
  })
  return Effect.acquireUseRelease(
    made,
    (env) => use({ ...site, env }),
    () => erase(folder)
  )
}

/** Runs a gate or a check in the working tree, as the agent's user. */
export const check = Effect.fn("Check.run")(function* (site: Site, { command, input = "", limit, name }: Check) {
  const last: Array<string> = []
  site.line.log(`[${name}] ${command.join(" ")}`)
  const ending = yield* run({
    argv: command,
    cwd: site.tree.path,
    env: site.env,
    input,
    isolation: site.bench.isolation,
    clocks: { total: limit },
    onLine: (line) => {
      site.line.log(`[${name}] ${line}`)
      last.push(line)
      if (last.length > mostLines) last.shift()
    },
    onStart: site.onStart
  })
  site.line.log(`[${name}] ${described(ending)}`)
  const kept = last.map((line) => redactStart(site.redact, printable(line), mostLine))
  const isPassed = ending.type === "exited" && ending.code === 0
  const words = kept.slice(-3).join(" ").trim()
  const checked: Checked = {
    name,
    ending,
    isPassed,
    summary: cut([described(ending), words].filter((text) => text !== "").join(": "), 500),
    tail: kept.join("\n")
  }
  return checked
})

/** True when it says nothing about the work: it could not run, or did not end. */
export const isUnusable = ({ ending }: Checked): boolean =>
  ending.type !== "exited" || ending.code === 126 || ending.code === 127
