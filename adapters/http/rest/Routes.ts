import * as HttpApi from "@effect/platform/HttpApi"
import { Api } from "../../api/Api.ts"

/** A route of the definitions. */
export interface Endpoint {
  readonly method: string
  readonly path: string
  /** Matches its paths. */
  readonly matches: RegExp
  /** Matches its paths whose keys hold no escaped character, and captures the key. */
  readonly plain: RegExp
}

const matcher = (path: string, key: string) =>
  new RegExp(`^${path.replace(/\/$/, "").replace(/:[A-Za-z]+/g, key) || "/"}$`)

const endpoints = new Map<string, Endpoint>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, name, path } }) =>
    endpoints.set(name, { method, path, matches: matcher(path, "[^/]+"), plain: matcher(path, "([\\w-]{1,100})") })
})

/** The route of a name in the definitions. */
export const endpoint = (name: string): Endpoint => {
  const found = endpoints.get(name)
  if (found === undefined) throw new Error(`the definitions have no endpoint ${name}`)
  return found
}

const routes = [...endpoints.values(), { method: "GET", path: "/docs", matches: /^\/docs$/ }]

/** The methods of a path; none when there is no such route. */
export const allowed = (path: string): ReadonlyArray<string> => {
  const methods = new Set(routes.filter((route) => route.matches.test(path)).map((route) => route.method))
  return methods.has("GET") ? [...methods, "HEAD"] : [...methods]
}

const gonePaths = /^(\/v1)?(\/(projects|tasks)(\/.*)?|\/boards\/[^/]+\/projects(\/.*)?)$/

/** The replacement of a removed path of the first API version, if it is one. */
export const successorOf = (path: string): string | null =>
  gonePaths.test(path) ? (/^(\/v1)?\/tasks/.test(path) ? "GET /v1/teams/{team}/stories" : "GET /v1/teams") : null

/** First segments of the API's paths, present and gone. */
export const segments: ReadonlyArray<string> = [
  ...new Set([...routes.map(({ path }) => path.split("/", 2)[1] ?? ""), "projects", "tasks"])
]
