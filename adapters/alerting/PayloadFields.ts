import { DateTime, Effect, Option, Predicate } from "effect"
import type * as Severity from "../../domain/value/Severity.ts"
import { keepable, type Link, type Signal, UnreadableAlert } from "../../domain/oncall/Signal.ts"
import * as Timestamp from "../../domain/value/Timestamp.ts"
import { parseUrl } from "../../domain/value/Text.ts"

/** Bodies are read leniently: an odd value in an unused field is never a reason to lose a page. */

export type Fields = Readonly<Record<string, unknown>>

const longest = { line: 500, text: 10_000, labels: 100, links: 20, alerts: 10_000 }

/** Replaces NUL and lone surrogates, which cannot be stored, and cuts text that is too long to read. */
export const storable = (text: string, length: number): string => {
  // A character has two code units at most.
  const whole = text.slice(0, 2 * length + 1)
  const clean = whole.replaceAll("\0", "\u{FFFD}").replace(/\p{Surrogate}/gu, "\u{FFFD}")
  const points = clean.length > length ? [...clean] : []
  return points.length > length ? `${points.slice(0, length - 1).join("")}…` : clean
}

/** The fields of an object; none of any other value. */
export const fields = (value: unknown): Fields => (Predicate.isRecord(value) ? (value as Fields) : {})

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Non-empty text; numbers and booleans become text. */
export const text = (value: unknown): string | null => {
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null
}

/** The first non-empty value. */
export const first = (...values: ReadonlyArray<unknown>): string | null => {
  for (const value of values) {
    const found = text(value)
    if (found !== null) return found
  }
  return null
}

/** Text of a template's field, without the placeholders that tools write for missing values. */
export const filled = (value: unknown): string | null => {
  const found = text(value)
  return found === null || /^(null|none|n\/a|undefined|\$[A-Z_]+|\{\{.*\}\})$/i.test(found) ? null : found
}

/** Parses ISO 8601, also with an offset without a colon; years 1 and 1970, which tools use for never, are no time. */
export const time = (value: unknown): DateTime.Utc | null => {
  if (typeof value !== "string") return null
  const at = Timestamp.parse(value.trim().replace(/([+-]\d{2})(\d{2})$/, "$1:$2"))
  return Option.getOrNull(Option.filter(at, (found) => DateTime.getPartUtc(found, "year") > 1970))
}

/** Parses seconds, milli-, micro- or nanoseconds since 1970, as number or text, by their size; none before 2001. */
export const epoch = (value: unknown): DateTime.Utc | null => {
  const number =
    typeof value === "number" ? value : typeof value === "string" && /^\d+$/.test(value) ? Number(value) : 0
  if (number < 1e9) return null
  const unit = number < 1e11 ? 1000 : number < 1e14 ? 1 : number < 1e17 ? 1e-3 : 1e-6
  if (number * unit > 1e14) return null
  return Option.getOrNull(DateTime.make(Math.trunc(number * unit)))
}

/** Leaves out values that are nested too deeply to be serialised. */
const written = Option.liftThrowable((value: unknown) => JSON.stringify(value))

/** All fields of an object as string pairs, uncut. */
export const labels = (...objects: ReadonlyArray<unknown>): Record<string, string> =>
  Object.fromEntries(
    objects
      .flatMap((object) => Object.entries(fields(object)))
      .flatMap(([name, value]) => {
        const found = typeof value === "object" && value !== null ? Option.getOrNull(written(value)) : text(value)
        return found === null ? [] : [[name, found] as const]
      })
  )

/** Keeps the valid addresses. */
export const links = (named: Readonly<Record<string, unknown>>): ReadonlyArray<Link> =>
  Object.entries(named).flatMap(([label, value]) => {
    const url = text(value)
    const isLink = url !== null && url.length <= longest.text && /^https?:\/\//i.test(url) && parseUrl(url) !== null
    return isLink ? [{ label: storable(label, longest.line), url: storable(url, longest.text) }] : []
  })

type Said = Partial<Omit<Signal, "title" | "fingerprint" | "severity" | "unknownSeverity">> &
  Pick<Signal, "status"> & {
    readonly title: string | null
    readonly fingerprint: string | null
    readonly severity?: Severity.Said | null
  }

/** Builds a signal from a tool's fields; missing fields are null, a missing title or identity is an error. */
export const signal = (said: Said): Effect.Effect<Signal, UnreadableAlert> => {
  if (said.title === null) return new UnreadableAlert({ problem: "it has no title" })
  if (said.fingerprint === null)
    return new UnreadableAlert({ problem: "it has nothing to tell it from other alerts by" })
  const title = storable(said.title, longest.line)
  const cut = (value: string | null | undefined, length: number) =>
    value === null || value === undefined ? null : storable(value, length)
  const unknown = said.severity?.unknown ?? null
  return Effect.map(keepable(storable(said.fingerprint, 1_000_000)), (fingerprint) => ({
    startedAt: null,
    endedAt: null,
    at: null,
    isReopening: false,
    isAcknowledgement: false,
    isTest: false,
    ...said,
    severity: said.severity?.severity ?? null,
    ...(unknown !== null && { unknownSeverity: storable(unknown, 60) }),
    labels: Object.fromEntries(
      Object.entries(said.labels ?? {})
        // A record of a schema cannot hold this name.
        .filter(([name]) => name !== "__proto__")
        .slice(0, longest.labels)
        .map(([name, value]) => [storable(name, longest.line), storable(value, longest.text)])
    ),
    links: (said.links ?? []).slice(0, longest.links),
    title,
    fingerprint,
    service: cut(said.service, longest.line),
    environment: cut(said.environment, longest.line),
    description: cut(said.description, longest.text)
  }))
}

/** A delivery of one alert. */
export const one = (said: Said) =>
  Effect.map(signal(said), (found) => ({ signals: [found], rejected: [], ignored: null }))

/** A delivery of several alerts: unreadable ones are listed by their index, the rest is accepted. */
export const several = (given: ReadonlyArray<Effect.Effect<Signal, UnreadableAlert>>) =>
  Effect.gen(function* () {
    if (given.length > longest.alerts)
      return yield* unreadable(`it holds ${given.length} alerts; send at most ${longest.alerts} at a time`)
    const signals: Array<Signal> = []
    const failures: Array<{ index: number; failure: UnreadableAlert }> = []
    for (const [index, effect] of given.entries())
      yield* Effect.match(effect, {
        onFailure: (failure) => void failures.push({ index, failure }),
        onSuccess: (found) => void signals.push(found)
      })
    const [unread] = failures
    if (signals.length === 0 && unread !== undefined)
      return yield* new UnreadableAlert({
        problem:
          given.length === 1 ? unread.failure.problem : `none of ${given.length}; the first: ${unread.failure.problem}`
      })
    return {
      signals,
      rejected: failures.map(({ index, failure }) => ({ index, message: failure.message })),
      ignored: null
    }
  })

/** A delivery without an alert, and the reason. */
export const ignored = (why: string) =>
  Effect.succeed({ signals: [], rejected: [], ignored: storable(why, longest.line) })

export const unreadable = (problem: string) => new UnreadableAlert({ problem: storable(problem, longest.line) })
