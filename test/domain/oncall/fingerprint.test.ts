import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { fingerprintOf, keepable } from "../../../domain/oncall/Signal.ts"
import { isLong } from "../../support/Long.ts"

type Labels = Readonly<Record<string, string>>

/** Texts of the characters used for lengths and separators. */
const tricky = FastCheck.string({ unit: FastCheck.constantFrom("0", "1", "2", ":", "a", ",", "é", "👍"), maxLength: 6 })
const labels = FastCheck.dictionary(tricky, tricky, { maxKeys: 4 })

const holds = <A extends [unknown, ...Array<unknown>]>(property: FastCheck.IAsyncProperty<A>) =>
  Effect.promise(() => FastCheck.assert(property, { numRuns: isLong ? 300 : 50 }))

const of = (title: string, found: Labels) => Effect.runPromise(fingerprintOf(title, found))

const sorted = (found: Labels) => Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1))

describe("the fingerprint of an alert that names none", () => {
  it.effect("stays as it is from version to version", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* fingerprintOf("Disk full", {}),
        "v1:5b19998140bf6347e29efb6578dcb41be20c7c9d45c36e5fb04e9ab1301d1d67"
      )
      assert.strictEqual(
        yield* fingerprintOf("InstanceDown", {
          alertname: "InstanceDown",
          namespace: "shop",
          env: "prod",
          instance: "db-1:9100",
          job: "node"
        }),
        "v1:d9f1196926a5b686ed57d2f8be37d1288ca23603c5077670cb98686ec2b44fcd"
      )
    })
  )

  it.effect("does not depend on the order of the labels", () =>
    holds(
      FastCheck.asyncProperty(
        tricky,
        labels,
        FastCheck.infiniteStream(FastCheck.nat()),
        async (title, found, ranks) => {
          const shuffled = Object.entries(found)
            .map((entry) => [ranks.next().value, entry] as const)
            .toSorted(([a], [b]) => a - b)
            .map(([, entry]) => entry)
          assert.strictEqual(await of(title, Object.fromEntries(shuffled)), await of(title, found))
        }
      )
    )
  )

  it.effect("is another for another title or other labels", () =>
    holds(
      FastCheck.asyncProperty(tricky, labels, tricky, labels, async (title, found, otherTitle, others) => {
        const isSame = JSON.stringify([title, sorted(found)]) === JSON.stringify([otherTitle, sorted(others)])
        assert.strictEqual((await of(title, found)) === (await of(otherTitle, others)), isSame)
      })
    )
  )

  it.effect("is another however the same characters are split", () =>
    Effect.gen(function* () {
      const splits: ReadonlyArray<readonly [string, Labels]> = [
        ["abcd", {}],
        ["ab", { c: "d" }],
        ["a", { bc: "d" }],
        ["a", { b: "cd" }],
        ["", { ab: "cd" }],
        ["", { a: "b", c: "d" }],
        ["", { abcd: "" }],
        ["", { "": "abcd" }],
        ["ab1:c1:d", {}],
        ["ab", { "c1:d": "" }],
        ["ab", { c: "d0:0:" }],
        ["2:ab", { c: "d" }]
      ]
      const found = yield* Effect.forEach(splits, ([title, given]) => fingerprintOf(title, given))
      assert.strictEqual(new Set(found).size, splits.length)
    })
  )
})

describe("a fingerprint", () => {
  it.effect("of up to 200 characters is kept as it is; a longer one is known by its hash", () =>
    holds(
      FastCheck.asyncProperty(FastCheck.string({ maxLength: 400, size: "max" }), async (text) => {
        const kept = await Effect.runPromise(keepable(text))
        if (text.length <= 200) return assert.strictEqual(kept, text)
        assert.match(kept, /^v1:[0-9a-f]{64}$/)
      })
    )
  )

  it.effect("that is too long is told from others that begin the same", () =>
    Effect.gen(function* () {
      const long = "x".repeat(200)
      assert.strictEqual(yield* keepable(long), long)
      const kept = yield* Effect.forEach(["a", "b", "aa"], (end) => keepable(long + end))
      assert.strictEqual(new Set(kept).size, 3)
      assert.strictEqual(yield* keepable(`${long}a`), kept[0])
    })
  )
})
