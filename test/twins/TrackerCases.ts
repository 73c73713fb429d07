import { DateTime, Duration, Effect, Either, Layer, Schema } from "effect"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import * as Connections from "../../application/codehost/Connections.ts"
import * as Json from "../../application/ports/Json.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { Trackers } from "../../application/ports/tracker/Trackers.ts"
import * as Teams from "../../application/work/Teams.ts"
import * as Bindings from "../../application/work/tracker/Bindings.ts"
import * as MirrorTracker from "../../application/work/tracker/MirrorTracker.ts"
import * as WriteStory from "../../application/work/tracker/WriteStory.ts"
import * as WriteTracker from "../../application/work/tracker/WriteTracker.ts"
import { newSync } from "../../domain/tracker/Binding.ts"
import { usualMapping } from "../../domain/tracker/Mapping.ts"
import { MirroredIssue } from "../../domain/tracker/MirroredIssue.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { queued } from "../../domain/work/Job.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { type Place, payments, story, web } from "../application/house.ts"
import * as Seed from "../support/Seed.ts"
import type { Act, Cases } from "./Case.ts"

const ops = "ops" as TeamSlug
/** The bindings of ops, which were removed. */
const ended = new Map<string, MirroredIssue["binding"]>()
const writer = { name: "wanda", mayWrite: true }
const project = "acme/web"

/** A tracker whose issues are the same in each case. */
const issues = Effect.gen(function* () {
  const fake = MemoryTracker.make()
  yield* fake.people.open(writer, {
    title: "First",
    body: "One.\n\n## Acceptance criteria\n\n- [ ] It works",
    labels: ["refining"]
  })
  yield* fake.people.open(writer, { title: "Second", body: "Two." })
  return fake
})

const traced = <A, E, R>(use: (fake: Effect.Effect.Success<typeof issues>) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(issues, (fake) =>
    Effect.provide(
      use(fake),
      Layer.succeed(Trackers, () => fake.tracker)
    )
  )

const input = { team: web, connection: "github", project, mapping: usualMapping }

const worked = "run-wwww" as RunKey

/** A run on the story of an issue, and its decision, of which the issue has a comment that is up to date. */
const workOn = (at: Place, issue: MirroredIssue) =>
  Effect.gen(function* () {
    const { commented, release, unwritten } = yield* TrackerStore
    yield* Seed.load(at.slug, {
      runs: [{ key: worked, story: issue.story, status: "succeeded" }],
      decisions: [
        {
          key: "dec-wwww",
          kind: "merge_approval",
          run: worked,
          title: "Merge?",
          status: "resolved",
          resolution: { optionId: "no", note: "Not now" },
          recommendation: "no",
          options: [
            { id: "yes", label: "Merge it", action: "merge" },
            { id: "no", label: "Close it", action: "reject" }
          ]
        }
      ]
    })
    for (const { issue: found, runs, workspace } of yield* unwritten(Duration.minutes(1), 100)) {
      for (const { comment, ...rest } of runs) yield* commented(workspace, found, { ...rest, comment: comment ?? "c1" })
      yield* release(workspace, found, Duration.zero)
    }
  })

/**
 * Binds the team web, whose project had another name before, and mirrors two issues: one has comments, and one has a
 * hint and waits for the end of a run. The team ops is bound no more.
 */
export const mirrorIssues = (at: Place) =>
  traced(() =>
    Effect.gen(function* () {
      const { owner } = at.people
      yield* Bindings.bind(owner, { ...input, project: "acme/old" })
      yield* Bindings.bind(owner, { ...input, team: ops, project: "acme/ops" })
      yield* MirrorTracker.round()
      const { commented, hint, issues: mirrored, list, wrote } = yield* TrackerStore
      const bound = (yield* list(at.id)).find(({ binding }) => binding.team === ops)
      if (bound === undefined) throw new Error("ops is not bound")
      const [row] = yield* mirrored(at.id, bound.binding.id, ["i1"])
      if (row === undefined) throw new Error("the issue is not mirrored")
      yield* commented(at.id, row, { run: "run-aaaa" as RunKey, plan: null, state: "x", comment: "c0" })
      yield* hint(at.id, at.connection.id, "acme/ops", { id: "i1", key: "#1" })
      ended.set(at.id, (yield* Bindings.unbind(owner, ops)).binding.id)
      yield* Bindings.bind(owner, input)
      yield* MirrorTracker.round()
      yield* commented(at.id, yield* rowOf(at), { run: "run-aaaa" as RunKey, plan: null, state: "x", comment: "c0" })
      yield* workOn(at, yield* rowOf(at))
      const waiting = yield* rowOf(at, "i2")
      yield* wrote(at.id, new MirroredIssue({ ...waiting, isHeld: true }), waiting)
      yield* hint(at.id, at.connection.id, project, { id: "i2", key: "#2" })
    })
  )

const store = TrackerStore

/** The binding of web. */
const bindingOf = ({ id }: Place) =>
  Effect.flatMap(store, ({ list }) =>
    Effect.map(list(id), (all) => {
      const found = all.find(({ binding }) => binding.team === web)
      if (found === undefined) throw new Error("web is not bound")
      return found.binding
    })
  )

const rowOf = (at: Place, issue = "i1") =>
  Effect.gen(function* () {
    const [row] = yield* (yield* store).issues(at.id, (yield* bindingOf(at)).id, [issue])
    if (row === undefined) throw new Error("the issue is not mirrored")
    return row
  })

const withRow =
  (use: (at: Place, row: MirroredIssue) => Effect.Effect<unknown, unknown, TrackerStore>): Act =>
  (at) =>
    Effect.flatMap(rowOf(at), (row) => use(at, row))

const withBinding =
  (use: (at: Place, binding: MirroredIssue["binding"]) => Effect.Effect<unknown, unknown, TrackerStore>): Act =>
  (at) =>
    Effect.flatMap(bindingOf(at), ({ id }) => use(at, id))

const target = (at: Place, issue: string, more: { readonly url?: string; readonly story?: string } = {}) =>
  Effect.map(bindingOf(at), ({ id }) => ({
    binding: id,
    issue: { id: issue, key: "#9" },
    url: more.url ?? null,
    story: more.story ?? null
  }))

/** The context of an issue, without its random parts. */
const looked =
  (issue: string, more: { readonly url?: string; readonly story?: string } = {}): Act =>
  (at) =>
    Effect.gen(function* () {
      const { mirror } = yield* store
      return yield* mirror(at.id, yield* target(at, issue, more), ({ fresh: { key }, ...rest }) =>
        Either.left({ ...rest, key })
      ).pipe(Effect.flip)
    })

/** A binding that was removed has no context, in the twin neither. */
const removed: Act = ({ id }) =>
  Effect.gen(function* () {
    const binding = yield* Effect.orDie(Effect.fromNullable(ended.get(id) ?? [...ended.values()][0]))
    const gone = { binding, issue: { id: "i1", key: "#1" }, url: null, story: null }
    return yield* Effect.flip((yield* store).mirror(id, gone, () => Either.left("there")))
  })

const decodeId = Json.decoder(Schema.Struct({ id: Schema.String }))

const idOf = ({ id }: Place, key: string) =>
  Effect.map(
    Effect.flatMap(StoryStore, (stories) => stories.get(id, story(key))),
    (json) => decodeId(json).id
  )

const run = "run-ffff" as RunKey

export const trackerPorts: Cases = {
  "TrackerStore.list": ({ id }) => Effect.flatMap(store, ({ list }) => list(id)),
  "TrackerStore.change": ({ id }) =>
    Effect.flatMap(store, ({ change }) =>
      change(id, web, ({ bindings, connections, team }): Either.Either<never, unknown> =>
        Either.left([team, bindings, connections])
      )
    ),
  "TrackerStore.mirror": {
    known: looked("i1"),
    "known, without a run": looked("i2"),
    addressed: looked("i9", { url: "https://github.com/acme/web/issues/7" }),
    "addressed elsewhere": looked("i9", { url: "https://github.com/acme/web/issues/70" }),
    "addressed of another team": looked("i9", { url: "https://example.test/7" }),
    "mirrored elsewhere": looked("i8"),
    "renamed elsewhere": looked("i8", { url: "https://github.com/acme/web/issues/8" }),
    written: (at) => Effect.flatMap(idOf(at, "WEB-2"), (id) => looked("i9", { story: id })(at)),
    "written for another team": (at) => Effect.flatMap(idOf(at, "PAY-3"), (id) => looked("i9", { story: id })(at)),
    "written elsewhere": (at) =>
      Effect.flatMap(rowOf(at), ({ story: key }) =>
        Effect.flatMap(idOf(at, key), (id) => looked("i9", { story: id })(at))
      ),
    removed,
    unknown: looked("i9")
  },
  "TrackerStore.issues": withBinding(({ id }, binding) =>
    Effect.flatMap(store, ({ issues: read }) => read(id, binding, ["i1", "i2"]))
  ),
  "TrackerStore.progress": (at) =>
    Effect.flatMap(bindingOf(at), (binding) =>
      Effect.flatMap(store, ({ progress }) => progress(at.id, binding, { ...newSync, swept: 9 }, Duration.hours(1)))
    ),
  "TrackerStore.seen": withBinding(({ id }, binding) =>
    Effect.flatMap(store, ({ seen }) => seen(id, binding, 9, ["i1"]))
  ),
  "TrackerStore.unseen": withBinding(({ id }, binding) =>
    Effect.flatMap(store, ({ unseen }) => unseen(id, binding, 9, 10))
  ),
  "TrackerStore.open": withBinding(({ id }, binding) =>
    Effect.flatMap(store, ({ open }) => open(id, binding, null, 10))
  ),
  "TrackerStore.hint": ({ connection, id }) =>
    Effect.flatMap(store, ({ hint }) => hint(id, connection.id, project, { id: "i1", key: "#1" })),
  "TrackerStore.followed": withBinding(({ id }, binding) =>
    Effect.flatMap(store, ({ followed }) => followed(id, binding, { issue: { id: "i2", key: "#2" }, mark: "0" }))
  ),
  "TrackerStore.wrote": withRow(({ id }, row) =>
    Effect.flatMap(store, ({ wrote }) => wrote(id, new MirroredIssue({ ...row, settled: "done" }), row))
  ),
  "TrackerStore.commented": withRow(({ id }, row) =>
    Effect.flatMap(store, ({ commented }) => commented(id, row, { run, plan: null, state: "x", comment: "c1" }))
  ),
  "TrackerStore.release": withRow(({ id }, row) =>
    Effect.flatMap(store, ({ release }) => release(id, row, Duration.hours(1)))
  ),
  "StoryStore.ownership": (at) =>
    Effect.flatMap(rowOf(at), (row) => Effect.flatMap(StoryStore, ({ ownership }) => ownership(at.id, row.story))),
  "TrackerStore.reserve": ({ connection, id }) =>
    Effect.asVoid(Effect.flatMap(store, ({ reserve }) => reserve(id, connection.id, Duration.hours(1)))),
  "TrackerStore.spend": ({ connection, id }) =>
    Effect.flatMap(store, ({ spend }) => spend(id, connection.id, [{ most: 9, within: Duration.hours(1) }])),
  "TrackerStore.delay": ({ connection, id }) =>
    Effect.flatMap(store, ({ delay }) => delay(id, connection.id, Duration.hours(1)))
}

/** The due bindings of the workspace, without the marks of their hints. */
export const dueBindings: Act = ({ id }) =>
  Effect.map(
    Effect.flatMap(store, ({ due }) => due(60)),
    (all) =>
      all
        .filter(({ workspace }) => workspace === id)
        .map(({ hints, ...rest }) => ({ ...rest, hints: hints.map(({ issue }) => issue) }))
  )

/** Operations on all workspaces at once. */
export const trackerSweeps: Cases = {
  "TrackerStore.due": dueBindings,
  "TrackerStore.unwritten": ({ id }) =>
    Effect.map(
      Effect.flatMap(store, ({ unwritten }) => unwritten(Duration.minutes(1), 100)),
      (all) => all.filter(({ workspace }) => workspace === id)
    ),
  "TrackerStore.purge": () => Effect.flatMap(store, ({ purge }) => purge),
  "WriteTracker.round": () => traced(() => WriteTracker.round())
}

const withoutTeam = ({ people }: Place) => Teams.remove(people.owner, web, web)

/** Operations that change twins in another way, and bindings that lost their team or connection. */
export const trackerOnce: Cases = {
  // The tracker has the titles of the original, and those of its twins differ.
  "MirrorTracker.round": () => traced(() => MirrorTracker.round()),
  "TrackerStore.due": {
    "once the team is deleted": (at) => Effect.zipRight(withoutTeam(at), dueBindings(at)),
    "once the connection is removed": (at) =>
      Effect.zipRight(Connections.remove(at.people.owner, at.connection.name), dueBindings(at))
  },
  "TrackerStore.mirror: once the team is deleted": (at) =>
    Effect.gen(function* () {
      const meant = yield* target(at, "i1")
      yield* withoutTeam(at)
      return yield* Effect.flip((yield* store).mirror(at.id, meant, () => Either.left("there")))
    })
}

const job = (at: Place) => ({
  workspace: at.id,
  job: queued(
    {
      id: "00000000-0000-4000-8000-000000000001" as never,
      kind: "write_story",
      team: web,
      story: story("WEB-2"),
      runKey: null,
      decision: null,
      payload: {}
    },
    DateTime.unsafeMake(0)
  )
})

export const trackerUses: Cases = {
  "Bindings.bind": ({ people }) =>
    Effect.asVoid(traced(() => Bindings.bind(people.owner, { ...input, team: payments, project: "acme/pay" }))),
  "Bindings.check": ({ people }) => traced(() => Bindings.check(people.owner, input)),
  "Bindings.list": ({ people }) => Bindings.list(people.owner),
  "Bindings.show": ({ people }) => Bindings.show(people.owner, web),
  "Bindings.unbind": ({ people }) => Effect.map(Bindings.unbind(people.owner, web), ({ kept }) => kept),
  "WriteStory.write": (at) => traced(() => WriteStory.write(job(at))),
  "WriteTracker.turn": (at) => traced(({ tracker }) => WriteTracker.turn(at.id, at, tracker))
}
