import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"
import { UnsupportedMediaType } from "../../api/HttpErrors.ts"
import * as RequestBody from "../server/RequestBody.ts"

/** Fields of a form: the first value of a name, all values of a name. */
export interface Form {
  readonly get: (name: string) => string
  readonly all: (name: string) => ReadonlyArray<string>
}

export const formOf = (sent: URLSearchParams): Form => {
  // A browser sends the line ends of a text area as CRLF; NUL has no place in any text.
  const clean = (value: string) => value.replaceAll("\r\n", "\n").replaceAll("\0", "\uFFFD")
  return {
    get: (name) => clean(sent.get(name) ?? ""),
    all: (name) => sent.getAll(name).map(clean)
  }
}

export const noForm = formOf(new URLSearchParams())

/** Reads a form in the encoding that browsers send by default. */
export const read = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const encoding = request.headers["content-encoding"] ?? "identity"
  const type = request.headers["content-type"] ?? ""
  const body = yield* RequestBody.bytes(toIncomingMessage(request), RequestBody.largestBody)
  if (body.length > 0 && !/^application\/x-www-form-urlencoded(\s*;|$)/i.test(type))
    return yield* new UnsupportedMediaType({
      allowed: "as 'Content-Type: application/x-www-form-urlencoded'",
      received: type.slice(0, 200)
    })
  if (encoding.toLowerCase() !== "identity")
    return yield* new UnsupportedMediaType({
      allowed: "without Content-Encoding",
      received: `Content-Encoding: ${encoding.slice(0, 200)}`
    })
  return formOf(new URLSearchParams(new TextDecoder().decode(body)))
})
