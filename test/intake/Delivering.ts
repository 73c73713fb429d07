import { DateTime, Effect, Redacted } from "effect"
import type { Expected, Post, Translator } from "../../application/ports/AlertTools.ts"
import { CloudPages, PageUnreachable } from "../../application/ports/CloudPages.ts"
import type { Signal } from "../../domain/oncall/Signal.ts"
import { Signature } from "../../domain/value/Signature.ts"

/** The one signal of a body. */
export const only = (tool: Translator, json: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(tool.decode({ headers, json }), ({ ignored, signals }) => {
    const [signal] = signals
    return signal === undefined || signals.length > 1
      ? Effect.dieMessage(`${signals.length} signals: ${ignored}`)
      : Effect.succeed(signal)
  })

/** The reason a body is ignored. */
export const ignoredFor = (tool: Translator, json: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.map(tool.decode({ headers, json }), ({ ignored }) => ignored)

/** The reason a body is refused. */
export const problemOf = (tool: Translator, json: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.map(Effect.flip(tool.decode({ headers, json })), ({ problem }) => problem)

export const post = (
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  key: string | null = null
): Post => ({ body, headers, key: key === null ? null : Redacted.make(key) })

export const expecting = (secrets: ReadonlyArray<string>, more: Partial<Expected> = {}): Expected => ({
  secrets: secrets.map((secret) => Redacted.make(secret)),
  isTimestampRequired: false,
  topic: null,
  now: DateTime.unsafeMake("2027-01-01T00:00:00Z"),
  ...more
})

/** A cloud provider with only these pages. */
export const cloud =
  (pages: Readonly<Record<string, string>>) =>
  <A, E>(effect: Effect.Effect<A, E, CloudPages | Signature>) =>
    effect.pipe(
      Effect.provideService(CloudPages, {
        get: (address) => {
          const page = pages[address]
          return page === undefined
            ? new PageUnreachable({ host: new URL(address).host, problem: "no page" })
            : Effect.succeed(page)
        }
      }),
      Effect.provide(Signature.Default)
    )

export const noCloud = cloud({})

/** A fixture with some fields replaced, at any depth. */
export const altered = (json: unknown, changes: unknown): unknown => {
  const isPlain = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value)
  if (!isPlain(json) || !isPlain(changes)) return changes
  const entries = Object.entries(changes as object).map(([name, change]) => [
    name,
    altered(Reflect.get(json as object, name), change)
  ])
  return { ...(json as object), ...Object.fromEntries(entries) }
}

export const at = (signal: Signal) => (signal.at === null ? null : DateTime.formatIso(signal.at))
