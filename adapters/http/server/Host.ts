import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { DateTime, Effect } from "effect"
import { requestsPerMinute, untouched } from "../../../domain/workspace/RateLimit.ts"
import { secured } from "./PageSecurity.ts"
import { begin, Exchange, type Headers, type Notes } from "./RequestNotes.ts"

/** An application that shares the server. It answers all requests, decides on access, and has its own form of errors. */
export interface Application<R> {
  /** First segments of its paths. */
  readonly segments: ReadonlyArray<string>
  readonly app: HttpApp.Default<never, R>
}

/** Masks the address of a source, which is half of a secret, and sign-in links, also in a misspelt path. */
export const shown = (path: string) => path.replace(/(signals\/|hooks\/|sign-in\/|gtl_).+/i, "$1…").slice(0, 200)

export const pathOf = (url: string) => url.split("?", 1)[0] ?? "/"

const segmentOf = (path: string) => path.split("/", 2)[1] ?? ""

/** Headers of every response. */
export const headersOf = ({ headers, requestId, window }: Notes): Record<string, string> => {
  const { remaining, resetAt } = window ?? untouched(DateTime.unsafeNow())
  return {
    "x-ratelimit-limit": String(requestsPerMinute),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(Math.ceil(DateTime.toEpochMillis(resetAt) / 1000)),
    "x-request-id": requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers
  }
}

/** Logs a line for each request. */
export const noted = (method: string, path: string, status: number, { requestId }: Notes): Effect.Effect<void> =>
  Effect.logDebug(`${method} ${shown(path)} ${status}`).pipe(Effect.annotateLogs({ requestId }))

/** True when the header names `text/html`; `*` alone does not, since command-line clients send it. */
export const acceptsHtml = (accept: string | undefined): boolean =>
  (accept ?? "").split(",").some((one) => {
    const [type = "", ...parameters] = one.split(";").map((part) => part.trim().toLowerCase())
    return type === "text/html" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })

/** True for a request of a browser: to show a page, or by a script to replace a part of one. */
export const wantsPage = (headers: Headers): boolean =>
  headers["hx-request"] !== undefined || acceptsHtml(String(headers["accept"] ?? ""))

/** Applications by segment; two of them must not own the same one. */
const owners = <R>(applications: ReadonlyArray<Application<R>>) => {
  const owned = new Map<string, HttpApp.Default<never, R>>()
  for (const { app, segments } of applications)
    for (const segment of segments) {
      if (owned.has(segment)) throw new Error(`two applications own /${segment}`)
      owned.set(segment, app)
    }
  return owned
}

/**
 * Serves several applications, each at its segments, and adds the headers of every response. Of the other paths, a browser
 * gets the error page of the web application and a client the error of the API.
 */
export const host = <R>(
  api: Application<R>,
  web: Application<R>,
  more: ReadonlyArray<Application<R>> = []
): HttpApp.Default<never, R> => {
  const owned = owners([api, web, ...more])
  return Effect.gen(function* () {
    // A proxy may send the whole address instead of the path.
    const sent = yield* HttpServerRequest.HttpServerRequest
    const request = sent.modify({ url: sent.url.replace(/^https?:\/\/[^/?]*/i, "") || "/" })
    const exchange = begin(request.headers)
    const path = pathOf(request.url)
    const app = owned.get(segmentOf(path)) ?? (wantsPage(request.headers) ? web : api).app
    const response = yield* app.pipe(
      Effect.provideService(Exchange, exchange),
      Effect.provideService(HttpServerRequest.HttpServerRequest, request)
    )
    if (response.status === 413) exchange.headers["connection"] = "close"
    yield* noted(request.method, path, response.status, exchange)
    return HttpServerResponse.setHeaders(secured(response, path), headersOf(exchange))
  })
}
