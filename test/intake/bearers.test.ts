import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Proofs from "../../adapters/alerting/Proofs.ts"
import { PostingKind } from "../../domain/oncall/SignalSource.ts"
import { assertRefused, type Attempt, hmac, prove, provenBy, refusal } from "./Proving.ts"

const encoder = new TextEncoder()

const bearerOf = (kind: PostingKind, headers: Readonly<Record<string, string>>): Attempt => ({
  kind,
  headers,
  body: encoder.encode("{}"),
  secrets: ["s3cr3t", "0ld-s3cr3t"],
  at: 1_794_647_550
})

describe.each(["grafana" as const, ...provenBy(Proofs.bearer)])("the bearer of %s", (kind) => {
  it.effect.each([
    { Authorization: "Bearer s3cr3t" },
    { Authorization: "bearer  s3cr3t " },
    { Authorization: "Bearer 0ld-s3cr3t" }
  ])("passes as %o", (headers) => Effect.map(prove(bearerOf(kind, headers)), ({ delivery }) => assert.isNull(delivery)))

  it.effect.each([
    { "X-Service-Token": "s3cr3t" },
    { "X-Service-Token": "s3cr3t", Authorization: "Basic dXNlcjpwYXNz" }
  ])("is a token of ours as %o, but for Grafana, which can set the other", (headers) =>
    Effect.map(Effect.either(prove(bearerOf(kind, headers))), (proven) =>
      assert.strictEqual(proven._tag, kind === "grafana" ? "Left" : "Right")
    )
  )

  it.effect.each([
    {},
    { Authorization: "" },
    { Authorization: "Bearer" },
    { Authorization: "s3cr3t" },
    { Authorization: "Basic s3cr3t" },
    { Authorization: "Bearer s3cr3" },
    { Authorization: "Bearer s3cr3t0" },
    { Authorization: "Bearer S3CR3T" },
    { "X-Service-Token": "" },
    { "X-Service-Token": "0ther" }
  ])("is refused as %o", (headers) => assertRefused(bearerOf(kind, headers)))
})

describe.each(provenBy(Proofs.key))("the key in the address of %s", (kind) => {
  it.effect("passes when it is one of the secrets, and else is refused", () =>
    Effect.gen(function* () {
      yield* prove({ ...bearerOf(kind, {}), key: "s3cr3t" })
      yield* prove({ ...bearerOf(kind, {}), key: "0ld-s3cr3t" })
      yield* assertRefused({ ...bearerOf(kind, {}), key: "0ther" })
      yield* assertRefused({ ...bearerOf(kind, {}), key: "" })
      yield* assertRefused(bearerOf(kind, { Authorization: "Bearer s3cr3t" }))
    })
  )
})

describe("Grafana", () => {
  it.effect("shows no bearer where a signed time is required", () =>
    assertRefused({ ...bearerOf("grafana", { Authorization: "Bearer s3cr3t" }), isTimestampRequired: true })
  )

  it.effect("must sign right where it signs, whatever bearer it shows", () =>
    assertRefused(
      bearerOf("grafana", { Authorization: "Bearer s3cr3t", "X-Grafana-Alerting-Signature": "0".repeat(64) })
    )
  )
})

describe("PagerDuty's signatures", () => {
  const body = encoder.encode('{"event":{}}')
  const attempt = (...signatures: ReadonlyArray<string>): Attempt => ({
    ...bearerOf("pagerduty", { "X-PagerDuty-Signature": signatures.join(",") }),
    body,
    secrets: ["pd-secret-new"]
  })
  const right = hmac("pd-secret-new", body)
  const old = hmac("pd-secret-old", body)

  it.effect("may be several, of which one must be right", () =>
    Effect.gen(function* () {
      yield* prove(attempt(`v1=${old}`, `v1=${right}`))
      yield* prove(attempt(` v1=${right} `, ` v1=${old}`))
      yield* prove(attempt("v2=whatever", `v1=${right}`))
      yield* assertRefused(attempt(`v1=${old}`))
      yield* assertRefused(attempt(`v0=${right}`))
      yield* assertRefused(attempt(right))
    })
  )
})

describe("without any proof", () => {
  it.effect.each(PostingKind.literals)("%s is refused, and told what it needs", (kind) =>
    Effect.map(refusal(bearerOf(kind, {})), (error) => {
      assert.strictEqual(error._tag, "InvalidProof")
      assert.match(error.message, /needs/)
    })
  )
})
