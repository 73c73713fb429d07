import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import * as Binaries from "../../adapters/postgres/embedded/Binaries.ts"
import { acquire } from "../../adapters/postgres/embedded/Embedded.ts"
import * as Folders from "../../adapters/postgres/embedded/Folders.ts"

export type Task = "use" | "prepare"

const [task, place = ""] = process.argv.slice(2)
const told = new Promise((resolve) => process.stdin.once("end", resolve).resume())
const print = (value: unknown) => Effect.sync(() => process.stdout.write(`${JSON.stringify(value)}\n`))

/** Uses the server of a folder until its input ends. */
const use = Effect.gen(function* () {
  const server = yield* acquire(place)
  yield* Effect.addFinalizer(() =>
    Effect.zipRight(
      print("stopping"),
      Effect.promise(() => told)
    )
  )
  yield* print(server)
  yield* Effect.promise(() => told)
}).pipe(Effect.scoped)

const prepare = Folders.privateArea(undefined, Folders.shortTemp()).pipe(
  Effect.flatMap((area) => Binaries.prepare(place, undefined, area)),
  Effect.flatMap(print)
)

NodeRuntime.runMain(Effect.catchAll(task === "prepare" ? prepare : use, ({ message }) => print(message)))
