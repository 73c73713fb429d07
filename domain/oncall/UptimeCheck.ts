import { DateTime, type Either, Schema } from "effect"
import { built } from "../value/Validated.ts"
import type { Signal } from "./Signal.ts"
import { WebAddress } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

/** What each number of a check may be, and is unless told. */
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

/** An address that is asked for again and again, and what is expected of it. */
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
  built(
    () => decode(given),
    (field, problem) => new InvalidCheck({ problem: `${field} ${problem}` })
  )

/** What people may see of a check: a query may hold a secret, so only that there is one. */
export const shown = (check: Check): Check => {
  const { origin, pathname, search } = new URL(check.url)
  return { ...check, url: `${origin}${pathname}${search === "" ? "" : "?…"}` }
}

/** How the address was at the last look. */
export const Health = Schema.Struct({
  /** Looks in a row that found something wrong, and the first of them. */
  failures: Schema.Int,
  failingSince: Schema.NullOr(Timestamp),
  /** When it was last told that it fires; null when it does not. */
  toldAt: Schema.NullOr(Timestamp),
  lastAt: Schema.NullOr(Timestamp),
  lastProblem: Schema.NullOr(Schema.String)
})
export type Health = typeof Health.Type

export const unknown: Health = { failures: 0, failingSince: null, toldAt: null, lastAt: null, lastProblem: null }

/** What came of one request: an answer, or why there was none. */
export type Outcome = { readonly status: number } | { readonly problem: string }

const problemOf = ({ expectedStatus }: Check, outcome: Outcome): string | null => {
  if ("problem" in outcome) return outcome.problem
  return outcome.status === expectedStatus ? null : `answered ${outcome.status}, expected ${expectedStatus}`
}

/** What still fires is told again, so that it is not taken for forgotten and hours that begin notice it. */
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

/** The health after a look, and what is to be told of it. */
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
