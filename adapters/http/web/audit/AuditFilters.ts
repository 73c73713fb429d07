import { DateTime, Option } from "effect"
import type { AuditFilter } from "../../../../application/ports/AuditLog.ts"
import { parse } from "../../../../domain/value/Timestamp.ts"
import { ActorType } from "../../../../domain/workspace/Actor.ts"
import { parseEvent } from "../../../../domain/workspace/Audit.ts"
import { parseSlug } from "../../../../domain/workspace/Team.ts"
import { parseKey } from "../../../../domain/work/Run.ts"
import type { Filled } from "../components/Form.tsx"

export const names = ["event", "actor", "team", "run", "from", "to"] as const

/** Filters as their fields hold them, and the filter that they mean: nothing is filtered by a field that is wrong. */
export interface Asked {
  readonly filled: Filled
  readonly filter: AuditFilter
}

const day = /^\d{4}-\d{2}-\d{2}$/

/** The first moment of a day on the reader's calendar. */
const startOf = (text: string, zone: DateTime.TimeZone, later = 0): Option.Option<DateTime.Utc> =>
  Option.flatMap(parse(text), (at) =>
    Option.map(
      DateTime.makeZoned(DateTime.toParts(DateTime.add(at, { days: later })), {
        timeZone: zone,
        adjustForTimeZone: true
      }),
      DateTime.toUtc
    )
  )

const problems = {
  event: "Choose an event of the list.",
  actor: "Choose people, Gatehouse or the system.",
  team: "Choose a team of the list.",
  run: "Enter the key of a run, such as run-7f3k.",
  from: "Enter a day such as 2026-01-31.",
  to: "Enter a day such as 2026-01-31."
}

/** Reads the filters of an address; days are those of the reader's zone. */
export const askedOf = (query: Pick<URLSearchParams, "get">, zone: DateTime.TimeZone): Asked => {
  const values = Object.fromEntries(names.map((name) => [name, (query.get(name) ?? "").trim().slice(0, 200)]))
  const errors: Record<string, string> = {}
  const read = <A>(name: (typeof names)[number], parsed: (text: string) => Option.Option<A>): A | null => {
    const text = values[name] ?? ""
    if (text === "") return null
    const value = parsed(text)
    if (Option.isNone(value)) errors[name] = problems[name]
    return Option.getOrNull(value)
  }
  const onDay = (later: number) => (text: string) => (day.test(text) ? startOf(text, zone, later) : Option.none())
  const filter: AuditFilter = {
    event: read("event", parseEvent),
    actor: read("actor", (text) => Option.fromNullable(ActorType.literals.find((type) => type === text))),
    team: read("team", parseSlug),
    run: read("run", parseKey),
    from: read("from", onDay(0)),
    to: read("to", (text) => Option.map(onDay(1)(text), (next) => DateTime.subtract(next, { millis: 1 })))
  }
  if (filter.from !== null && filter.to !== null && filter.from.epochMillis > filter.to.epochMillis)
    errors["from"] = "Choose a day that is not after the last one."
  return { filled: { values, errors }, filter }
}
