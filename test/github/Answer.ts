import type { Caller } from "./Auth.ts"
import type * as State from "./State.ts"
import type { World } from "./World.ts"

export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal is thrown, so that a handler reads like the good case. */
export interface Refusal {
  readonly refusal: Answer
}

export const refuse = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): Refusal => ({
  refusal: {
    status,
    headers,
    body: { message, documentation_url: "https://docs.github.com/rest", status: String(status) }
  }
})

/** Refusal of a field, as 422 answers list them. */
export const invalid = (
  resource: string,
  error: { readonly code: string; readonly field?: string; readonly message?: string }
): Refusal => ({
  refusal: {
    status: 422,
    body: {
      message: "Validation Failed",
      errors: [{ resource, ...error }],
      documentation_url: "https://docs.github.com/rest",
      status: "422"
    }
  }
})

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === "object" && value !== null && "refusal" in value

/** A request whose operation and holder are known. */
export interface Call {
  readonly world: World
  readonly caller: Caller | null
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
}

export type Handler = (call: Call) => Answer | Promise<Answer>
export type Handlers = Readonly<Record<string, Handler>>

export const ok = (body: unknown): Answer => ({ status: 200, body })
export const created = (body: unknown): Answer => ({ status: 201, body })
export const empty: Answer = { status: 204 }

/** The token of a call; apps need one of an installation for nearly everything. */
export const requireToken = ({ caller }: Call): State.Token => {
  if (caller === null) throw refuse(401, "Requires authentication")
  if (caller.kind === "app") throw refuse(403, "Resource not accessible by integration")
  return caller.token
}

export const requireApp = ({ caller }: Call): State.App => {
  if (caller?.kind !== "app") throw refuse(401, "A JSON web token could not be decoded")
  return caller.app
}

/** Header that leads to the other pages. */
const links = ({ world, query, path }: Call, at: number, last: number): Readonly<Record<string, string>> => {
  const to = (number: number, rel: string) => {
    const other = new URLSearchParams(query)
    other.set("page", String(number))
    return `<${world.origin}/api/v3${path}?${other}>; rel="${rel}"`
  }
  const all = [
    ...(at > 1 ? [to(at - 1, "prev")] : []),
    ...(at < last ? [to(at + 1, "next"), to(last, "last")] : []),
    ...(at > 1 ? [to(1, "first")] : [])
  ]
  return all.length === 0 ? {} : { link: all.join(", ") }
}

/** One page of a list, by `page` and `per_page`; `wrap` names the list and its length. */
export const listed = async <A>(
  call: Call,
  all: ReadonlyArray<A>,
  shape: (one: A) => unknown,
  wrap: string | null = null
): Promise<Answer> => {
  const size = Math.min(100, Math.max(1, Number(call.query.get("per_page") ?? 30)))
  const at = Math.max(1, Number(call.query.get("page") ?? 1))
  const last = Math.max(1, Math.ceil(all.length / size))
  const items = await Promise.all(all.slice((at - 1) * size, at * size).map(shape))
  const body = wrap === null ? items : { total_count: all.length, [wrap]: items }
  return { status: 200, body, headers: links(call, at, last) }
}

export const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null)
