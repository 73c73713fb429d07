import { document, type Operation } from "../openapi/Published.ts"
import { routes } from "./RunnerWire.ts"
import type { Request } from "./Wire.ts"

/** Target of a request: an operation of the document, a page for people, a route of runners, the MCP server, or a path answered elsewhere. */
export type Place =
  | { readonly type: "operation"; readonly operation: Operation; readonly template: string }
  | { readonly type: "page" }
  | { readonly type: "wire" }
  | { readonly type: "agents" }
  | { readonly type: "refused"; readonly status: number; readonly code: string }

const matcher = (template: string) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.")}$`)

const templates = Object.entries(document.paths).map(([template, methods]) => ({
  template,
  matches: matcher(template),
  methods: new Map(Object.entries(methods).map(([method, operation]) => [method.toUpperCase(), operation]))
}))

const pages = ["/", "/docs", "/incidents/{workspace}/{incident}"].map(matcher)

/** The page of an incident exists for every valid key. */
const shown = /^\/(docs|incidents\/[a-z0-9]+(-[a-z0-9]+)*\/[iI][nN][cC]-[0-9a-hjkmnp-tv-zA-HJKMNP-TV-Z]{4})?$/

const gone = /^(\/v1)?(\/(projects|tasks)(\/.*)?|\/boards\/[^/]+\/projects(\/.*)?)$/

const isDecodable = (path: string) => {
  try {
    return decodeURIComponent(path) !== undefined
  } catch {
    return false
  }
}

/** The path of a target, which may include a host, and ends where a target ends. */
export const pathOf = (target: string): string => {
  const [read = ""] = target.trimStart().split(/[ \r\n]/, 1)
  const [path = ""] = read.replace(/^https?:\/\/[^/?]*/i, "").split("?", 1)
  return path === "" && /^https?:/i.test(read) ? "/" : path
}

/** The wire of runners is not part of the document. */
export const isOfRunners = (path: string): boolean => /^\/runner(\/|$)/.test(path)

/** The MCP server is not part of the document either. */
export const isOfAgents = (path: string): boolean => /^\/mcp(\/|$)/.test(path)

export const placeOf = ({ method, target }: Pick<Request, "method" | "target">): Place => {
  const path = pathOf(target)
  if (gone.test(path)) return { type: "refused", status: 410, code: "endpoint_gone" }
  const lost: Place = { type: "refused", status: 404, code: "route_not_found" }
  if (/[;#]/.test(path) || !isDecodable(path)) return lost
  const asked = method === "HEAD" ? "GET" : method
  const wrongMethod: Place = { type: "refused", status: 405, code: "method_not_allowed" }
  if (pages.some((page) => page.test(path)))
    return asked !== "GET" ? wrongMethod : shown.test(decodeURIComponent(path)) ? { type: "page" } : lost
  if (isOfRunners(path)) {
    const known = routes.filter(({ matches }) => matches.test(path))
    return known.length === 0 ? lost : known.some((route) => route.method === method) ? { type: "wire" } : wrongMethod
  }
  if (isOfAgents(path)) return path !== "/mcp" ? lost : method === "POST" ? { type: "agents" } : wrongMethod
  const found = templates.filter(({ matches }) => matches.test(path))
  for (const { methods, template } of found) {
    const operation = methods.get(asked)
    if (operation !== undefined) return { type: "operation", operation, template }
  }
  return found.length === 0 ? lost : wrongMethod
}
