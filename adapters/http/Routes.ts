import * as HttpApi from "@effect/platform/HttpApi"
import { Api } from "../api/Api.ts"

const matcher = (path: string) => new RegExp(`^${path.replace(/\/$/, "").replace(/:[A-Za-z]+/g, "[^/]+") || "/"}$`)

const routes: Array<{ readonly method: string; readonly matches: RegExp }> = [{ method: "GET", matches: /^\/docs$/ }]
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => routes.push({ method: endpoint.method, matches: matcher(endpoint.path) })
})

/** The methods of a path; none when there is no such route. */
export const allowed = (path: string): ReadonlyArray<string> => {
  const methods = new Set(routes.filter((route) => route.matches.test(path)).map((route) => route.method))
  return methods.has("GET") ? [...methods, "HEAD"] : [...methods]
}

const gonePaths = /^(\/v1)?(\/(projects|tasks)(\/.*)?|\/boards\/[^/]+\/projects(\/.*)?)$/

/** The replacement of a removed path of the first API version, if it is one. */
export const successorOf = (path: string): string | null =>
  gonePaths.test(path) ? (/^(\/v1)?\/tasks/.test(path) ? "GET /v1/teams/{team}/stories" : "GET /v1/teams") : null
