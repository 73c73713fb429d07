import { DateTime, Either, Option, Schema } from "effect"
import type { ActorType } from "../../../domain/workspace/Actor.ts"
import { Event, parseEvent } from "../../../domain/workspace/Audit.ts"
import { IdempotencyKey } from "../../../domain/workspace/IdempotencyRecord.ts"
import * as Run from "../../../domain/work/Run.ts"
import * as Story from "../../../domain/work/Story.ts"
import { parse } from "../../../domain/value/Timestamp.ts"
import { parseSlug } from "../../../domain/workspace/Team.ts"
import { InvalidParameter } from "../../api/HttpErrors.ts"

/** Query values by name, as received. */
export type Query<Name extends string> = { readonly [N in Name]?: string | undefined }

/** Reads one query value; absent is null, and an error names the allowed values. */
const reader =
  <A>(name: string, allowed: string, parse: (text: string) => Option.Option<A>) =>
  (received: string | undefined): Either.Either<A | null, InvalidParameter> =>
    received === undefined
      ? Either.right(null)
      : Either.fromOption(
          parse(received),
          () => new InvalidParameter({ name, received: received.slice(0, 200), allowed })
        )

const limit = reader("limit", "a whole number of at least 1", (text) =>
  /^\d+$/.test(text) && /[1-9]/.test(text) ? Option.some(Math.min(Number(text), 100)) : Option.none()
)

export const paging = (query: Query<"limit" | "cursor">) =>
  Either.map(limit(query.limit), (size) => ({ limit: size ?? 25, cursor: query.cursor ?? null }))

export const drafts = (text: string | undefined) =>
  Either.map(
    reader("drafts", "true or false", (value) =>
      value === "true" || value === "false" ? Option.some(value === "true") : Option.none()
    )(text),
    (given) => given ?? false
  )

/** Reads one of the words of a parameter. */
export const oneOf = <const Word extends string>(name: string, words: ReadonlyArray<Word>) =>
  reader(name, `one of ${words.join(", ")}`, (text) => Option.fromNullable(words.find((word) => word === text)))

const actors = new Map<string, ActorType>([
  ["human", "human"],
  ["service", "service"],
  ["the service", "service"],
  ["system", "system"]
])
export const actor = reader("actor", "one of human, the service, service, system", (text) =>
  Option.fromNullable(actors.get(text))
)

export const event = reader("event", `one of ${Event.literals.join(", ")}`, parseEvent)

export const format = reader("format", "csv or json", (text): Option.Option<"csv" | "json"> =>
  text === "csv" || text === "json" ? Option.some(text) : Option.none()
)

const moment = "a day such as 2026-01-31 or an ISO 8601 timestamp"
export const from = reader("from", moment, parse)

/** A day without a time includes the whole day. */
export const to = reader("to", moment, (text) =>
  Option.map(parse(text), (at) => (text.length === 10 ? DateTime.add(at, { days: 1, millis: -1 }) : at))
)

export const idempotencyKey = reader(
  "Idempotency-Key",
  "1 to 255 visible characters",
  Schema.decodeOption(IdempotencyKey)
)

export const team = reader("team", "a team slug: lowercase words joined by hyphens", parseSlug)
export const story = reader("story", "a story key such as PAY-12", Story.parseKey)
export const run = reader("run", "a run key such as run-7f3k", Run.parseKey)
