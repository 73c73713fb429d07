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
              { silence: Duration.seconds(30) }
            ),
            instance
          ),
        { concurrency: "unbounded" }
      )
      const [first] = instances
      assert.isDefined(first)
      yield* Effect.gen(function* () {
        const { id, slug } = yield* Queue.workspace
        for (let round = 0; round < 3; round++) {
          const put = yield* Queue.put(
            { slug },
            Array.from({ length: 40 }, () => "tell_agent" as const)
          )
          yield* Engine.eventually(Queue.all(id, "done"), (jobs) => jobs.length === 40 * (round + 1))
          assert.includeMembers(calls.flat(), [...put])
        }
        assert.strictEqual(calls.flat().length, 120)
        assert.isTrue(calls.every((own) => own.length > 0))
      }).pipe(Effect.provide(first))
    }),
  120_000
)
