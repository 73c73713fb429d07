import { Duration, Effect, Layer } from "effect"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { Trackers } from "../../application/ports/tracker/Trackers.ts"
import * as Bindings from "../../application/work/tracker/Bindings.ts"
import * as MirrorTracker from "../../application/work/tracker/MirrorTracker.ts"
import type { BindingId } from "../../domain/tracker/Binding.ts"
import { usualMapping } from "../../domain/tracker/Mapping.ts"
import { MirroredIssue } from "../../domain/tracker/MirroredIssue.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { type Place, web } from "../application/house.ts"
import * as Seed from "../support/Seed.ts"

export const project = "acme/web"
export const bindingInput = { team: web, connection: "github", project, mapping: usualMapping }

const ops = "ops" as TeamSlug
/** The former binding of ops, by the connection, whose id twins have too. */
const former = new Map<string, BindingId>()
export const formerOf = ({ connection }: Place) => Effect.orDie(Effect.fromNullable(former.get(connection.id)))

const writer = { name: "wanda", mayWrite: true }

const issues = (titles: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    yield* fake.people.open(writer, {
      title: "First",
      body: "One.\n\n## Acceptance criteria\n\n- [ ] It works",
      labels: ["refining"]
    })
    for (const title of titles) yield* fake.people.open(writer, { title, body: `${title}.` })
    return fake
  })

type Fake = Effect.Effect.Success<ReturnType<typeof issues>>

/** With a tracker whose issues are the same each time. */
export const traced = <A, E, R>(
  use: (fake: Fake) => Effect.Effect<A, E, R>,
  titles: ReadonlyArray<string> = ["Second", "Third"]
) =>
  Effect.flatMap(issues(titles), (fake) =>
    Effect.provide(
      use(fake),
      Layer.succeed(Trackers, () => fake.tracker)
    )
  )

export const bindingOf = ({ id }: Place, team: TeamSlug = web) =>
  Effect.flatMap(TrackerStore, ({ list }) =>
    Effect.map(list(id), (all) => {
      const found = all.find((one) => one.binding.team === team)
      if (found === undefined) throw new Error(`${team} is not bound`)
      return found.binding
    })
  )

const rowIn = (at: Place, bound: BindingId, issue: string) =>
  Effect.gen(function* () {
    const [row] = yield* (yield* TrackerStore).issues(at.id, bound, [issue])
    if (row === undefined) throw new Error(`${issue} is not mirrored`)
    return row
  })

/** An issue in the binding of web. */
export const rowOf = (at: Place, issue = "i1") => Effect.flatMap(bindingOf(at), ({ id }) => rowIn(at, id, issue))

const changed = (at: Place, row: MirroredIssue, changes: Partial<MirroredIssue>) =>
  Effect.flatMap(TrackerStore, ({ wrote }) => wrote(at.id, new MirroredIssue({ ...row, ...changes }), row))

/** The first issue of a binding gets a comment and a hint. */
const discussed = (at: Place, team: TeamSlug) =>
  Effect.gen(function* () {
    const { commented, hint } = yield* TrackerStore
    const bound = yield* bindingOf(at, team)
    const row = yield* rowIn(at, bound.id, "i1")
    yield* commented(at.id, row, { run: "run-aaaa" as RunKey, plan: null, state: "x", comment: "c0" })
    yield* hint(at.id, at.connection.id, bound.project, row)
    return row
  })

const run = "run-wwww" as RunKey
const work = (story: StoryKey) => ({
  runs: [{ key: run, story, status: "succeeded" }],
  decisions: [
    {
      key: "dec-wwww",
      kind: "merge_approval",
      run,
      title: "Merge?",
      status: "resolved",
      resolution: { optionId: "no", note: "Not now" },
      recommendation: "no",
      options: [
        { id: "merge", label: "Merge it", action: "merge" },
        { id: "no", label: "Close it", action: "reject" }
      ]
    }
  ]
})

/** A run with a decision on the story of an issue, whose comment shows its state. */
const worked = (at: Place, { story }: MirroredIssue) =>
  Effect.gen(function* () {
    const { commented, release, unwritten } = yield* TrackerStore
    yield* Seed.load(at.slug, work(story))
    for (const { issue, runs } of yield* unwritten(Duration.minutes(1), 100)) {
      for (const one of runs) yield* commented(at.id, issue, { ...one, comment: "c1" })
      yield* release(at.id, issue, Duration.zero)
    }
  })

/** Binds ops, and web to the project that it had before, which has one more issue. */
const mirrorBefore = (at: Place) =>
  Effect.gen(function* () {
    const { owner } = at.people
    yield* Bindings.bind(owner, { ...bindingInput, project: "acme/old" })
    yield* Bindings.bind(owner, { ...bindingInput, team: ops, project: "acme/ops" })
    yield* MirrorTracker.round()
    yield* discussed(at, web)
    yield* changed(at, yield* discussed(at, ops), { settled: "review" })
    former.set(at.connection.id, (yield* Bindings.unbind(owner, ops)).binding.id)
  })

/**
 * Mirrors issues of web: the first has comments that show the state of its run, the second waited for the end of a run,
 * and the third shows an older column than its story has. The team ops is bound no more.
 */
export const mirrorIssues = (at: Place) =>
  Effect.gen(function* () {
    yield* traced(() => mirrorBefore(at), ["Second", "Third", "Fourth"])
    yield* traced(() => Effect.zipRight(Bindings.bind(at.people.owner, bindingInput), MirrorTracker.round()))
    yield* worked(at, yield* rowOf(at))
    yield* changed(at, yield* rowOf(at, "i2"), { isHeld: true })
    yield* changed(at, yield* rowOf(at, "i3"), { settled: "review" })
    const { hint } = yield* TrackerStore
    yield* hint(at.id, at.connection.id, project, { id: "i2", key: "#2" })
  })
