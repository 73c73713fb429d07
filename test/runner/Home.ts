import { chmodSync, mkdtempSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { isRoot } from "./Rig.ts"

/** A new folder for a runner process, which the temporary folder must not be; agents of another user can enter it. */
export const runnerHome = () => {
  const folder = mkdtempSync(join(isRoot ? "/var/lib" : homedir(), ".gatehouse-test-"))
  chmodSync(folder, 0o711)
  return folder
}
