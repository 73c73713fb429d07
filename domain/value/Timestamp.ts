import { DateTime, Option, ParseResult, Schema } from "effect"

const shape = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/

const daysIn = (year: number, month: number) =>
  [31, year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][
    month - 1
  ] ?? 0

/** Parses an ISO 8601 date or timestamp. Without an offset it is UTC; digits past the millisecond are cut. */
export const parse = (text: string): Option.Option<DateTime.Utc> => {
  const parts = shape.exec(text)
  if (parts === null) return Option.none()
  const [year = 0, month = 0, day = 0] = parts.slice(1, 4).map(Number)
  if (year < 1 || day < 1 || day > daysIn(year, month)) return Option.none()
  const zoned = text.length === 10 || /(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`
  return Option.filter(DateTime.make(zoned), (at) => {
    const years = DateTime.getPartUtc(at, "year")
    return years >= 1 && years <= 9999
  })
}

export const format = (at: DateTime.Utc): string => DateTime.formatIso(at)

export const formatOrNull = (at: DateTime.Utc | null): string | null => (at === null ? null : format(at))

/** Encoded as UTC with exactly three fraction digits. */
export const Timestamp = Schema.transformOrFail(
  Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } }),
  Schema.DateTimeUtcFromSelf,
  {
    strict: true,
    decode: (text, _, ast) =>
      Option.match(parse(text), {
        onNone: () => ParseResult.fail(new ParseResult.Type(ast, text, `must be an ISO 8601 timestamp; got '${text}'`)),
        onSome: ParseResult.succeed
      }),
    encode: (at) => ParseResult.succeed(format(at))
  }
)
