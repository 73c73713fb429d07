import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as crypto from "node:crypto"
import type { Json } from "../../../application/ports/Json.ts"

/** Sends text that is already JSON. */
export const json = (text: string, headers: Record<string, string> = {}, status = 200) =>
  HttpServerResponse.raw(text, {
    status,
    contentType: "application/json",
    contentLength: Buffer.byteLength(text),
    headers
  })

/** One page of items that are already JSON. */
export const page = <A>(result: { readonly items: Json<ReadonlyArray<A>>; readonly nextCursor: string | null }) =>
  json(`{"data":${result.items},"nextCursor":${JSON.stringify(result.nextCursor)}}`)

const matches = (header: string, etag: string) =>
  header === "*" || header.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === etag)

const digest: (text: string) => string =
  "hash" in crypto
    ? (text) => crypto.hash("sha256", text, "base64url")
    : (text) => crypto.createHash("sha256").update(text).digest("base64url")

type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** One resource with its ETag, or 304 when the client has it already. */
export const resource = <A>(text: Json<A> | string, asked: Headers, headers: Record<string, string> = {}) => {
  const etag = `"${digest(text).slice(0, 27)}"`
  const known = asked["if-none-match"]
  return typeof known === "string" && matches(known, etag)
    ? HttpServerResponse.empty({ status: 304, headers: { ...headers, etag } })
    : json(text, { ...headers, etag })
}
