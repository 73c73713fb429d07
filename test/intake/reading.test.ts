import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { datadog } from "../../adapters/alerting/datadog/Datadog.ts"
import { generic } from "../../adapters/alerting/generic/Generic.ts"
import * as PayloadFields from "../../adapters/alerting/PayloadFields.ts"
import { formatOrNull } from "../../domain/value/Timestamp.ts"
import * as Fixtures from "./Fixtures.ts"

const one = (body: unknown) =>
  Effect.map(generic.decode({ headers: {}, json: body }), ({ signals: [signal] }) => {
    assert.isDefined(signal)
    return signal
  })

describe("what an alert says", () => {
  it.each([
    ["2026-11-14T09:12:30Z", "2026-11-14T09:12:30.000Z"],
    ["2026-11-14T16:05:12.331+0000", "2026-11-14T16:05:12.331Z"],
    ["2026-11-14T14:03:22.4471203Z", "2026-11-14T14:03:22.447Z"],
    ["2021-10-12T09:51:03.157076+02:00", "2021-10-12T07:51:03.157Z"],
    [" 2026-11-14 ", "2026-11-14T00:00:00.000Z"],
    ["0001-01-01T00:00:00Z", null],
    ["1970-01-01T00:00:00Z", null],
    ["yesterday", null],
    ["", null],
    [1794647550, null],
    [null, null]
  ])("%j is the time %s", (value, time) => assert.strictEqual(formatOrNull(PayloadFields.time(value)), time))

  it.each([
    [1794672000, "2026-11-14T16:00:00.000Z"],
    ["1794672000123", "2026-11-14T16:00:00.123Z"],
    [1794672000123, "2026-11-14T16:00:00.123Z"],
    [1794672000123456, "2026-11-14T16:00:00.123Z"],
    ["1794672000123000210", "2026-11-14T16:00:00.123Z"],
    [0, null],
    [5, null],
    [-1794672000, null],
    [1e30, null],
    ["2026", null],
    ["9".repeat(40), null],
    [null, null]
  ])("%j since 1970 is %s", (value, time) => assert.strictEqual(formatOrNull(PayloadFields.epoch(value)), time))

  it.each(["None", "none", "N/A", "null", "$ALERT_PRIORITY", "{{ workflowName }}", "", " ", null, {}])(
    "%j is what a template writes for nothing",
    (value) => assert.isNull(PayloadFields.filled(value))
  )

  it.effect("is cut where it is too long to be read, and no character is torn", () =>
    Effect.gen(function* () {
      const found = yield* one({
        title: "👍".repeat(600),
        service: "s".repeat(600),
        description: "d".repeat(20_000),
        labels: Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`label-${index}`, "v".repeat(11_000)])),
        links: Array.from({ length: 30 }, (_, index) => ({ label: `${index}`, url: `https://example.com/${index}` }))
      })
      assert.strictEqual(found.title, `${"👍".repeat(499)}…`)
      assert.strictEqual(found.service, `${"s".repeat(499)}…`)
      assert.strictEqual(found.description, `${"d".repeat(9999)}…`)
      assert.strictEqual(Object.keys(found.labels).length, 100)
      assert.strictEqual(found.labels["label-0"], `${"v".repeat(9999)}…`)
      assert.strictEqual(found.links.length, 20)
    })
  )

  it.effect("is told apart also by what is cut", () =>
    Effect.gen(function* () {
      const long = "x".repeat(600)
      const [a, b] = yield* Effect.forEach(["a", "b"], (end) => one({ title: long + end }))
      assert.strictEqual(a?.title, b?.title)
      assert.notStrictEqual(a?.fingerprint, b?.fingerprint)
      const [c, d] = yield* Effect.forEach(["a", "b"], (end) =>
        one({ title: "t", labels: { long: "x".repeat(11_000) + end } })
      )
      assert.notStrictEqual(c?.fingerprint, d?.fingerprint)
    })
  )

  it.effect("has no NUL, no half of a character and no address that is none", () =>
    Effect.gen(function* () {
      const found = yield* one({
        title: "a\0b\ud83d",
        fingerprint: "f\0\udc4d",
        description: "\0",
        labels: { "k\0": "v\ud800" },
        links: [
          { label: "l\0", url: "https://example.com/" },
          { label: "x", url: "ftp://example.com/" },
          { label: "y", url: "https://" },
          { label: "z", url: `https://example.com/${"z".repeat(10_000)}` }
        ]
      })
      assert.strictEqual(found.title, "a\ufffdb\ufffd")
      assert.strictEqual(found.fingerprint, "f\ufffd\ufffd")
      assert.strictEqual(found.description, "\ufffd")
      assert.deepStrictEqual(found.labels, { "k\ufffd": "v\ufffd" })
      assert.deepStrictEqual(found.links, [{ label: "l\ufffd", url: "https://example.com/" }])
    })
  )

  it.effect("is refused where one delivery holds more alerts than anybody has", () =>
    Effect.gen(function* () {
      const alerts = Array.from({ length: 10_001 }, () => ({ title: "x" }))
      const refused = yield* Effect.flip(generic.decode({ headers: {}, json: { alerts } }))
      assert.include(refused.message, "it holds 10001 alerts; send at most 10000 at a time")
    })
  )
})

describe("Datadog's template", () => {
  it("is JSON of quoted variables, and has the fields that are read", () => {
    const steps = datadog.setup({ url: "https://gatehouse.example.com/s/1", secret: "s3cr3t" })
    const from = steps.findIndex((step) => step.startsWith('{"id"'))
    const to = steps.findIndex((step) => step.endsWith('"$SNAPSHOT"}'))
    const template: unknown = JSON.parse(steps.slice(from, to + 1).join("\n"))
    assert.sameMembers(
      Object.keys(PayloadFields.fields(template)),
      Object.keys(PayloadFields.fields(Fixtures.json("datadog", "firing")))
    )
    assert.match(JSON.stringify(template), /^[{}":,a-z_]*(?:"\$[A-Z_]+"[{}":,a-z_]*)+$/)
  })
})
