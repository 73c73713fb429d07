import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { Json } from "../../application/Json.ts"

const contentType = "application/json"

export const json = (text: string, headers: Record<string, string> = {}) =>
  HttpServerResponse.text(text, { contentType, headers })

/** Joins ready-made items into a page. */
export const page = (result: { readonly items: ReadonlyArray<string>; readonly nextCursor: string | null }) =>
  json(`{"data":[${result.items.join(",")}],"nextCursor":${JSON.stringify(result.nextCursor)}}`)

const matches = (header: string, etag: string) =>
  header === "*" || header.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === etag)

/** One resource with its ETag, or 304 when the client has it already. */
export const resource = <A>(text: Json<A> | string, headers: Record<string, string> = {}) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`
    const known = request.headers["if-none-match"]
    return known !== undefined && matches(known, etag)
      ? HttpServerResponse.empty({ status: 304, headers: { ...headers, etag } })
      : json(text, { ...headers, etag })
  })
