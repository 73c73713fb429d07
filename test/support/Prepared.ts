import { execFileSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"

/** Fills a folder with data whose slow first start is already done. */
export const fill = (folder: string) => void execFileSync("cp", ["-a", `${inject("prepared")}/.`, folder])

/** A test's own data folder, for a server that the test may stop and restart. */
export const folder = () => {
  const made = mkdtempSync(join(tmpdir(), "gh-s-"))
  fill(made)
  return made
}
