import { Context } from "effect"
import type { Window } from "../../domain/RateLimit.ts"

interface Notes {
  readonly requestId: string
  window: Window | null
  readonly headers: Record<string, string>
}

/** What the handling of one request tells the edge, which writes the headers of every answer. */
export class Exchange extends Context.Reference<Exchange>()("adapters/http/Exchange", {
  defaultValue: (): Notes => ({ requestId: crypto.randomUUID(), window: null, headers: {} })
}) {}
