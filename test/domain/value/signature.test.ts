import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { bytesOf } from "../../../domain/value/Hashing.ts"
import { Signature } from "../../../domain/value/Signature.ts"

const secret = Redacted.make("s3cret")
const other = Redacted.make("other")
const body = bytesOf('{"a":1}')
const sign = (text: string, key = "s3cret") => createHmac("sha256", key).update(text).digest("hex")
const right = sign('{"a":1}')

type Args = Parameters<Signature["signs"]>

const signs = (...args: Args) =>
  Effect.provide(
    Effect.flatMap(Signature, (signature) => signature.signs(...args)),
    Signature.Default
  )
const isOneOf = (secrets: ReadonlyArray<Redacted.Redacted>, given: string) =>
  Effect.provide(
    Effect.flatMap(Signature, (signature) => signature.isOneOf(secrets, given)),
    Signature.Default
  )

describe("a signature", () => {
  const rows: ReadonlyArray<readonly [name: string, passes: boolean, args: Args]> = [
    ["of the body with the secret", true, [[secret], [right], body]],
    ["in capitals", true, [[secret], [right.toUpperCase()], body]],
    ["with the older of two secrets", true, [[other, secret], [right], body]],
    ["beside one of another secret", true, [[secret], [sign('{"a":1}', "x"), right], body]],
    ["of the body and what goes before it", true, [[secret], [sign('v0:{"a":1}')], body, "v0:"]],
    ["without what goes before it", false, [[secret], [right], body, "v0:"]],
    ["of the body alone where nothing goes before it", false, [[secret], [sign('v0:{"a":1}')], body]],
    ["with another secret", false, [[other], [right], body]],
    ["of another body", false, [[secret], [sign('{"a":2}')], body]],
    ["that is no hex", false, [[secret], ["zz"], body]],
    ["that is empty", false, [[secret], [""], body]],
    ["that is missing", false, [[secret], [], body]],
    ["where there is no secret", false, [[], [right], body]]
  ]
  for (const [name, expected, args] of rows)
    it.effect(`${name} ${expected ? "passes" : "is refused"}`, () =>
      Effect.map(signs(...args), (found) => assert.strictEqual(found, expected))
    )
})

describe("a bearer", () => {
  for (const [name, expected, secrets, given] of [
    ["with the secret", true, [secret], "s3cret"],
    ["with the older secret", true, [other, secret], "s3cret"],
    ["with the newer secret", true, [secret, other], "s3cret"],
    ["with another", false, [secret, other], "s3cre"],
    ["with nothing", false, [secret], ""],
    ["where there is no secret", false, [], "s3cret"]
  ] as const)
    it.effect(`${name} ${expected ? "passes" : "is refused"}`, () =>
      Effect.map(isOneOf(secrets, given), (found) => assert.strictEqual(found, expected))
    )
})
