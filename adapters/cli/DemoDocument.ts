import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Effect } from "effect"

/** The demo data: a document such as `import` reads. */
export const demoDocument = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const file = yield* paths.fromFileUrl(new URL("./demo.json", import.meta.url))
  return JSON.parse(yield* files.readFileString(file)) as unknown
}).pipe(Effect.orDie)
