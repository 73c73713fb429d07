import { Effect, Option, Schema } from "effect"
import type { Outgoing, Request, Response } from "../../application/ports/Outgoing.ts"
import { JobFailed } from "../../application/ports/JobHandlers.ts"
import type { InvalidCredentials } from "../../application/ports/SourceApis.ts"

const anew = "Set it anew with 'gatehouse source credentials'."

export const final = (reason: string) => new JobFailed({ reason, isFinal: true })
export const passing = (reason: string) => new JobFailed({ reason, isFinal: false })

/** Failure of credentials that were stored before they were checked. */
export const unusable = ({ problem }: InvalidCredentials) => final(`${problem}. ${anew}`)

/** A tool that is called about one alert. */
interface Line {
  /** Display name of the tool. */
  readonly tool: string
  readonly alert: string
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
  /** The likely reason for a refused key. */
  readonly doubt: string
}

const Words = Schema.parseJson(
  Schema.Struct({
    message: Schema.optional(Schema.String),
    error: Schema.optional(
      Schema.Struct({ message: Schema.optional(Schema.String), errors: Schema.optional(Schema.Array(Schema.String)) })
    )
  })
)
const decodeWords = Schema.decodeUnknownOption(Words)

/** The tool's own message without the key, which the tool may repeat. */
export const shown = (said: string, { key }: Pick<Line, "key">): string =>
  [...said.replaceAll(key, "…").replace(/[\p{Cc}\p{Cs}]+/gu, " ")].slice(0, 200).join("").trim()

const refusal = (line: Line, response: Response): JobFailed => {
  const { alert, doubt, tool } = line
  const { status } = response
  if (status === 401 || status === 403) return final(`${tool} refused the key (${status}): ${doubt}. ${anew}`)
  if (status === 404) return final(`${tool} no longer knows ${alert}; it was deleted, or is of another account.`)
  if (status === 429) return passing(`${tool} takes no more requests for now (429).`)
  const { error, message } = Option.getOrElse(decodeWords(response.body), (): typeof Words.Type => ({}))
  const words = shown(error?.errors?.[0] ?? error?.message ?? message ?? "", line)
  const answered = `${tool} answered ${status}${words === "" ? "" : `: ${words}`}`
  return status === 408 || status >= 500 ? passing(answered) : final(answered)
}

/** Returns the tool's successful response; `missing` is the failure of a 404 that is not about the alert. */
export const calling =
  ({ send }: typeof Outgoing.Service, line: Line) =>
  (request: Request, missing?: JobFailed): Effect.Effect<Response, JobFailed> =>
    send({ ...request, headers: { ...line.headers, ...request.headers } }).pipe(
      Effect.mapError(({ isForbidden, message }) =>
        isForbidden
          ? final(`${line.tool} is not called at ${message}. ${anew}`)
          : passing(`${line.tool} cannot be reached: ${message}.`)
      ),
      Effect.filterOrFail(
        ({ status }) => status >= 200 && status < 300,
        (response) => (response.status === 404 ? missing : undefined) ?? refusal(line, response)
      )
    )

/** Decodes a response. A failure is retried, since another host may have answered in the tool's place. */
export const reading = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(Schema.parseJson(schema))
  return (tool: string) =>
    ({ body }: Response) =>
      Effect.mapError(decode(body), () => passing(`${tool} gave an answer that cannot be read.`))
}

/** Encodes an id as one part of a path; dots would lead out of it. */
export const segment = (id: string): Effect.Effect<string, JobFailed> =>
  /^\.{0,2}$/.test(id) ? final(`'${id}' is no id that a tool gives.`) : Effect.succeed(encodeURIComponent(id))
