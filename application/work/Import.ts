import { Array, Effect, Either, Predicate, Record, Schema } from "effect"
import { answered } from "../../domain/Change.ts"
import type { DecisionKey } from "../../domain/work/Decision.ts"
import * as Key from "../../domain/value/Key.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import type { By } from "../../domain/workspace/Actor.ts"
import { Document } from "./import/ImportDocument.ts"
import { plan, type Supply } from "./import/PlanImport.ts"
import { storyOf } from "./import/PlanRuns.ts"
import { invalid, refuse } from "./import/ImportErrors.ts"
import { ImportStore } from "../ports/ImportStore.ts"

const decode = Schema.decodeUnknownEither(Document, { onExcessProperty: "error" })

const read = (input: unknown) =>
  Predicate.isRecord(input)
    ? Either.mapLeft(decode(input), (error) => invalid(error))
    : refuse([], "must be a JSON object with lists of teams, services, stories, runs and decisions")

/** Draws spare keys, since some may be taken. */
const draws = (count: number) => (count === 0 ? 0 : 2 * count + 16)

const drawKeys = (kind: string, count: number) => Effect.replicateEffect(Key.draw(kind), draws(count))

/** Writes a document's rows and returns them. */
export const write = Effect.fn("Import.write")(function* (
  by: By,
  workspace: WorkspaceSlug,
  input: unknown,
  details: Record<string, unknown> = { imported: true }
) {
  const store = yield* ImportStore
  const document = yield* read(input)
  const stated = <K extends string>(keys: ReadonlyArray<K | null | undefined>) =>
    keys.filter((key): key is K => key !== null && key !== undefined)
  const supply: Supply = {
    uuids: yield* Effect.replicateEffect(
      Uuid.make,
      document.teams.length + document.services.length + document.stories.length
    ),
    runKeys: Array.dedupe((yield* drawKeys("run", document.runs.filter((run) => !run.key).length)) as Array<RunKey>),
    decisionKeys: Array.dedupe(
      (yield* drawKeys("dec", document.decisions.filter((decision) => !decision.key).length)) as Array<DecisionKey>
    )
  }
  const mentioned = {
    storyIds: stated(document.stories.map((story) => story.id)),
    stories: stated<StoryKey>([
      ...document.stories.map((story) => story.key),
      ...document.runs.map(storyOf),
      ...document.decisions.map((decision) => decision.story)
    ]),
    runs: stated<RunKey>([
      ...supply.runKeys,
      ...document.runs.map((run) => run.key),
      ...document.decisions.flatMap((decision) => [decision.run, decision.runKey])
    ]),
    decisions: stated<DecisionKey>([...supply.decisionKeys, ...document.decisions.map((decision) => decision.key)])
  }
  return yield* store.change(workspace, mentioned, (catalog) =>
    Either.flatMap(plan(document, catalog, supply, by, details), (change) => answered(change, change.added))
  )
})

/** Loads a document into a workspace: all of it, or nothing if one field is invalid. */
export const load = Effect.fn("Import.load")(function* (by: By, workspace: WorkspaceSlug, input: unknown) {
  const { decisions, runs, services, stories, teams } = yield* write(by, workspace, input)
  return Record.map({ teams, services, stories, runs, decisions }, (rows: ReadonlyArray<unknown>) => rows.length)
})
