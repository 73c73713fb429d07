import { parseUrl } from "./Text.ts"

// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

const forms = "https://host/path, ssh://user@host/path or user@host:path"

/** `user@host:path`, as git writes an ssh address. */
const scp = /^(?<user>[A-Za-z0-9_][A-Za-z0-9_.-]*)@(?<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?<path>[^\s:-][^\s]*)$/

const isPath = (address: string) => address.startsWith("/")
const isFile = (address: string) => /^file:/i.test(address)

/** True for a repository on the machine of the service. */
export const isLocal = (address: string): boolean => isPath(address) || isFile(address)

/** Path of a local repository. */
export const pathOf = (address: string): string => (isFile(address) ? address.replace(/^file:\/\//i, "") : address)

const localProblem = (address: string): string | null => {
  if (isFile(address) && !/^file:\/\/\//i.test(address)) return "must name no host: write file:///path"
  if (isFile(address) && /[%?#]/.test(address))
    return "must not hold %, ? or #: write the path itself, such as /srv/git/pay.git"
  const steps = pathOf(address).split("/")
  if (steps.some((step) => step === "." || step === "..")) return "must not hold . or .. as a step of the path"
  return steps.every((step) => step === "") ? "must name a repository, such as /srv/git/pay.git" : null
}

const urlProblem = (address: string): string | null => {
  const url = parseUrl(address)
  if (url === null || url.hostname === "" || /\s/.test(address)) return `must be ${forms}`
  if (url.password !== "" || (url.protocol === "https:" && url.username !== ""))
    return "must not hold credentials: give them to the runner in GIT_TOKENS"
  if (url.search !== "" || url.hash !== "") return "must not hold ? or #"
  if (/^(-|%2d)/i.test(url.username) || url.hostname.startsWith("-"))
    return "must not hold a user or host that begins with -"
  return /^\/*$/.test(url.pathname) ? "must name a repository after the host" : null
}

const shown = (address: string) => address.replace(/\/\/[^/@]*@/, "//…@").slice(0, 100)

const problem = (address: string, isOperator: boolean): string | null => {
  if (control.test(address)) return "must not hold control characters"
  if (address.startsWith("-")) return "must not begin with -"
  if (isLocal(address))
    return isOperator
      ? localProblem(address)
      : `is a path on the machine of the service, which only the operator sets: gatehouse team set without --as, or gatehouse import`
  if (/^(https|ssh):\/\//i.test(address)) return urlProblem(address)
  if (/^http:\/\//i.test(address)) return "must be https, not http"
  return scp.test(address) ? null : `must be ${forms}, or a path if the operator sets it`
}

/** The reason why a team cannot have a repository at this address; null if it can. */
export const problemOf = (address: string, isOperator: boolean): string | null => {
  const found = problem(address, isOperator)
  return found === null ? null : `${found}; got '${control.test(address) ? "…" : shown(address)}'`
}

/** Host with its port in lower case, by which a runner finds the token; null for a repository on the machine. */
export const hostOf = (address: string): string | null => {
  if (isLocal(address)) return null
  const host = scp.exec(address)?.groups?.["host"] ?? parseUrl(address)?.host ?? null
  return host === null ? null : host.toLowerCase()
}
