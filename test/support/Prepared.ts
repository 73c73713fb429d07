import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"

/** Makes a data folder whose slow first start is already done. */
export const fill = (folder: string) => {
  mkdirSync(folder, { recursive: true })
  execFileSync("cp", ["-a", `${inject("prepared")}/.`, folder])
  return folder
}

/** A test's own data folder, for a server that the test may stop and restart. */
export const folder = () => fill(mkdtempSync(join(tmpdir(), "gh-s-")))
