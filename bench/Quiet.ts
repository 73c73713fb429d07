import { setTimeout as sleep } from "node:timers/promises"
import type { Service, Stage } from "./Stage.ts"

interface Left {
  readonly deliveries_left: number
  readonly jobs: number
}

/** Jobs due later do not count. */
const left = `
  SELECT (SELECT count(*)::int FROM deliveries WHERE status IN ('waiting', 'replayed')) AS deliveries_left,
    (SELECT count(*)::int FROM jobs WHERE status IN ('queued', 'running') AND (due_at IS NULL OR due_at <= now())) AS jobs`

const patience = { deliveries: 180_000, jobs: 10_000 }

/**
 * Waits until a service has no work left that would disturb the next. Every stored delivery must have been triaged;
 * jobs are waited for a while, except where no worker runs them, as in the peers.
 */
export const quiet = (stage: Stage, { database, name }: Service) =>
  stage.query(database.name, async (client) => {
    const began = performance.now()
    for (;;) {
      const { deliveries_left: deliveries, jobs } = (await client.query<Left>(left)).rows[0] as Left
      const waited = performance.now() - began
      if (deliveries > 0 && waited > patience.deliveries)
        throw new Error(`${name} left ${deliveries} deliveries waiting`)
      if (deliveries === 0 && (jobs === 0 || name !== "ours" || waited > patience.jobs)) return
      await sleep(20)
    }
  })
