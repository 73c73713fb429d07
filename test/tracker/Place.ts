import { Effect, Layer, Redacted, Schema } from "effect"
import type * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import * as Connections from "../../application/codehost/Connections.ts"
import * as Json from "../../application/ports/Json.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { Trackers } from "../../application/ports/tracker/Trackers.ts"
import * as Bindings from "../../application/work/tracker/Bindings.ts"
import * as MirrorTracker from "../../application/work/tracker/MirrorTracker.ts"
import { type Mapping, usualMapping } from "../../domain/tracker/Mapping.ts"
import type { IssuePerson } from "../../domain/tracker/TrackerIssue.ts"
import { StoryDetail, type StoryKey, StorySummary } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as Equipment from "../support/Equipment.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"

export const writer: IssuePerson = { name: "wanda", mayWrite: true }
export const stranger: IssuePerson = { name: "mallory", mayWrite: false }

export const mapping: Mapping = {
  ...usualMapping,
  columns: usualMapping.columns.map((row) =>
    row.column === "in_progress" ? { ...row, mark: { kind: "label" as const, name: "doing" } } : row
  )
}

export const project = "acme/pay"
export const team = "payments" as TeamSlug

/** A workspace with a connection and the team payments. */
export const place = Effect.gen(function* () {
  const { id, slug } = yield* Seed.workspace
  yield* Seed.load(slug, { teams: [{ slug: team, name: "Payments", keyPrefix: "PAY" }] })
  const owner = yield* People.person(slug)
  const { connection } = yield* Connections.create(owner, {
    name: "tracker",
    kind: "github",
    baseUrl: "https://tracker.example.com",
    secret: Redacted.make("x"),
    installation: null,
    webhookSecret: null
  })
  return { id, slug, owner, connection }
}).pipe(Effect.provide(Equipment.layer))

export type Place = Effect.Effect.Success<typeof place>

export const bind = ({ owner }: Place, more: Partial<Mapping> = {}) =>
  Bindings.bind(owner, { team, connection: "tracker", project, mapping: { ...mapping, ...more } })

export type Fake = ReturnType<typeof MemoryTracker.make>

/** Every connection leads to the tracker in memory. */
export const to = ({ tracker }: Fake) => Layer.succeed(Trackers, () => tracker)

const page = Json.decoder(Schema.Array(StorySummary))
const detail = Json.decoder(StoryDetail)

/** The stories of the team with their content, by the address of their issue. */
export const stories = ({ id }: Pick<Place, "id">) =>
  Effect.gen(function* () {
    const store = yield* StoryStore
    const { items } = yield* store.page(id, { team, drafts: true }, { limit: 100, before: null })
    const found = yield* Effect.forEach(page(items), ({ key }) => Effect.map(store.detail(id, key), detail))
    return found.toSorted((a, b) => (a.tracker?.url ?? a.key).localeCompare(b.tracker?.url ?? b.key))
  })

/** A story without what differs between two mirrors of one project. */
export const content = (story: StoryDetail) => {
  const { acceptanceCriteria, classOfService, column, demonstrate, description, returnNote, size, testPlan, title } =
    story
  const criteria = acceptanceCriteria.map(({ text }) => text)
  const { readinessScore: score, tracker } = story
  return {
    issue: tracker?.key,
    title,
    description,
    column: column.role,
    size,
    classOfService,
    criteria,
    demonstrate,
    testPlan,
    returnNote,
    score
  }
}

export const storyOf = (at: Pick<Place, "id">, issue: string) =>
  Effect.map(stories(at), (all) => {
    const found = all.find(({ tracker }) => tracker?.key === issue)
    if (found === undefined) throw new Error(`no story has the issue ${issue}`)
    return { ...found, key: found.key as StoryKey }
  })

/** Rounds until the mirror has nothing more to do at once. */
export const mirrored = (fake: Fake, rounds = 5) =>
  Effect.replicateEffect(MirrorTracker.round(), rounds, { discard: true }).pipe(Effect.provide(to(fake)))
