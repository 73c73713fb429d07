import { Effect, Either } from "effect"
import { gunzip } from "node:zlib"
import { UnreadableAlert } from "../../../domain/oncall/Signal.ts"
import { PayloadTooLarge, UnsupportedMediaType } from "../../api/HttpErrors.ts"

type Unpacked = Either.Either<Uint8Array, UnreadableAlert>

/** Decompresses to at most `limit` bytes, regardless of the compression ratio. */
const unzipped = (body: Uint8Array, limit: number) =>
  Effect.async<Unpacked, PayloadTooLarge>((resume) =>
    gunzip(body, { maxOutputLength: limit }, (error, content) => {
      if (error === null) return resume(Effect.succeed(Either.right(content)))
      const isTooLarge = "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
      const unreadable = new UnreadableAlert({ problem: "the body is not gzip, which its Content-Encoding says" })
      resume(isTooLarge ? new PayloadTooLarge({ limit }) : Effect.succeed(Either.left(unreadable)))
    })
  )

/** Decodes the content of a delivery by its `Content-Encoding`. */
export const contentBy = (body: Uint8Array, encoding: string | undefined, limit: number) => {
  const word = encoding?.trim().toLowerCase() ?? ""
  if (word === "" || word === "identity") return Effect.succeed<Unpacked>(Either.right(body))
  if (word === "gzip" || word === "x-gzip") return unzipped(body, limit)
  return new UnsupportedMediaType({
    allowed: "with 'Content-Encoding: gzip' or with none",
    received: `Content-Encoding: ${word.slice(0, 200)}`
  })
}
