import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Schema } from "effect"

/** Query values are text that the handlers read, so that a refusal can name the allowed values. */
export const query = (jsonSchema: object) => Schema.optional(Schema.String.annotations({ jsonSchema }))

export const paging = {
  limit: query({
    type: "integer",
    minimum: 1,
    default: 25,
    description: "Page size. More than 100 is served as 100."
  }),
  cursor: query({
    type: "string",
    description: "nextCursor of the previous page, unchanged, with the same filters. limit may change."
  })
}

export const teamFilter = query({ type: "string", description: "Team slug, in any case. An unknown one answers 404." })
export const storyFilter = query({
  type: "string",
  description: "Story key, in any case. An unknown one finds nothing."
})
export const runFilter = query({ type: "string", description: "Run key, in any case. An unknown one finds nothing." })
export const drafts = query({ type: "boolean", default: false, description: "true includes unapproved draft stories." })

export const auditTeamFilter = query({
  type: "string",
  description: "Team slug, of a deleted team too. An unknown team answers 404."
})
export const actorFilter = query({
  type: "string",
  enum: ["human", "the service", "service", "system"],
  description: "Who acted; service is another word for the service."
})
export const eventFilter = query({
  type: "string",
  description: "Event id such as decision_resolved, or the words it is shown by, such as 'Signal received'."
})
export const fromFilter = query({ type: "string", description: "Not before: a UTC day (YYYY-MM-DD) or a timestamp." })
export const toFilter = query({ type: "string", description: "Not after: a UTC day, meant whole, or a timestamp." })
export const formatFilter = query({
  type: "string",
  enum: ["csv", "json"],
  default: "json",
  description: "Kind of file."
})

/** No key is that long, so a cut key is not found either, and refusals that name it stay short. */
const longestKey = 100

const path = <Name extends string>(name: Name, description: string, example: string) =>
  HttpApiSchema.param(
    name,
    Schema.transform(
      Schema.String.annotations({ jsonSchema: { type: "string", description, examples: [example] } }),
      Schema.String,
      { strict: true, decode: (key) => key.slice(0, longestKey), encode: (key) => key }
    )
  )

export const team = path("team", "Team slug, in any case.", "payments")
export const story = path("story", "Story key, in any case.", "PAY-12")
export const run = path("run", "Run key, in any case.", "run-7f3k")
export const decision = path("decision", "Decision key, in any case.", "dec-4m2q")
export const board = path("board", "Team id, in any case.", "0b5cbb1e-6ac8-4f0e-9d1c-4b7c3f3d8f11")

/** The handler reads it, as it reads query values. */
export const idempotency = Schema.Struct({
  "idempotency-key": query({
    type: "string",
    minLength: 1,
    maxLength: 255,
    pattern: "^[\\x21-\\x7e]+$",
    description:
      "1 to 255 visible characters. The same key with the same body within 24 hours answers as the first request did."
  })
})

/** Response of a list. */
export const page = <A, I>(item: Schema.Schema<A, I>, name: string) =>
  Schema.Struct({
    data: Schema.Array(item),
    nextCursor: Schema.NullOr(Schema.String).annotations({ description: "null on the last page." })
  }).annotations({ identifier: name })
