import { closeSync } from "node:fs"
import { join } from "node:path"
import { attempt } from "./EmbeddedErrors.ts"
import * as Flock from "./Flock.ts"
import * as Lock from "./Lock.ts"
import * as Process from "./Process.ts"
import * as WaitFor from "./WaitFor.ts"

/**
 * A server locks this file through a descriptor that all its processes inherit: the lock lasts until the last one ends.
 * Postgres's own guards, a pid and shared memory, do not reach into another container.
 */
const file = (data: string) => join(data, "gatehouse.lock")

/** Refuses data that a server in another container or machine has open, unless that server ends at once. */
export const refuseElsewhere = (data: string) => {
  const path = file(data)
  const isOurs = attempt(`lock ${path}`, () => {
    const descriptor = Flock.take(path)
    if (descriptor !== undefined) closeSync(descriptor)
    return descriptor !== undefined || Flock.holder(path).isHere ? true : undefined
  })
  const reason = () =>
    `a server of another container or machine (host '${Flock.holder(path).host}') has ${data} open, and two servers ` +
    "would destroy the data. Stop that one first, or give this one a DATA_DIR of its own. Instances in several " +
    "containers can only share a server that all of them reach."
  return WaitFor.until(isOurs, reason, "3 seconds", "100 millis")
}

/** Children of a killed server go on until they next check for it. */
const killOrphans = (data: string) => {
  if (Process.workingIn(data).some((pid) => Process.serves(pid, data))) return
  for (const pid of Process.workingIn(data, "postgres: gatehouse: ")) Process.kill(pid, "SIGKILL")
}

/** Locks the data for a server to start; no server runs, so leftover processes of one must end first. */
export const holding = (data: string) =>
  Lock.holding(file(data), {
    reason: () => `processes of a server that was killed still have ${data} open.`,
    meanwhile: () => killOrphans(data)
  })
