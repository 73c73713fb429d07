import { assert, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import * as TestPostgres from "../support/TestPostgres.ts"
import * as Engine from "./Engine.ts"
import * as Queue from "./Queue.ts"

it.scopedLive(
  "engines that start together on one database share the work, and do each job once",
  () =>
    Effect.gen(function* () {
      const instances = yield* Effect.forEach(yield* TestPostgres.instances(3), (layer) => Layer.build(layer), {
        concurrency: "unbounded"
      })
      const calls = instances.map((): Array<string> => [])
      yield* Effect.forEach(
        instances,
        (instance, index) =>
          Effect.provide(
            Engine.start(
              { tell_agent: ({ job }) => Effect.sync(() => void calls[index]?.push(job.id)) },
              { lease: Duration.seconds(30) }
            ),
            instance
          ),
        { concurrency: "unbounded" }
      )
      const [first] = instances
      assert.isDefined(first)
      yield* Effect.gen(function* () {
        const { id, slug } = yield* Queue.workspace
        const put: Array<string> = []
        // The first process takes all jobs until it has seen the others.
        while (calls.some((own) => own.length === 0)) {
          put.push(
            ...(yield* Queue.put(
              { slug },
              Array.from({ length: 40 }, () => "tell_agent" as const)
            ))
          )
          yield* Engine.eventually(Queue.all(id, "done"), (jobs) => jobs.length === put.length)
        }
        assert.deepStrictEqual(calls.flat().toSorted(), put.toSorted())
      }).pipe(Effect.provide(first))
    }),
  120_000
)
