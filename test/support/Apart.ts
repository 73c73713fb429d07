import { spawnSync } from "node:child_process"

const root = ["--pid", "--fork", "--mount-proc", "--kill-child=KILL"]
const user = ["--user", "--map-current-user", ...root]

/** A command prefix that runs a command in its own pid namespace, as a container does; null where this user may not. */
export const apart: ReadonlyArray<string> | null =
  [root, user]
    .map((flags) => ["unshare", ...flags])
    .find(([command = "", ...flags]) => spawnSync(command, [...flags, "true"]).status === 0) ?? null
