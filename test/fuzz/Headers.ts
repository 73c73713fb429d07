import { FastCheck } from "effect"
import type { Parameter } from "../openapi/Published.ts"
import * as Hostile from "./Hostile.ts"
import type { Scene } from "./Scene.ts"
import { bytesOf } from "./Wire.ts"

type Header = readonly [name: string, value: string]
type Given = FastCheck.Arbitrary<ReadonlyArray<Header>>

const { constant, constantFrom, nat, oneof, tuple } = FastCheck

const nothing: Given = constant([])
const these = (...headers: ReadonlyArray<Header>): Given => constant(headers)
const one = (name: string, value: FastCheck.Arbitrary<string>): Given => value.map((text) => [[name, text]])

/** Given with a probability of `weight` percent. */
const sometimes = (weight: number, given: Given): Given =>
  oneof({ weight: 100 - weight, arbitrary: nothing }, { weight, arbitrary: given })

/** Malformed ways to send a token. */
const spoiled: ReadonlyArray<(token: string) => string> = [
  (token) => `bearer   ${token}   `,
  (token) => `BEARER ${token}`,
  (token) => `Bearer\t${token}`,
  (token) => `Bearer ${token} ${token}`,
  (token) => `Bearer ${token},Bearer ${token}`,
  (token) => `Bearer ${token.slice(0, -1)}`,
  (token) => `Bearer ${token}x`,
  (token) => `Bearer ${token.toLowerCase()}`,
  (token) => `Bearer "${token}"`,
  (token) => `Bearer ${token}\x00`,
  (token) => `Basic ${Buffer.from(`x:${token}`).toString("base64")}`,
  (token) => token,
  () => "Bearer",
  () => "Bearer tk_",
  () => "",
  () => `Bearer${" ".repeat(12_000)}\xa0`,
  () => `Bearer ${"t".repeat(15_000)}`,
  () => `Bearer ${bytesOf("tk_\u{1f600}")}`
]

/** A well-formed token that does not exist. */
const unknown = FastCheck.string({
  unit: constantFrom(..."0123456789ABCDEFGHabcdefghijklmn"),
  minLength: 32,
  maxLength: 32
}).map((text) => `Bearer tk_${text}`)

/** The authorization header: mostly valid, now and then malformed. */
const authorization = ({ tokens }: Scene): Given => {
  const valid = oneof(...tokens.valid.map((kind) => constantFrom(...kind)))
  const bearer = valid.map((token) => `Bearer ${token}`)
  const odd = tuple(valid, constantFrom(...spoiled)).map(([token, spoil]) => spoil(token))
  return oneof(
    { weight: 60, arbitrary: one("authorization", bearer) },
    { weight: 18, arbitrary: one("Authorization", constant(`Bearer ${tokens.spent}`)) },
    {
      weight: 8,
      arbitrary: one(
        "authorization",
        constantFrom(...tokens.invalid).map((token) => `Bearer ${token}`)
      )
    },
    { weight: 8, arbitrary: one("authorization", odd) },
    { weight: 4, arbitrary: one("authorization", unknown) },
    {
      weight: 2,
      arbitrary: tuple(bearer, bearer).map((both) => both.map((value) => ["authorization", value] as const))
    },
    { weight: 6, arbitrary: nothing }
  )
}

/** The forwarded address: different for most requests, so that few are limited. */
const forwarded = oneof(
  {
    weight: 12,
    arbitrary: one(
      "x-forwarded-for",
      tuple(nat(255), nat(255), nat(255)).map((parts) => `10.${parts.join(".")}`)
    )
  },
  {
    weight: 1,
    arbitrary: one("x-forwarded-for", constantFrom("", ",", "::1", "nonsense, 10.1.1.1", "x".repeat(4000), "__proto__"))
  },
  { weight: 1, arbitrary: nothing }
)

const tag = '"abcdefghijklmnopqrstuvwxyza"'

/** The documented headers, with valid and invalid values. */
const documented = (parameters: ReadonlyArray<Parameter>): ReadonlyArray<Given> =>
  parameters.map(({ name }) => {
    const good =
      name === "If-None-Match" ? constantFrom("*", tag, `W/${tag}`, `${tag}, *`) : constantFrom("a", "b", "c")
    const hostile = oneof(
      Hostile.text.map(bytesOf),
      constantFrom("a,b", "a\tb", "\xff", "k".repeat(255), "k".repeat(256))
    )
    return oneof(
      { weight: 6, arbitrary: nothing },
      { weight: 3, arbitrary: one(name, good) },
      { weight: 2, arbitrary: one(name, hostile) },
      { weight: 1, arbitrary: tuple(good, hostile).map((both) => both.map((value) => [name, value] as const)) }
    )
  })

const contentTypes = constantFrom(
  "application/json",
  "application/json; charset=utf-8",
  'Application/JSON;charset="UTF-8"',
  "application/json; charset=latin1",
  "text/plain",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  "",
  ";",
  `application/json${" ".repeat(12_000)}x`,
  "\xff"
)

const oddities: Given = oneof(
  one("expect", constantFrom("100-continue", "200-ok", "")),
  one("connection", constantFrom("close", "keep-alive", "upgrade", "x, y", "")),
  these(
    ["connection", "Upgrade"],
    ["upgrade", "websocket"],
    ["sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="],
    ["sec-websocket-version", "13"]
  ),
  these(["connection", "Upgrade, HTTP2-Settings"], ["upgrade", "h2c"]),
  one("content-encoding", constantFrom("identity", "gzip", "br", "\xff")),
  one("content-length", constantFrom("0", "-1", "+5", "1e3", "999999999999999999999", "5, 5", "0x10", "")),
  one("transfer-encoding", constantFrom("identity", "gzip", "chunked, chunked", "\x0bchunked")),
  one("accept", constantFrom("text/html", "*/*;q=0", "x".repeat(3000))),
  one("cookie", constantFrom("a=b", "=;=", "__proto__=1", "a=%")),
  one("x-http-method-override", constant("DELETE")),
  one("range", constant("bytes=0-1")),
  one("host", constantFrom("", "a, b", "x".repeat(300), "\xff", "[::1")),
  one("x-odd", Hostile.text.map(bytesOf)),
  one("odd name", constant("1")),
  one("odd\x00name", constant("1")),
  one("__proto__", constant("1")),
  one("constructor", constant("1")),
  these(...Array.from({ length: 300 }, (_, index) => [`x-many-${index}`, "1"] as const)),
  these(...Array.from({ length: 2500 }, () => ["x", "1"] as const)),
  one("x-long", constantFrom("y".repeat(15_000), "y".repeat(20_000))),
  these(["x-folded", "1"], [" continued", "2"])
)

const requestIds = oneof(
  constantFrom("req-1", "a".repeat(128), "a".repeat(129), "a b", "<b>", "\xff", "../x", ""),
  Hostile.text.map(bytesOf)
)

/** All headers of a request except the framing of its body. */
export const all = (scene: Scene, parameters: ReadonlyArray<Parameter>): Given =>
  tuple(
    constant([["host", "fuzz"]] as const),
    authorization(scene),
    forwarded,
    ...documented(parameters),
    sometimes(40, one("content-type", contentTypes)),
    sometimes(15, one("x-request-id", requestIds)),
    sometimes(8, oddities)
  ).map((parts) => parts.flat())

/** Headers of a post to the intake, which has no tokens. */
export const bare: Given = tuple(
  constant([["host", "fuzz"]] as const),
  forwarded,
  sometimes(40, one("content-type", contentTypes)),
  sometimes(15, one("x-request-id", requestIds)),
  sometimes(6, oddities)
).map((parts) => parts.flat())
