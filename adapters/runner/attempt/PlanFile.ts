import { Effect } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Site } from "./Site.ts"

const fileOf = ({ bench, grant }: Site) => join(bench.places.entries, `${grant.run.key}-${grant.run.attempt}.plan`)

/** Keeps the plan of an attempt on this machine, for the prompts of its later steps. */
export const writePlan = (site: Site, plan: string) =>
  Effect.promise(() => writeFile(fileOf(site), plan, { mode: 0o600 }))

export const readPlan = (site: Site) => Effect.promise(() => readFile(fileOf(site), "utf8").catch(() => null))
