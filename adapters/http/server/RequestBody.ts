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

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Text of a body that is declared as JSON without an encoding; fails for bytes that are not UTF-8. */
export const textOf = ({ headers }: IncomingMessage, body: Buffer) => {
  const type = headers["content-type"]
  const encoding = headers["content-encoding"]
  if (type !== undefined && !isJson(type))
    return new UnsupportedMediaType({
      allowed: "as 'Content-Type: application/json'",
      received: type.slice(0, 200)
    })
  if (encoding !== undefined && encoding !== "identity")
    return new UnsupportedMediaType({
      allowed: "without Content-Encoding",
      received: `Content-Encoding: ${encoding.slice(0, 200)}`
    })
  return Effect.try({ try: () => utf8.decode(body), catch: () => new InvalidJson({ problem: "it is not UTF-8" }) })
}

export const isTooDeep = (body: Buffer, deepest: number) =>
  isNestedDeeper({ length: body.length, charCodeAt: (index) => body[index] ?? 0 }, deepest)

/** Reads the JSON value of a request's body: checks size, then type, then depth and syntax. */
export const json = Effect.fnUntraced(function* (request: IncomingMessage, limit = largestBody, deepest = Infinity) {
  const body = yield* bytes(request, limit)
  const text = yield* textOf(request, body)
  if (deepest < Infinity && isTooDeep(body, deepest))
    return yield* new InvalidJson({ problem: `it is nested over ${deepest} deep` })
  if (body.length === 0) return yield* new InvalidJson({ problem: "it is empty" })
  return yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (error) => new InvalidJson({ problem: String(error instanceof Error ? error.message : error).slice(0, 200) })
  })
})
