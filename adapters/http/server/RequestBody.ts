import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import { isNestedDeeper } from "../../../application/oncall/JsonBody.ts"
import { InvalidJson, PayloadTooLarge, UnsupportedMediaType } from "../../api/HttpErrors.ts"

export const largestBody = 65_536

const isJson = (contentType: string) =>
  /^application\/json(\s*;\s*charset\s*=\s*"?utf-8"?)?(\s*;)?$/i.test(contentType.trim())

/** Refuses a body by its declared length, and counts it while it arrives: a body over the limit is not kept. */
export const bytes = (incoming: IncomingMessage, limit: number) =>
  Effect.async<Buffer, PayloadTooLarge | InvalidJson>((resume) => {
    if (Number(incoming.headers["content-length"] ?? 0) > limit) return resume(new PayloadTooLarge({ limit }))
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

/** Reads the JSON value of a request's body: checks size, then type, then depth and syntax. */
export const json = Effect.fnUntraced(function* (request: IncomingMessage, limit = largestBody, deepest = Infinity) {
  const body = yield* bytes(request, limit)
  const type = request.headers["content-type"]
  const encoding = request.headers["content-encoding"]
  if (type !== undefined && !isJson(type))
    return yield* new UnsupportedMediaType({
      allowed: "as 'Content-Type: application/json'",
      received: type.slice(0, 200)
    })
  if (encoding !== undefined && encoding !== "identity")
    return yield* new UnsupportedMediaType({
      allowed: "without Content-Encoding",
      received: `Content-Encoding: ${encoding.slice(0, 200)}`
    })
  if (deepest < Infinity && isNestedDeeper({ length: body.length, charCodeAt: (index) => body[index] ?? 0 }, deepest))
    return yield* new InvalidJson({ problem: `it is nested over ${deepest} deep` })
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
