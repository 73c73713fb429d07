/** An error response, thrown wherever it is detected. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export const notFound = (what: "team" | "run" | "decision" | "source") =>
  new Refusal(404, `${what}_not_found`, `There is no such ${what} here.`)

export const invalidParameter = (name: string, allowed: string) =>
  new Refusal(400, "invalid_parameter", `${name} must be ${allowed}.`)

export const invalidCursor = () =>
  new Refusal(400, "invalid_cursor", "cursor is not one of ours, or belongs to another list or other filters.")
