import { DateTime } from "effect"
import { assert, it } from "vitest"
import { passing, type SignalSource } from "../../../domain/oncall/SignalSource.ts"

const until = DateTime.unsafeMake("2026-09-14T12:00:00Z")
const source = {
  secrets: [
    { sealed: "new", until: null },
    { sealed: "old", until }
  ]
} as unknown as SignalSource

it.each([
  [-1, ["new", "old"]],
  [0, ["new"]],
  [1, ["new"]]
])("%i ms from its end, the secrets that pass are %j", (millis, sealed) =>
  assert.deepStrictEqual<unknown>(
    passing(source, DateTime.add(until, { millis })).map((secret) => secret.sealed),
    sealed
  )
)
