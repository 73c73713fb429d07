import { Option, Schema } from "effect"

const Message = Schema.parseJson(
  Schema.Struct({
    method: Schema.String,
    params: Schema.optional(
      Schema.Struct({
        name: Schema.optional(Schema.String),
        arguments: Schema.optional(Schema.Struct({ decision: Schema.optional(Schema.String) }))
      })
    )
  })
)
const decode = Schema.decodeUnknownOption(Message)

/** A request of the agent, as far as the runner reads it. */
export interface Call {
  readonly method: string
  readonly tool: string | undefined
  readonly decision: string | undefined
}

/** Calls whose answers the runner reads; null for all others. */
export const callOf = (body: Buffer): Call | null =>
  Option.match(decode(body.toString("utf8")), {
    onNone: () => null,
    onSome: ({ method, params }) =>
      method === "tools/list" || method === "tools/call"
        ? { method, tool: params?.name, decision: params?.arguments?.decision?.toLowerCase() }
        : null
  })

/** Answers hold JSON in JSON, so that quotes may be escaped. */
const quote = String.raw`\\*"`

const raised = new RegExp(`${quote}decision${quote}\\s*:\\s*${quote}(dec-[0-9a-z]{4,})`)
const settled = new RegExp(`${quote}status${quote}\\s*:\\s*${quote}(?!pending)[a-z]+${quote}`)

/** The decision that a question raised. */
export const decisionIn = (answer: string): string | undefined => raised.exec(answer)?.[1]

/** True for a decision that is pending no more. */
export const isResolved = (answer: string): boolean => settled.test(answer)
