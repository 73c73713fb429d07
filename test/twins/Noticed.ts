import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Array } from "effect"
import { around, type Predicate } from "./Predicates.ts"

/** For each condition a case that notices when it is left out: a line has a case and the ids of its conditions. */
export const file = join(import.meta.dirname, "noticed.txt")

/** The same in every statement that contains the same SQL around the condition. */
export const idOf = (predicate: Predicate): string =>
  createHash("sha256").update(around(predicate)).digest("hex").slice(0, 8)

export const read = (): ReadonlyArray<{ readonly name: string; readonly ids: ReadonlyArray<string> }> =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [name = "", ids = ""] = line.split("\t")
      return { name, ids: ids.split(" ") }
    })

/** The text of the file, from the name of a case for each id. */
export const written = (cases: ReadonlyMap<string, string>): string =>
  Object.entries(Array.groupBy([...cases].toSorted(), ([, name]) => name))
    .map(([name, conditions]) => `${name}\t${conditions.map(([id]) => id).join(" ")}\n`)
    .toSorted()
    .join("")
