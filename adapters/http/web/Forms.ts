import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { type DateTime, Deferred, Effect, Option, Schema } from "effect"
import { parse } from "../../../domain/value/Timestamp.ts"
import { UnsupportedMediaType } from "../../api/HttpErrors.ts"
import * as RequestBody from "../server/RequestBody.ts"

/** Fields of a form: the first value of a name, all values of a name. */
export interface Form {
  readonly get: (name: string) => string
  readonly all: (name: string) => ReadonlyArray<string>
  /** All fields in the order they were sent. */
  readonly text: string
}

export const formOf = (sent: URLSearchParams): Form => {
  // A browser sends the line ends of a text area as CRLF; NUL has no place in any text.
  const clean = (value: string) => value.replaceAll("\r\n", "\n").replaceAll("\0", "\uFFFD")
  return {
    get: (name) => clean(sent.get(name) ?? ""),
    all: (name) => sent.getAll(name).map(clean),
    text: sent.toString()
  }
}

/** The version that a form began with, or null without a readable one. */
export const versionIn = (form: Form): DateTime.Utc | null => Option.getOrNull(parse(form.get("updatedAt")))

export const unversioned =
  "The field updatedAt must hold the time of the version that this form began with. Nothing was saved. Load the page again."

export const noForm = formOf(new URLSearchParams())

/** Percent-encoding takes up to 9 bytes a character: room for 100,000 characters of any script. */
const largestForm = 1_048_576

const mostSeconds = 60

export class FormTooSlow extends Schema.TaggedError<FormTooSlow>()("FormTooSlow", {}) {
  override get message() {
    return `The form did not arrive within ${mostSeconds} seconds. Nothing was saved. Go back and send it again, by a faster connection.`
  }
}

type Request = HttpServerRequest.HttpServerRequest

const arriving = new WeakMap<Request, Deferred.Deferred<void>>()

/** Waits until the form of a request has arrived; null when none is on its way. */
export const arrival = (request: Request): Effect.Effect<void> | null => {
  const form = arriving.get(request)
  return form === undefined ? null : Deferred.await(form)
}

const bytesOf = Effect.fnUntraced(function* (request: Request, limit: number) {
  const arrived = yield* Deferred.make<void>()
  arriving.set(request, arrived)
  return yield* RequestBody.bytes(toIncomingMessage(request), limit).pipe(
    Effect.timeoutFail({ duration: `${mostSeconds} seconds`, onTimeout: () => new FormTooSlow() }),
    Effect.ensuring(
      Effect.suspend(() => {
        arriving.delete(request)
        return Deferred.succeed(arrived, undefined)
      })
    )
  )
})

/** Reads a form in the encoding that browsers send by default. */
export const read = Effect.fnUntraced(function* (request: Request, limit = largestForm) {
  const encoding = request.headers["content-encoding"] ?? "identity"
  const type = request.headers["content-type"] ?? ""
  const body = yield* bytesOf(request, limit)
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
