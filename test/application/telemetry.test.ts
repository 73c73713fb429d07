import { assert, it } from "@effect/vitest"
import { ConfigProvider, Deferred, Effect, Exit, HashMap, Layer, Logger } from "effect"
import * as Telemetry from "../../adapters/Telemetry.ts"

/** Log lines of some work with two spans, the inner one with a secret. */
const linesOf = (setting: "on" | "off") =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const both = yield* Deferred.make<void>()
    const logger = Logger.make(({ annotations, message }) => {
      const fields = HashMap.toEntries(annotations).map(([name, value]) => `${name}=${String(value)}`)
      lines.push([message, ...fields].flat().join(" "))
      if (lines.filter((line) => line.startsWith("span ")).length === 2) Deferred.unsafeDone(both, Exit.void)
    })
    const inner = Effect.fail("no").pipe(Effect.withSpan("inner", { attributes: { secret: "S3CRET" } }), Effect.ignore)
    const work = Effect.zipRight(
      Effect.withSpan(inner, "outer"),
      setting === "on" ? Deferred.await(both) : Effect.yieldNow()
    )
    const config = Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["TELEMETRY", setting]])))
    const layer = Telemetry.layer.pipe(
      Layer.provideMerge(Layer.merge(config, Logger.replace(Logger.defaultLogger, logger)))
    )
    yield* Effect.provide(work, layer)
    return lines
  })

it.live("spans and metrics are lines of the log, without attributes", () =>
  Effect.gen(function* () {
    const lines = yield* linesOf("on")
    const spans = lines.filter((line) => line.startsWith("span "))
    assert.deepStrictEqual(
      spans.map((line) => line.split(" ")[1]),
      ["inner", "outer"]
    )
    const [inner = "", outer = ""] = spans
    assert.match(inner, /failed=true/)
    assert.match(outer, /failed=false/)
    assert.include(inner, `parent=${/ span=(\w+)/.exec(outer)?.[1]}`)
    assert.notInclude(lines.join(), "S3CRET")
    assert.isTrue(lines.some((line) => line.startsWith("metrics")))
  })
)

it.live("without the setting there are neither", () =>
  Effect.map(linesOf("off"), (lines) => assert.deepStrictEqual(lines, []))
)
