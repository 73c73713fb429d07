import { createHash } from "node:crypto"
import { parseUrl } from "../../../domain/value/Text.ts"

/** A repository that git may be asked for, or the reason that it may not. */
export type Address =
  | { readonly type: "accepted"; readonly url: string; readonly host: string | null }
  | { readonly type: "refused"; readonly reason: string }

const refused = (reason: string): Address => ({ type: "refused", reason })

const allowed = "Use a path, or an address that begins with file://, https:// or ssh://"

/** Reads the address of a repository; options, other protocols and passwords are refused. */
export const read = (text: string): Address => {
  if (/\p{Cc}/u.test(text)) return refused("it holds a control character")
  if (text === "") return refused("the team has none. Set it with 'gatehouse team set --repository'")
  if (text.startsWith("-")) return refused("it begins with '-'")
  if (text.startsWith("/")) return { type: "accepted", url: text, host: null }
  // user@host:path, but not the helper::address of git's remote helpers.
  const short = /^(?:[\w.-]+@)?([A-Za-z0-9][\w.-]*):(?!:)(?!\/\/)(.+)$/.exec(text)
  if (short) return { type: "accepted", url: text, host: short[1]?.toLowerCase() ?? null }
  const url = parseUrl(text)
  if (url === null || text.includes("::")) return refused(`it is no address of a repository. ${allowed}`)
  if (!["file:", "https:", "ssh:"].includes(url.protocol))
    return refused(`git may not use ${url.protocol}// here. ${allowed}`)
  if (url.password !== "" || (url.protocol === "https:" && url.username !== ""))
    return refused("it holds a user name or password. Set GIT_TOKENS on the runner instead")
  if (url.protocol !== "file:" && !/^[a-z0-9[]/i.test(url.hostname)) return refused("its host is not a host name")
  return { type: "accepted", url: text, host: url.protocol === "file:" ? null : url.host.toLowerCase() }
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
