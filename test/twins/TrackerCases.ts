import { DateTime, Duration, Effect, Either, Schema } from "effect"
import * as Connections from "../../application/codehost/Connections.ts"
import * as Json from "../../application/ports/Json.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import * as Teams from "../../application/work/Teams.ts"
import * as Bindings from "../../application/work/tracker/Bindings.ts"
import * as MirrorTracker from "../../application/work/tracker/MirrorTracker.ts"
import * as WriteStory from "../../application/work/tracker/WriteStory.ts"
import * as WriteTracker from "../../application/work/tracker/WriteTracker.ts"
import { newSync } from "../../domain/tracker/Binding.ts"
import { MirroredIssue } from "../../domain/tracker/MirroredIssue.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { queued } from "../../domain/work/Job.ts"
import { type Place, payments, story, web } from "../application/house.ts"
import type { Act, Cases } from "./Case.ts"
import { bindingInput, bindingOf, formerOf, project, rowOf, traced } from "./Mirrored.ts"

const store = TrackerStore

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
const removed: Act = (at) =>
  Effect.gen(function* () {
    const gone = { binding: yield* formerOf(at), issue: { id: "i1", key: "#1" }, url: null, story: null }
    return yield* Effect.flip((yield* store).mirror(at.id, gone, () => Either.left("there")))
  })

const decodeId = Json.decoder(Schema.Struct({ id: Schema.String }))

const idOf = ({ id }: Place, key: string) =>
  Effect.map(
    Effect.flatMap(StoryStore, (stories) => stories.get(id, story(key))),
    (json) => decodeId(json).id
  )

const owned =
  (key: string): Act =>
  ({ id }) =>
    Effect.flatMap(StoryStore, ({ ownership }) => ownership(id, story(key)))

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
    "addressed by hand": looked("i9", { url: "https://example.test/7" }),
    "addressed of another team": looked("i9", { url: "https://github.com/acme/web/issues/71" }),
    renamed: looked("i4", { url: "https://github.com/acme/web/issues/4" }),
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
  "StoryStore.ownership": {
    mirrored: (at) => Effect.flatMap(rowOf(at), (row) => owned(row.story)(at)),
    "mirrored elsewhere": owned("WEB-2"),
    "mirrored no longer": owned("OPS-1"),
    "never mirrored": owned("PAY-3"),
    missing: owned("WEB-99")
  },
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

/** The unwritten issues of the workspace. */
export const unwrittenIssues: Act = ({ id }) =>
  Effect.map(
    Effect.flatMap(store, ({ unwritten }) => unwritten(Duration.minutes(1), 100)),
    (all) => all.filter(({ workspace }) => workspace === id)
  )

/** Operations on all workspaces at once. */
export const trackerSweeps: Cases = {
  "TrackerStore.due": dueBindings,
  "TrackerStore.unwritten": unwrittenIssues,
  "TrackerStore.purge": () => Effect.flatMap(store, ({ purge }) => purge),
  "WriteTracker.round": () => traced(() => WriteTracker.round())
}

const withoutTeam = ({ people }: Place) => Teams.remove(people.owner, web, web)
const withoutConnection = ({ connection, people }: Place) => Connections.remove(people.owner, connection.name)
const ended = (act: Act): Readonly<Record<string, Act>> => ({
  "once the team is deleted": (at) => Effect.zipRight(withoutTeam(at), act(at)),
  "once the connection is removed": (at) => Effect.zipRight(withoutConnection(at), act(at))
})

/** Operations that change twins in another way, and bindings that lost their team or connection. */
export const trackerOnce: Cases = {
  // The tracker has the titles of the original, and the titles of its twins differ.
  "MirrorTracker.round": () => traced(() => MirrorTracker.round()),
  "TrackerStore.due": ended(dueBindings),
  "TrackerStore.unwritten": ended(unwrittenIssues),
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
    Effect.asVoid(traced(() => Bindings.bind(people.owner, { ...bindingInput, team: payments, project: "acme/pay" }))),
  "Bindings.check": ({ people }) => traced(() => Bindings.check(people.owner, bindingInput)),
  "Bindings.list": ({ people }) => Bindings.list(people.owner),
  "Bindings.show": ({ people }) => Bindings.show(people.owner, web),
  "Bindings.unbind": ({ people }) => Effect.map(Bindings.unbind(people.owner, web), ({ kept }) => kept),
  "WriteStory.write": (at) => traced(() => WriteStory.write(job(at))),
  "WriteTracker.turn": (at) => traced(({ tracker }) => WriteTracker.turn(at.id, at, tracker))
}
