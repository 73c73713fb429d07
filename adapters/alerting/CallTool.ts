import { Effect, Option, Schema } from "effect"
import type { Outgoing, Request, Response } from "../../application/ports/Outgoing.ts"
import { type InvalidCredentials, SourceUpdateFailed } from "../../application/ports/SourceApis.ts"

const anew = "Set it anew with 'gatehouse source credentials'."

export const final = (problem: string) => new SourceUpdateFailed({ problem, isFinal: true })
export const passing = (problem: string) => new SourceUpdateFailed({ problem, isFinal: false })

/** Of what was kept before it was checked. */
export const unusable = ({ problem }: InvalidCredentials) => final(`${problem}. ${anew}`)

/** A tool that is called about one alert. */
interface Line {
  /** As people call the tool. */
  readonly tool: string
  readonly alert: string
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
  /** Why it may refuse the key. */
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

/** The tool's own words, which may repeat what it was sent. */
export const shown = (said: string, { key }: Pick<Line, "key">): string =>
  [...said.replaceAll(key, "…").replace(/[\p{Cc}\p{Cs}]+/gu, " ")].slice(0, 200).join("").trim()

const refusal = (line: Line, response: Response): SourceUpdateFailed => {
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

/** What the tool answers when it did as it was asked; `missing` when 404 is no word about the alert. */
export const calling =
  ({ send }: typeof Outgoing.Service, line: Line) =>
  (request: Request, missing?: SourceUpdateFailed): Effect.Effect<Response, SourceUpdateFailed> =>
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

/** Something else may have answered in the tool's place, so it is worth another try. */
export const reading = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(Schema.parseJson(schema))
  return (tool: string) =>
    ({ body }: Response) =>
      Effect.mapError(decode(body), () => passing(`${tool} gave an answer that cannot be read.`))
}

/** An id as one part of a path; dots would lead out of it. */
export const segment = (id: string): Effect.Effect<string, SourceUpdateFailed> =>
  /^\.{0,2}$/.test(id) ? final(`'${id}' is no id that a tool gives.`) : Effect.succeed(encodeURIComponent(id))
