import {
  Effect,
  Exit,
  Layer,
  Metric,
  MetricState,
  Option,
  Queue,
  RuntimeFlags,
  RuntimeFlagsPatch,
  Schedule,
  Tracer
} from "effect"
import * as Settings from "./Settings.ts"

/** Spans that wait for the log; the oldest are dropped. */
const mostSpans = 10_000

const written = (span: Tracer.Span, milliseconds: number, isFailed: boolean) =>
  Effect.logInfo(`span ${span.name}`).pipe(
    Effect.annotateLogs({
      milliseconds: milliseconds.toFixed(1),
      failed: isFailed,
      trace: span.traceId,
      span: span.spanId,
      ...Option.match(span.parent, { onNone: () => ({}), onSome: ({ spanId }) => ({ parent: spanId }) })
    })
  )

/** Attributes stay out of the log: they may hold texts of other systems. */
const spans = Layer.unwrapScoped(
  Effect.gen(function* () {
    const native = yield* Effect.tracer
    const ended = yield* Queue.sliding<Effect.Effect<void>>(mostSpans)
    yield* Effect.forkScoped(Effect.forever(Effect.flatten(Queue.take(ended))).pipe(Effect.withTracerEnabled(false)))
    return Layer.setTracer(
      Tracer.make({
        context: (run, fiber) => native.context(run, fiber),
        span: (...given) => {
          const span = native.span(...given)
          const end = span.end.bind(span)
          span.end = (time, exit) => {
            const { startTime } = span.status
            end(time, exit)
            ended.unsafeOffer(written(span, Number(time - startTime) / 1e6, Exit.isFailure(exit)))
          }
          return span
        }
      })
    )
  })
)

const measured = (state: MetricState.MetricState<unknown>): string | null =>
  MetricState.isCounterState(state) ? String(state.count) : MetricState.isGaugeState(state) ? String(state.value) : null

const metrics = Layer.scopedDiscard(
  Effect.gen(function* () {
    const all = (yield* Metric.snapshot).flatMap(({ metricKey, metricState }) => {
      const value = measured(metricState)
      return value === null ? [] : [[metricKey.name, value] as const]
    })
    yield* Effect.logInfo("metrics").pipe(Effect.annotateLogs(Object.fromEntries(all)))
  }).pipe(Effect.repeat(Schedule.spaced("1 minute")), Effect.forkScoped)
)

/** With TELEMETRY on, spans and metrics are lines of the log; otherwise none are made, since they cost CPU. */
export const layer = Layer.unwrapEffect(
  Effect.map(Settings.telemetry, (isOn) => (isOn ? Layer.merge(spans, metrics) : Layer.setTracerEnabled(false)))
)

/** Counts fibers only with TELEMETRY on. */
export const counting = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Settings.telemetry, (isOn) =>
    isOn ? effect : Effect.withRuntimeFlagsPatch(effect, RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics))
  )
