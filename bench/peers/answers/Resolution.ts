import type { FastifyRequest } from "fastify"
import { Refusal } from "../Refusal.ts"

export interface Given {
  readonly optionId: string
  readonly note: string | null
}

const isJson = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i

/** Checks the type, then the syntax. */
const bodyOf = ({ body, headers }: FastifyRequest): unknown => {
  const type = headers["content-type"]
  if (type !== undefined && !isJson.test(type.trim()))
    throw new Refusal(415, "unsupported_media_type", "The body must be sent as application/json.")
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body as Buffer | undefined))
  } catch {
    throw new Refusal(400, "invalid_json", "The body is not JSON in UTF-8.")
  }
}

const longestNote = 4000

/** Decodes a resolution; each error names its field. */
export const givenOf = (request: FastifyRequest): Given => {
  const body = bodyOf(request)
  const refuse = (problem: string) => new Refusal(400, "invalid_request", problem)
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw refuse("The body must be an object.")
  const { note = null, optionId } = body as Readonly<Record<string, unknown>>
  if (typeof optionId !== "string") throw refuse("optionId must be a string.")
  if (note === null) return { optionId, note }
  if (typeof note !== "string" || note.includes("\0") || /\p{Surrogate}/u.test(note))
    throw refuse("note must be a string without NUL or lone surrogate characters.")
  if ([...note].length > longestNote) throw new Refusal(400, "note_too_long", `note is over ${longestNote} characters.`)
  return { optionId, note }
}
