import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import { Console, Effect, Redacted, Struct } from "effect"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import * as Demo from "../../../application/work/Demo.ts"
import { InvalidDocument } from "../../../application/work/import/ImportDocument.ts"
import * as Import from "../../../application/work/Import.ts"
import { format } from "../../../domain/value/Timestamp.ts"
import demoDocument from "../demo.json" with { type: "json" }
import { workspace } from "../Options.ts"
import { json, verb } from "../Command.ts"
import * as LiveDemo from "../live/LiveDemoCommand.ts"

const readDocument = (file: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const refuse = (problem: string) => new InvalidDocument({ path: file, problem })
    const bytes = yield* Effect.mapError(files.readFile(file), (error) =>
      refuse(error._tag === "SystemError" && error.reason === "NotFound" ? "there is no such file" : "cannot be read")
    )
    return yield* Effect.try({
      try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
      catch: (error) => refuse(`is not JSON: ${error instanceof Error ? error.message : String(error)}`)
    })
  })

const singular = { teams: "team", services: "service", stories: "story", runs: "run", decisions: "decision" }

const counted = (counts: Readonly<Record<keyof typeof singular, number>>) =>
  Struct.keys(singular)
    .map((name) => `${counts[name]} ${counts[name] === 1 ? singular[name] : name}`)
    .join(", ")

export const importCommand = verb(
  "import",
  "Load teams, services, stories, runs and decisions from a JSON document: all of it or nothing",
  {
    workspace,
    file: Args.text({ name: "FILE.json" }).pipe(Args.withDescription("The document, as docs/import.md describes it"))
  },
  ({ file, workspace }) => Effect.flatMap(readDocument(file), (document) => Import.load(bySystem, workspace, document)),
  (counts) => `Imported ${counted(counts)}.`
)

const live = Options.boolean("live").pipe(
  Options.withDescription("Work on a story in a real repository, from Ready to merged; the service must be running")
)
const yes = Options.boolean("yes").pipe(Options.withDescription("With --live: take every recommendation, ask nobody"))

const recreated = Effect.gen(function* () {
  const { expiresAt, owner: _, token, ...rest } = yield* Demo.recreate(demoDocument)
  return { ...rest, token: Redacted.value(token), expiresAt: format(expiresAt) }
})

export const demoCommand = Command.make("demo", { live, yes, json }, ({ json: isForScripts, live: isLive, yes }) =>
  Effect.gen(function* () {
    if (isLive) {
      const result = yield* LiveDemo.play(yes, isForScripts ? () => Effect.void : Console.log)
      if (isForScripts) yield* Console.log(JSON.stringify(result))
      return
    }
    const result = yield* recreated
    const words = `Created the workspace demo with ${counted(result)}.\nToken, shown this once: ${result.token}`
    yield* Console.log(isForScripts ? JSON.stringify(result) : words)
  })
).pipe(Command.withDescription("Create the demo workspace, in place of the one before; or play a story live"))
