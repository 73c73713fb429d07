import { execFileSync } from "node:child_process"
import { root, type Tally } from "./Suite.ts"

/** A claim and the tallies that show it; a tally is null when its tests did not run. */
export interface Proof {
  readonly claim: string
  readonly tallies: ReadonlyArray<Tally | null>
}

const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()

/** Commit of the checkout, marked where files other than this page differ from it. */
export const commit = (page: string) =>
  `${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain", "--", `:!${page}`) === "" ? "" : " with changes"}`

/** A row is replaced only when all of its tests ran; otherwise it stays as it was, with the commit it was measured at. */
export const rowsOf = (proofs: ReadonlyArray<Proof>, page: string, present: string): ReadonlyArray<string> =>
  proofs.map(({ claim, tallies }) => {
    const ran = tallies.filter((tally) => tally !== null)
    if (ran.length === tallies.length) {
      const figures = ran.map((tally) => tally.figures).join("<br>")
      return `| ${claim} | ${ran.every((tally) => tally.isGreen) ? figures : `**FAILED** ${figures}`} | ${present} |`
    }
    const old = page.split("\n").find((line) => line.startsWith(`| ${claim} |`))
    if (old === undefined) return `| ${claim} | not measured yet | – |`
    const [, measured = "unknown"] = /\| ([^|]+?)(?: †)? \|$/.exec(old) ?? []
    return old.replace(/\| [^|]+ \|$/, `| ${measured}${measured === present ? "" : " †"} |`)
  })
