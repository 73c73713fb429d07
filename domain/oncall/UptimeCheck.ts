import { DateTime, type Either, Schema } from "effect"
import { validated } from "../value/Validated.ts"
import type { Signal } from "./Signal.ts"
import { WebAddress } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

/** Bounds and default of each number of a check. */
export const bounds = {
  intervalSeconds: { least: 30, most: 86_400, usual: 60 },
  timeoutSeconds: { least: 1, most: 30, usual: 10 },
  expectedStatus: { least: 100, most: 599, usual: 200 },
  failuresBeforeFiring: { least: 1, most: 10, usual: 3 }
} as const

const whole = ({ least, most, usual }: (typeof bounds)[keyof typeof bounds]) =>
  Schema.optionalWith(
    Schema.Number.pipe(
      Schema.filter(
        (number) =>
          (Number.isInteger(number) && number >= least && number <= most) ||
          `must be a whole number from ${least} to ${most}`
      )
    ),
    { default: () => usual as number }
  )

const isNobodys = (url: string) => {
  const { password, username } = new URL(url)
  return username === "" && password === ""
}

export const Url = WebAddress.pipe(Schema.filter((url) => isNobodys(url) || "must have no user name and no password"))

/** An address to request periodically, and the expected answer. */
export const Check = Schema.Struct({
  url: Url,
  intervalSeconds: whole(bounds.intervalSeconds),
  timeoutSeconds: whole(bounds.timeoutSeconds),
  expectedStatus: whole(bounds.expectedStatus),
  failuresBeforeFiring: whole(bounds.failuresBeforeFiring)
}).pipe(
  Schema.filter(
    ({ intervalSeconds, timeoutSeconds }) =>
      timeoutSeconds < intervalSeconds || {
        path: ["timeoutSeconds"],
        message: `must be less than the interval, which is ${intervalSeconds}`
      }
  )
)
export type Check = typeof Check.Type

export class InvalidCheck extends Schema.TaggedError<InvalidCheck>()("InvalidCheck", { problem: Schema.String }) {
  override get message() {
    return `${this.problem}. Nothing is changed.`
  }
}

const decode = Schema.decodeUnknownSync(Check)

export const make = (given: object): Either.Either<Check, InvalidCheck> =>
  validated(
    () => decode(given),
    (field, problem) => new InvalidCheck({ problem: `${field} ${problem}` })
  )

/** Check as people see it: a query may hold a secret, so it is masked. */
export const shown = (check: Check): Check => {
  const { origin, pathname, search } = new URL(check.url)
  return { ...check, url: `${origin}${pathname}${search === "" ? "" : "?…"}` }
}

/** State of the address after the last check. */
export const Health = Schema.Struct({
  /** Failed checks in a row, and the time of the first. */
  failures: Schema.Int,
  failingSince: Schema.NullOr(Timestamp),
  /** Time of the last firing signal; null when it does not fire. */
  toldAt: Schema.NullOr(Timestamp),
  lastAt: Schema.NullOr(Timestamp),
  lastProblem: Schema.NullOr(Schema.String)
})
export type Health = typeof Health.Type

export const unknown: Health = { failures: 0, failingSince: null, toldAt: null, lastAt: null, lastProblem: null }

/** Result of one request: a status, or the reason there was none. */
export type Outcome = { readonly status: number } | { readonly problem: string }

const problemOf = ({ expectedStatus }: Check, outcome: Outcome): string | null => {
  if ("problem" in outcome) return outcome.problem
  return outcome.status === expectedStatus ? null : `answered ${outcome.status}, expected ${expectedStatus}`
}

/** A firing check repeats its signal, so that the alert does not become stale and is triaged when hours begin. */
const repeatMinutes = 5

const mayFire = (check: Check, { failures, toldAt }: Health, now: DateTime.Utc): boolean =>
  toldAt === null
    ? failures >= check.failuresBeforeFiring
    : DateTime.greaterThanOrEqualTo(now, DateTime.add(toldAt, { minutes: repeatMinutes }))

const signal = (
  { check, name }: { readonly name: string; readonly check: Check },
  now: DateTime.Utc,
  said: Pick<Signal, "status" | "severity" | "description" | "startedAt" | "endedAt">
): Signal => {
  const { host, search } = new URL(check.url)
  return {
    ...said,
    title: `${name} is down`,
    fingerprint: "uptime",
    service: null,
    environment: null,
    labels: { host, expected: String(check.expectedStatus) },
    links: search === "" ? [{ label: "Checked address", url: check.url }] : [],
    at: now,
    isReopening: false,
    isAcknowledgement: false,
    isTest: false
  }
}

/** Returns the health after a check, and the signal to send. */
export const judge = (
  of: { readonly name: string; readonly check: Check },
  before: Health,
  outcome: Outcome,
  now: DateTime.Utc
): { readonly health: Health; readonly signal: Signal | null } => {
  const problem = problemOf(of.check, outcome)
  if (problem === null) {
    const over = { status: "resolved", severity: null, description: null, endedAt: now } as const
    const recovery = () => signal(of, now, { ...over, startedAt: before.failingSince })
    return { health: { ...unknown, lastAt: now }, signal: before.toldAt === null ? null : recovery() }
  }
  const failingSince = before.failingSince ?? now
  const health = { ...before, failures: before.failures + 1, failingSince, lastAt: now, lastProblem: problem }
  if (!mayFire(of.check, health, now)) return { health, signal: null }
  const said = { status: "firing", severity: "critical", description: problem, endedAt: null } as const
  return { health: { ...health, toldAt: now }, signal: signal(of, now, { ...said, startedAt: failingSince }) }
}
