import { execFileSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"

/** Fills a folder with data in which the slow first start is already done. */
export const fill = (folder: string) => void execFileSync("cp", ["-a", `${inject("prepared")}/.`, folder])

/** A data folder of a test's own, for a server which that test may end and start again. */
export const folder = () => {
  const made = mkdtempSync(join(tmpdir(), "gh-s-"))
  fill(made)
  return made
}
