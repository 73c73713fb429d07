// @effect-diagnostics processEnv:off
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** The cache of agents; other checkouts may share one. */
export const folder = process.env["AGENTS_DIR"] || join(import.meta.dirname, "../../.agents")

/** Packages of npm with the versions that were tried. */
export const programs = {
  claude: { name: "@anthropic-ai/claude-code", version: "2.1.325" },
  codex: { name: "@openai/codex", version: "0.166.0" }
} as const

/** The installed version of a program; undefined when there is none. */
export const versionOf = (program: string): string | undefined => {
  const found = Object.entries(programs).find(([name]) => name === program)
  try {
    const text = readFileSync(join(folder, "node_modules", found?.[1].name ?? "", "package.json"), "utf8")
    return (JSON.parse(text) as { readonly version: string }).version
  } catch {
    return undefined
  }
}
