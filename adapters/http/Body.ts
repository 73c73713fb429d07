import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import { InvalidJson, PayloadTooLarge, UnsupportedMediaType } from "./api/Errors.ts"

export const largestBody = 65_536

const isJson = (contentType: string) =>
  /^application\/json(\s*;\s*charset\s*=\s*"?utf-8"?)?(\s*;)?$/i.test(contentType.trim())

/** Counted while it arrives, whatever its length was said to be; what is too long is not kept. */
export const bytes = (incoming: IncomingMessage, limit: number) =>
  Effect.async<Buffer, PayloadTooLarge | InvalidJson>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const settle = (end: Effect.Effect<Buffer, PayloadTooLarge | InvalidJson>) => {
      incoming.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut).pause()
      resume(end)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) settle(new PayloadTooLarge({ limit }))
      else chunks.push(chunk)
    }
    const onEnd = () => settle(Effect.succeed(Buffer.concat(chunks)))
    const onCut = () => settle(new InvalidJson({ problem: "it did not arrive whole" }))
    incoming.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut)
  })

const mostDiscarded = 128 * largestBody

/** A client that writes all of its body before it reads would miss the answer if nobody took the rest from it. */
export const discard = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.async<void>((resume) => {
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    let size = 0
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > mostDiscarded) settle()
    }
    const settle = () => {
      incoming.off("data", onData).off("end", settle).off("error", settle).off("close", settle)
      resume(Effect.void)
    }
    if (incoming.readableEnded || incoming.destroyed) return settle()
    incoming.on("data", onData).on("end", settle).on("error", settle).on("close", settle).resume()
  }).pipe(Effect.timeoutOption("2 seconds"))

/** The JSON value of a request's body: size, then type, then syntax. */
export const json = Effect.fnUntraced(function* (request: IncomingMessage) {
  const body = yield* bytes(request, largestBody)
  const type = request.headers["content-type"]
  const encoding = request.headers["content-encoding"]
  if (type !== undefined && !isJson(type)) return yield* new UnsupportedMediaType({ received: type.slice(0, 200) })
  if (encoding !== undefined && encoding !== "identity")
    return yield* new UnsupportedMediaType({ received: `Content-Encoding: ${encoding.slice(0, 200)}` })
  return yield* Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)),
    catch: (error) =>
      new InvalidJson({
        problem:
          body.length === 0
            ? "it is empty"
            : error instanceof SyntaxError
              ? error.message.slice(0, 200)
              : "it is not UTF-8"
      })
  })
})
