import * as Options from "@effect/cli/Options"
import { Effect, Option, Schema } from "effect"
import { bounds, type Check, Url } from "../../domain/oncall/UptimeCheck.ts"
import { usage, whole } from "./Options.ts"

const decode = Schema.decodeUnknown(Url)

/** The error does not repeat the text: it may hold a secret. */
const url = Options.text("url").pipe(
  Options.withPseudoName("URL"),
  Options.withDescription("Of uptime: the address to check"),
  Options.mapEffect((text) =>
    Effect.mapError(decode(text), () =>
      usage("--url must be an http or https address of at most 2000 characters, without a user name and password")
    )
  )
)

const number = (name: string, description: string, { least, most, usual }: (typeof bounds)[keyof typeof bounds]) =>
  Options.optional(whole(name, `Of uptime: ${description}; ${usual} at first`, least, most))

export const options = {
  url: Options.optional(url),
  interval: number("interval", "seconds from check to check", bounds.intervalSeconds),
  timeout: number("timeout", "seconds to wait for the answer", bounds.timeoutSeconds),
  expect: number("expect", "the status it must answer", bounds.expectedStatus),
  failures: number("failures", "failures in a row before it fires", bounds.failuresBeforeFiring)
}

export const names = "--url, --interval, --timeout, --expect or --failures"

export const onlyOfUptime = `Only the kind uptime takes ${names}`

/** The given settings; null when there are none. */
export const given = ({
  expect,
  failures,
  interval,
  timeout,
  url
}: {
  readonly url: Option.Option<string>
  readonly interval: Option.Option<number>
  readonly timeout: Option.Option<number>
  readonly expect: Option.Option<number>
  readonly failures: Option.Option<number>
}): Partial<Check> | null => {
  const named = {
    ...(Option.isSome(url) && { url: url.value }),
    ...(Option.isSome(interval) && { intervalSeconds: interval.value }),
    ...(Option.isSome(timeout) && { timeoutSeconds: timeout.value }),
    ...(Option.isSome(expect) && { expectedStatus: expect.value }),
    ...(Option.isSome(failures) && { failuresBeforeFiring: failures.value })
  }
  return Object.keys(named).length === 0 ? null : named
}

const times = (count: number) => (count === 1 ? "once" : `${count} times in a row`)

export const inWords = ({ expectedStatus, failuresBeforeFiring, intervalSeconds, timeoutSeconds, url }: Check) =>
  `${url} must answer ${expectedStatus} within ${timeoutSeconds} s, every ${intervalSeconds} s; ` +
  `it fires when it did not ${times(failuresBeforeFiring)}`

type Seen = Check & Readonly<{ failures: number; lastAt: string | null; lastProblem: string | null }>

/** Describes the first run of a new check. */
export const toCome = (check: Check | null) => [
  ...(check ? [`${inWords(check)}.`] : []),
  "The service checks it at once, if it runs; 'source list' shows how that went, 'source deliveries' what it found."
]

export const lastLook = ({ failures, lastAt, lastProblem, url }: Seen) => {
  if (lastAt === null) return `${url}  not checked yet`
  return lastProblem === null
    ? `${url}  fine at ${lastAt}`
    : `${url}  failed ${times(failures)}, the last at ${lastAt}: ${lastProblem}`
}
