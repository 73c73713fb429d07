import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted, TestClock } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { type Tracker, TrackerFailed, Trackers } from "../../application/ports/tracker/Trackers.ts"
import { type CodeHost, ConnectedHosts, HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import { ConnectedSystems, type Systems } from "../../application/ports/connection/ConnectedSystems.ts"
import { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import * as Connections from "../../application/codehost/Connections.ts"
import * as WatchConnections from "../../application/codehost/WatchConnections.ts"
import * as Teams from "../../application/work/Teams.ts"
import * as Equipment from "../support/Equipment.ts"
import * as Stories from "../../application/work/Stories.ts"
import * as Runs from "../../application/work/Runs.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import * as Bindings from "../../application/work/tracker/Bindings.ts"
import * as MirrorTracker from "../../application/work/tracker/MirrorTracker.ts"
import { bind, mirrored, place, project, stories, storyOf, stranger, team, to, writer } from "./Place.ts"
import { bound, issue, later, ready } from "./Mirrors.ts"

/** One round with a tracker that differs from the one in memory. */
const roundWith = (tracker: Tracker) =>
  Effect.provide(
    MirrorTracker.round(),
    Layer.succeed(Trackers, () => tracker)
  )

it.effect("a title that is longer than a story's is cut", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    yield* fake.people.open(stranger, { title: "😀".repeat(256) })
    yield* mirrored(fake)
    const [story] = yield* stories(at)
    assert.match(story?.title ?? "", /^(😀){249}…$/u)
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a new issue is found behind a page that stays as it is", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make({ pageSize: 2 })
    const at = yield* bound(fake)
    for (const title of ["One", "Two", "Three", "Four"]) yield* fake.people.open(writer, { title })
    yield* mirrored(fake)
    yield* later(fake)
    yield* TestClock.adjust("30 seconds")
    yield* fake.people.open(writer, { title: "Five" })
    yield* later(fake)
    assert.strictEqual((yield* stories(at)).length, 5)
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a first mirror tells how many issues it has read, and of how many", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make({ pageSize: 1 })
    const at = yield* bound(fake)
    for (let count = 0; count < 25; count++) yield* fake.people.open(writer, { title: `Issue ${count}` })
    const store = yield* TrackerStore
    const progress = Effect.map(store.list(at.id), ([state]) => [state?.sync.sweep?.read, state?.sync.sweep?.total])
    yield* mirrored(fake, 1)
    assert.deepStrictEqual(yield* progress, [20, 25])
    yield* mirrored(fake, 1)
    assert.strictEqual((yield* stories(at)).length, 25)
    assert.deepStrictEqual(yield* progress, [undefined, undefined])
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("an issue that cannot be read stops no other, and is tried again later, unless that is in vain", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    yield* fake.people.open(stranger, { title: "Bad", labels: ["ready"] })
    yield* fake.people.open(writer, { title: "Good" })
    const store = yield* TrackerStore
    const gone = { id: "i9", key: "#9" }
    yield* store.hint(at.id, at.connection.id, project, gone)
    const failing: Tracker = {
      ...fake.tracker,
      get: (where, issue) =>
        issue.id === gone.id ? new TrackerFailed({ reason: "none", isFinal: true }) : fake.tracker.get(where, issue),
      trail: () => new TrackerFailed({ reason: "no answer", isFinal: false })
    }
    yield* roundWith(failing)
    assert.deepStrictEqual(
      (yield* stories(at)).map(({ title }) => title),
      ["Good"]
    )
    const { sync } = yield* Bindings.show(at.owner, team)
    assert.deepStrictEqual([sync.trouble, sync.sweptAt !== null], ["#9 cannot be read: none", true])
    yield* fake.people.open(writer, { title: "Later" })
    yield* TestClock.adjust("9 minutes")
    assert.deepStrictEqual((yield* store.due(0))[0]?.hints, [])
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(
      (yield* store.due(0))[0]?.hints.map(({ issue }) => issue.id),
      ["i1"]
    )
    yield* mirrored(fake)
    assert.deepStrictEqual(
      (yield* stories(at)).map(({ title }) => title),
      ["Bad", "Good", "Later"]
    )
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("the first issue of an empty project is found, though the tracker's clock is behind", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    yield* TestClock.adjust("1 hour")
    yield* mirrored(fake)
    const kept = issue(fake, (yield* fake.people.open(writer, { title: "Pay" })).id)
    kept.snapshot = { ...kept.snapshot, updatedAt: DateTime.subtract(kept.snapshot.updatedAt, { minutes: 5 }) }
    yield* later(fake)
    assert.strictEqual((yield* stories(at)).length, 1)
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a text of the time without a binding comes after the run", () =>
  Effect.gen(function* () {
    const { at, fake, key } = yield* ready("Old.")
    const { run } = yield* Runs.start(at.owner, key)
    yield* Bindings.unbind(at.owner, team)
    yield* TestClock.adjust("1 minute")
    yield* fake.people.edit(writer, "i1", { body: "New." })
    yield* Effect.provide(bind(at), to(fake))
    yield* later(fake)
    assert.strictEqual((yield* storyOf(at, "#1")).description, "Old.")
    yield* Runs.stop(at.owner, run.key as RunKey)
    yield* later(fake)
    assert.strictEqual((yield* storyOf(at, "#1")).description, "New.")
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a text of a stranger of the time without a binding is not worked on after the run", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    yield* fake.people.open(stranger, { title: "Pay", body: "Old." })
    yield* mirrored(fake)
    const { key } = yield* storyOf(at, "#1")
    yield* Stories.move(at.owner, key, "ready")
    const { run } = yield* Runs.start(at.owner, key)
    yield* Bindings.unbind(at.owner, team)
    yield* TestClock.adjust("1 minute")
    yield* fake.people.edit(stranger, "i1", { body: "New." })
    yield* TestClock.adjust("1 minute")
    yield* fake.people.label(writer, "i1", "bug")
    yield* Effect.provide(bind(at), to(fake))
    yield* later(fake)
    yield* Runs.stop(at.owner, run.key as RunKey)
    yield* Stories.move(at.owner, key, "ready")
    yield* later(fake)
    assert.strictEqual((yield* storyOf(at, "#1")).column.role, "refining")
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("an issue that left before the team was bound again is found by the next sweep", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    for (const title of ["One", "Two"]) yield* fake.people.open(writer, { title })
    yield* mirrored(fake)
    yield* fake.people.leave("i1", "deleted")
    yield* Effect.provide(bind(at, { sizes: { big: "l" } }), to(fake))
    yield* mirrored(fake)
    assert.strictEqual((yield* stories(at)).length, 1)
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a removed connection is the trouble of its binding", () =>
  Effect.gen(function* () {
    const { at } = yield* ready()
    yield* Connections.remove(at.owner, "tracker")
    assert.include((yield* Bindings.show(at.owner, team)).sync.trouble ?? "", "Its connection was removed")
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a status that the project lacks is refused with the way to name a label", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    const columns = [{ mark: { kind: "status" as const, name: " ready" }, column: "ready" as const }]
    const { message } = yield* Effect.flip(Effect.provide(bind(at, { columns }), to(fake)))
    assert.strictEqual(
      message,
      "The status ' ready' is not in acme/pay; name a status that it has, or the label as 'label:status: ready'."
    )
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("an error in one project is its trouble and stops no other", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const [broken, other] = [yield* bound(fake), yield* bound(fake)]
    yield* fake.people.open(writer, { title: "Pay" })
    yield* roundWith({
      ...fake.tracker,
      page: (at, request) =>
        at.connection.id === broken.connection.id
          ? Effect.die("broken")
          : Effect.zipRight(Effect.yieldNow(), fake.tracker.page(at, request))
    })
    assert.strictEqual((yield* stories(other)).length, 1)
    const { sync } = yield* Bindings.show(broken.owner, team)
    assert.strictEqual(sync.trouble, "An error of the service, which its log shows.")
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a test of a connection includes the projects that teams mirror over it", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    const systems = { test: () => Effect.succeed({ problem: null, missing: ["acme/pay: issues: write"] }) }
    const tested = (tracker: Tracker) =>
      Connections.test(at.owner, "tracker").pipe(
        Effect.provideService(Trackers, () => tracker),
        Effect.provideService(ConnectedSystems, systems as unknown as Systems)
      )
    const lacking = ["acme/pay: issues: write", "acme/pay: metadata: read"]
    const inspect: Tracker["inspect"] = (where) =>
      Effect.map(fake.tracker.inspect(where), (facts) => ({ ...facts, missing: lacking }))
    assert.deepStrictEqual((yield* tested({ ...fake.tracker, inspect })).missing, lacking)
    const none = () => new TrackerFailed({ reason: "Not Found (404)", isFinal: false })
    assert.strictEqual((yield* tested({ ...fake.tracker, inspect: none })).trouble?.reason, "acme/pay: Not Found (404)")
    assert.isNull((yield* tested(fake.tracker)).trouble)
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("the first connection of a host is for its repositories: the trouble of one is not that of another", () =>
  Effect.gen(function* () {
    const { owner, id } = yield* place
    yield* Connections.create(owner, {
      name: "another",
      kind: "github",
      baseUrl: "https://tracker.example.com",
      secret: Redacted.make("y"),
      installation: null,
      webhookSecret: null
    })
    yield* Teams.set(owner, team, { repositories: ["https://tracker.example.com/acme/pay"] })
    const bad = {
      serves: () => true,
      defaultBranch: () => new HostFailed({ reason: "Bad credentials", isFinal: false })
    } as unknown as CodeHost
    yield* Effect.provideService(WatchConnections.round(), ConnectedHosts, () => Effect.succeed([bad]))
    assert.deepStrictEqual(
      (yield* (yield* ConnectionStore).list(id)).map(({ name, trouble }) => [name, trouble?.reason]),
      [
        ["another", "Bad credentials"],
        ["tracker", undefined]
      ]
    )
  }).pipe(Effect.provide([Memory.layer, Equipment.layer]))
)
