import { FastCheck } from "effect"
import { anyText } from "../support/Random.ts"

const long = "x".repeat(1_048_576)

/** Text that breaks unguarded code: storage, prototypes, addresses, logs, spreadsheets, patterns. */
export const texts: ReadonlyArray<string> = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udc00x",
  "\u{1f600}".repeat(60),
  "\u202e\u200b\ufeff",
  "e\u0301\u0327",
  "\r\nX-Odd: 1",
  "\u001b[31m\u0007",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "true",
  "NaN",
  "[object Object]",
  "' OR 1=1 --",
  "'; DROP TABLE teams; --",
  "$1",
  "\\",
  "%",
  "*",
  "_",
  "{{7*7}}",
  "${7*7}",
  "<script>alert(1)</script>",
  "=HYPERLINK(1)",
  "../../etc/passwd",
  "x".repeat(300),
  "x".repeat(4001),
  "y".repeat(9000),
  `${" ".repeat(8000)}x`
]

export const numbers: ReadonlyArray<string> = [
  "0",
  "-1",
  "-0",
  "+1",
  "1.0",
  "1.5",
  "1e2",
  "1e309",
  "0x10",
  "007",
  "1_000",
  "١",
  "2147483648",
  "9007199254740993",
  "9223372036854775808",
  "18446744073709551616",
  "9".repeat(400),
  "Infinity",
  " 5 "
]

export const dates: ReadonlyArray<string> = [
  "0000-01-01",
  "0001-01-01",
  "0001-01-01T00:00:00+14:00",
  "1582-10-10",
  "1969-12-31T23:59:59.9999999Z",
  "2026-02-29",
  "2026-13-01",
  "2026-00-00",
  "2026-1-1",
  "2026-01-01T24:00:00Z",
  "2026-01-01T00:00:60Z",
  "2026-01-01T00:00:00+99:99",
  "2026-01-01T00:00:00-00:00",
  "2026-01-01 00:00:00",
  "9999-12-31",
  "9999-12-31T23:59:59-14:00",
  "+275760-09-13T00:00:00Z",
  "-271821-04-20",
  "20260101",
  "2026-W01",
  "now",
  "infinity",
  "1790000000",
  `2026-01-01T00:00:00.${"1".repeat(5000)}Z`
]

/** Any of them, or any text at all. */
export const text: FastCheck.Arbitrary<string> = FastCheck.oneof(
  { weight: 6, arbitrary: FastCheck.constantFrom(...texts, ...numbers, ...dates) },
  { weight: 1, arbitrary: anyText({ maxLength: 30 }) },
  { weight: 1, arbitrary: FastCheck.string({ unit: "grapheme", maxLength: 30 }) }
)

/** Values no field expects. */
const values: FastCheck.Arbitrary<unknown> = FastCheck.oneof(
  text,
  FastCheck.constantFrom<unknown>(null, true, -1, 1e308, 0.1, [], {}, [null], [[[]]], { a: { b: [] } }),
  FastCheck.jsonValue({ maxDepth: 3 }),
  FastCheck.constant(JSON.parse('{"__proto__":{"optionId":"yes"},"constructor":"x"}'))
)

/** The JSON text of an object with some invalid fields. */
export const spoiled = (good: Readonly<Record<string, unknown>>): FastCheck.Arbitrary<string> =>
  FastCheck.tuple(FastCheck.constantFrom("", ...Object.keys(good)), values, FastCheck.boolean()).map(
    ([field, value, isLeftOut]) => {
      if (field === "") return JSON.stringify({ ...good, more: value })
      const { [field]: _, ...rest } = good
      return JSON.stringify(isLeftOut ? rest : { ...good, [field]: value })
    }
  )

const twice = (good: string) => `${good.slice(0, -1)},${good.slice(1)}`

/** Invalid or oversized JSON bodies, made from a valid one. */
export const bodies = (good: string): FastCheck.Arbitrary<Buffer> =>
  FastCheck.oneof(
    {
      weight: 20,
      arbitrary: FastCheck.constantFrom(
        "",
        " ",
        "null",
        "7",
        '"x"',
        "[]",
        "{",
        good.slice(0, -1),
        `${good}${good}`,
        `\ufeff${good}`,
        twice(good),
        good.replace("{", '{"__proto__":{"a":1},'),
        good.replaceAll('"', "'"),
        `${good}//`,
        "1e999999",
        `{"optionId":${"9".repeat(1000)}}`,
        '{"optionId":"\\ud800","title":"\\u0000"}',
        "[".repeat(100_000),
        '{"a":'.repeat(10_000),
        `${"[".repeat(30_000)}${"]".repeat(30_000)}`,
        `{"optionId":${"[".repeat(30_000)}${"]".repeat(30_000)}}`,
        `{"title":"x","labels":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}`,
        "optionId=yes&note=x"
      ).map((body) => Buffer.from(body))
    },
    { weight: 4, arbitrary: FastCheck.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 2, arbitrary: FastCheck.constant(Buffer.from([0x7b, 0xff, 0xfe, 0xed, 0xa0, 0x80, 0x7d])) },
    { weight: 1, arbitrary: FastCheck.constant(Buffer.from(JSON.stringify({ optionId: "yes", note: long }))) }
  )

/** Changes of a path. */
export const pathTricks: ReadonlyArray<(path: string) => string> = [
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `/${path}`,
  (path) => path.replaceAll("/", "//"),
  (path) => path.replaceAll("/", "%2f"),
  (path) => path.replaceAll("/", "\\"),
  (path) => `${path}/%2e%2e`,
  (path) => `${path}/../../v1/teams`,
  (path) => `/x/..${path}`,
  (path) => `/.${path}`,
  (path) => `${path};jsessionid=1`,
  (path) => `${path}#x`,
  (path) => `${path}%23x`,
  (path) => `${path}%00`,
  (path) => `${path}%`,
  (path) => `${path}%zz`,
  (path) => `${path}%c0%ae`,
  (path) => `${path}%ff`,
  (path) => `${path}.json`,
  (path) => path.toUpperCase(),
  (path) => path.replace("v1", "v2"),
  (path) => path.replace("v1", "%76%31"),
  (path) => `${path}/${"a/".repeat(2000)}`,
  (path) => `${path}${"x".repeat(15_000)}`,
  (path) => `${path}${"x".repeat(17_000)}`,
  (path) => `${path}\xff\xfe`,
  (path) => `${path}\x00`,
  (path) => `${path} x`,
  (path) => `http://elsewhere.test${path}`,
  (path) => `HTTPS://a:b@x:9${path}`,
  (path) => `//elsewhere.test${path}`,
  () => "*",
  () => "",
  () => "?",
  () => "/",
  () => "/docs",
  () => "/incidents/<b>/%3cscript%3e",
  () => "/incidents/acme/inc-7k2m",
  () => "/projects/7",
  () => "/v1/tasks",
  () => "/boards/7/projects/8",
  () => "/signals",
  () => "/v1"
]

export const methods = ["HEAD", "OPTIONS", "PUT", "POST", "PATCH", "DELETE", "TRACE", "GET", "CONNECT", "PROPFIND", "QUERY", "get", "BREW", "G\0T", ""] // oxfmt-ignore
