import { createHash } from "node:crypto"
import { hostOf, problemOf } from "../../../domain/value/Repository.ts"

/** A repository that git may be asked for, or the reason that it may not. */
export type Address =
  | { readonly type: "accepted"; readonly url: string; readonly host: string | null }
  | { readonly type: "refused"; readonly reason: string }

const refused = (reason: string): Address => ({ type: "refused", reason })

/** Reads the address of a repository by the rules for those that teams may have. */
export const read = (text: string): Address => {
  if (text === "") return refused("the team has none. Set it with 'gatehouse team set --repository'")
  const problem = problemOf(text, true)
  return problem === null ? { type: "accepted", url: text, host: hostOf(text) } : refused(`it ${problem}`)
}

/** A folder for the mirror of an address: readable, and never the same for two. */
export const folderOf = (url: string): string => {
  const name =
    url
      .replace(/\/+$/, "")
      .replace(/\.git$/, "")
      .split(/[/:]/)
      .at(-1) ?? ""
  const hash = createHash("sha256").update(url).digest("hex").slice(0, 12)
  return `${
    name
      .replace(/[^\w.-]+/g, "-")
      .replace(/^[.-]+/, "")
      .slice(0, 40) || "repository"
  }-${hash}.git`
}
