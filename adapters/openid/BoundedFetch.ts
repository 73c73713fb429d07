// @effect-diagnostics globalFetch:off
import type { CustomFetchOptions } from "oauth4webapi"

const patience = 3_000
const most = 262_144

/** The provider did not answer, or not as a server at work does. */
export class Unanswered extends Error {
  override readonly name = "Unanswered"
}

const problemOf = (cause: unknown): string => {
  if (cause instanceof Unanswered) return cause.message
  const { cause: inner, name } = Object(cause) as { readonly cause?: unknown; readonly name?: string }
  if (name === "TimeoutError") return `it did not answer within ${patience / 1000} s`
  const { code } = Object(inner) as { readonly code?: unknown }
  return typeof code === "string" ? `the connection failed (${code})` : "the connection failed"
}

/** The body, if it is not too large. */
const read = async ({ body }: Response): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > most) throw new Unanswered(`its answer is over ${most / 1024} KB`)
    chunks.push(chunk)
  }
  return Uint8Array.from(Buffer.concat(chunks))
}

/** Requests of a sign-in: limited in time and size, and following no redirect. */
export const bounded = async (
  url: string,
  { body, headers, method }: CustomFetchOptions<string, URLSearchParams | undefined>
): Promise<Response> => {
  try {
    const signal = AbortSignal.timeout(patience)
    const response = await fetch(url, {
      method,
      headers,
      body: body ?? null,
      redirect: "manual",
      signal
    })
    if (response.status >= 500) {
      await response.body?.cancel()
      throw new Unanswered(`it answered ${response.status}`)
    }
    const bytes = await read(response)
    return new Response(bytes.length === 0 ? null : bytes, { status: response.status, headers: response.headers })
  } catch (cause) {
    throw new Unanswered(problemOf(cause))
  }
}
