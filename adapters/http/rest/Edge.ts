import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpApp from "@effect/platform/HttpApp"
import { Effect } from "effect"
import { EndpointGone } from "../../api/HttpErrors.ts"
import { pathOf } from "../server/Host.ts"
import { misrouted, refused } from "../server/JsonErrors.ts"
import { Exchange } from "../server/RequestNotes.ts"
import { allowed, successorOf } from "./Routes.ts"

/** Routing precedes authentication: a gone or missing path or a wrong method needs no token. */
const refusalOfRoute = (method: string, path: string) => {
  const successor = successorOf(path)
  return successor === null ? misrouted(allowed(path), method, path) : new EndpointGone({ successor })
}

/** Routes the requests of the API, and answers every failure in its form. */
export const edge = <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<never, R> =>
  Effect.gen(function* () {
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    const exchange = yield* Exchange
    const path = pathOf(url)
    const wrong = refusalOfRoute(method, path)
    const routed: HttpApp.Default<unknown, R> = wrong === null ? app : Effect.fail(wrong)
    return yield* Effect.catchAllCause(routed, (cause) => refused(cause, exchange, method, path))
  })
