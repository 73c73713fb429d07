import { readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Duration } from "effect"
import { attempt, codeOf } from "./Failed.ts"
import * as Process from "./Process.ts"
import * as Wait from "./Wait.ts"

const generations = (folder: string) =>
  readdirSync(folder)
    .flatMap((name) => (/^lock\.\d+$/.test(name) ? [Number(name.slice(5))] : []))
    .toSorted((a, b) => a - b)

const file = (folder: string, generation: number) => join(folder, `lock.${generation}`)

/** A link holds its text from the moment it exists; of several who make the same one, one succeeds. */
const claim = (folder: string, generation: number, text: string) => {
  try {
    symlinkSync(text, file(folder, generation))
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false
    throw error
  }
}

const holder = (folder: string, generation: number) => {
  try {
    return readlinkSync(file(folder, generation))
  } catch {
    return ""
  }
}

const describeHolder = (folder: string) => {
  const [pid] = holder(folder, generations(folder).at(-1) ?? 0).split(".")
  return `process ${pid} is starting it and does not finish (${folder}).`
}

/** The newest generation is the lock and is never deleted, so a slow claim of an older one is seen to be late. */
const take = (folder: string): number | undefined => {
  const latest = generations(folder).at(-1) ?? 0
  if (latest > 0 && Process.isAlive(holder(folder, latest))) return undefined
  const mine = latest + 1
  if (!claim(folder, mine, Process.identity(process.pid) ?? "")) return undefined
  const all = generations(folder)
  const late = all.some((generation) => generation > mine)
  for (const old of late ? [mine] : all.filter((generation) => generation < mine))
    rmSync(file(folder, old), { force: true })
  return late ? undefined : mine
}

const release = (folder: string, mine: number) => {
  claim(folder, mine + 1, "free")
  rmSync(file(folder, mine), { force: true })
}

/** One process at a time, even when the one before was killed while it held the lock. */
export const hold =
  (folder: string, within: Duration.DurationInput = Wait.deadline) =>
  <A, E, R>(use: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      let mine: number | undefined
      const taken = attempt(`lock ${folder}`, () => (mine = take(folder)))
      return Wait.until(taken, () => describeHolder(folder), within).pipe(
        Effect.zipRight(use),
        Effect.ensuring(Effect.sync(() => mine !== undefined && release(folder, mine)))
      )
    })
