import { createHash } from "node:crypto"
import type { FastifyReply } from "fastify"

/** Sends text that is already JSON. */
export const json = (reply: FastifyReply, text: string) =>
  reply.header("content-type", "application/json; charset=utf-8").send(text)

const matches = (header: string, etag: string) =>
  header === "*" || header.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === etag)

/** One resource with its ETag, or 304 when the client has it already. */
export const resource = (reply: FastifyReply, known: string | undefined, text: unknown) => {
  const body = String(text)
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`
  reply.header("etag", etag)
  return known !== undefined && matches(known, etag) ? reply.code(304).send() : json(reply, body)
}
