import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { tools } from "../../adapters/alerting/Tools.ts"
import { PostingKind } from "../../domain/oncall/SignalSource.ts"
import { prove, refusal } from "./Proving.ts"

const at = 1_794_647_550
const secret = "known-to-the-tests"

describe("a test of a source is signed as its tool signs", () => {
  for (const kind of PostingKind.literals)
    for (const isTimestampRequired of [false, true])
      it.effect(`${kind}${isTimestampRequired ? ", with a time" : ""}`, () =>
        Effect.gen(function* () {
          const { samples, sign } = tools[kind]
          if (sign === null) return assert.strictEqual(kind, "cloudwatch")
          const body = JSON.stringify(samples.firing.body)
          const { headers, key } = yield* sign({ secret: Redacted.make(secret), body, seconds: at })
          const attempt = {
            kind,
            headers: { ...samples.firing.headers, ...headers },
            ...(key !== null && { key: Redacted.value(key) }),
            body: new TextEncoder().encode(body),
            secrets: [secret],
            at,
            isTimestampRequired: isTimestampRequired && ["generic", "grafana"].includes(kind)
          }
          yield* prove(attempt)
          assert.strictEqual((yield* refusal({ ...attempt, secrets: ["another"] }))._tag, "InvalidProof")
        })
      )
})
