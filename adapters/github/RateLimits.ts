import type { Response } from "../../application/ports/Outgoing.ts"

/** Wait where a limit names none, as GitHub recommends. */
const usual = 60

/** No limit lasts longer than its hour. */
const longest = 3600

const wholeSeconds = (text: string | undefined): number | null => {
  const value = Number(text)
  return text === undefined || text === "" || !Number.isFinite(value) ? null : Math.ceil(value)
}

/** Seconds that the primary or a secondary limit asks to wait; null when the answer is no limit. */
export const pauseOf = ({ headers, status }: Response, message: string, now: number): number | null => {
  if (status !== 403 && status !== 429) return null
  const after = wholeSeconds(headers["retry-after"])
  const isUsedUp = headers["x-ratelimit-remaining"] === "0"
  if (after === null && !isUsedUp && status === 403 && !/rate limit|abuse/i.test(message)) return null
  const reset = isUsedUp ? wholeSeconds(headers["x-ratelimit-reset"]) : null
  const wait = after ?? (reset === null ? usual : reset - Math.floor(now / 1000))
  return Math.min(longest, Math.max(1, wait))
}
