import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryState from "../../adapters/memory/MemoryState.ts"
import * as Demo from "../../application/work/Demo.ts"
import * as Json from "../../application/ports/Json.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { AuditEntry } from "../../domain/workspace/Audit.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Equipment from "../support/Equipment.ts"
import * as Seed from "../support/Seed.ts"
import type { Snapshot } from "../support/Snapshot.ts"
import { turns } from "../support/Share.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import type { Stores } from "../support/World.ts"
import { type Act, acts, arrange, type Place, refused, restored } from "./house.ts"
import { rows } from "./onRecordRows.ts"
import { counted, demo, found, harmless, identity, jobs, personal, sealing } from "./useCases.ts"
import { type Watch, watchMemory, watchPostgres } from "./writers.ts"

it("every use case has its row here", async () => {
  assert.deepStrictEqual(
    await found(),
    [...harmless, ...counted, ...sealing, ...demo, ...identity, ...personal, ...jobs, ...Object.keys(rows)].sort()
  )
})

const decode = Json.decoder(AuditEntry)

type Entry = Snapshot["audit"][number]

/** An entry in the notation of the rows. */
const told = ({ entity, event, runKey, team }: Entry) =>
  [event, entity.type, team, runKey && "run"].filter((word) => word !== null).join(" ")

/** Checks the fields that every entry must have. */
const assertWhole = (entry: Entry) => {
  decode(Json.trust(JSON.stringify(entry)))
  const { actor, details, entity } = entry
  assert.strictEqual(details["v"], 1)
  assert.property(details, "requestId")
  assert.isTrue([actor.name, entity.id, entity.name].every((word) => word !== ""))
  assert.strictEqual(actor.type === "human", actor.userId !== null)
  assert.strictEqual(details["channel"], actor.type === "human" ? "app" : undefined)
}

const entriesOf = (id: WorkspaceId) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* AuditLog).page(id, Seed.anyEntry, { limit: 10_000, before: null })
    return Json.each(items)
      .map((item) => JSON.parse(item) as Entry)
      .toReversed()
  })

const assertVerified = (id: WorkspaceId, audit: ReadonlyArray<Entry>) =>
  Effect.gen(function* () {
    const verdict = yield* (yield* AuditLog).verify(id)
    assert.deepStrictEqual(verdict, { entries: audit.length, firstBad: null })
  })

const onRecord = <R, E>(
  adapter: string,
  stores: Layer.Layer<Stores | R, E>,
  watch: Watch<Stores | R>,
  arranged: Effect.Effect<Place, unknown, Stores | Equipment.Equipment | R>,
  table: ReadonlyArray<[string, (typeof rows)[string]]>
) => {
  const layer = Layer.merge(stores, Equipment.layer)
  it.layer(layer, { timeout: "60 seconds" })(`on record (${adapter})`, (it) => {
    for (const [name, { act, actor = "human", counts, entries, isRecordOnly, refusals = {} }] of table)
      it.effect(name, () =>
        Effect.gen(function* () {
          const place = yield* arranged
          const before = yield* entriesOf(place.id)
          const mark = yield* watch.mark(place)
          for (const [tag, refusal] of Object.entries(refusals))
            assert.strictEqual((yield* refused(refusal(place, place.people.owner)))._tag, tag)
          assert.deepStrictEqual(yield* watch.since(place, mark), { rows: [], entries: [] })
          const { made } = Object(yield* act(place, place.people.owner)) as { readonly made?: WorkspaceId }
          const written = yield* watch.since(place, mark, counts)
          for (const transaction of written.rows) assert.include(written.entries, transaction, "rows without an entry")
          if (made === undefined) assert.strictEqual(written.rows.length === 0, isRecordOnly === true)
          const after = yield* entriesOf(made ?? place.id)
          const added = after.slice(made === undefined ? before.length : 0)
          assert.deepStrictEqual(added.map(told), entries)
          for (const entry of added) {
            assertWhole(entry)
            assert.deepStrictEqual([entry.actor.type, entry.result], [actor, "success"])
          }
          yield* assertVerified(made ?? place.id, after)
        })
      )

    it.effect("who may not is denied, and that alone is written", () =>
      Effect.gen(function* () {
        const place = yield* arranged
        const before = yield* entriesOf(place.id)
        const mark = yield* watch.mark(place)
        const { "Members.add": add, "Teams.create": create, "Teams.pause": pause, "Teams.remove": remove } = acts
        const denied: ReadonlyArray<Act> = [add, create, pause, remove, acts["Teams.setPolicy"]]
        for (const act of denied) yield* refused(act(place, place.people.member))
        assert.deepStrictEqual((yield* watch.since(place, mark)).rows, [])
        const after = yield* entriesOf(place.id)
        const added = after.slice(before.length)
        assert.deepStrictEqual(
          added.map(({ event, result }) => `${event} ${result}`),
          denied.map(() => "access_denied denied")
        )
        added.forEach(assertWhole)
        yield* assertVerified(place.id, after)
      })
    )

    it.effect("the demo is made of what is on record, once", () =>
      Effect.gen(function* () {
        const slug = "demo" as WorkspaceSlug
        const document = { teams: Seed.small.teams.toReversed() }
        const seen = Effect.gen(function* () {
          const id = yield* Workspaces.idOf(slug)
          const audit = yield* entriesOf(id)
          audit.forEach(assertWhole)
          yield* assertVerified(id, audit)
          return { id, entries: audit.map(told) }
        })
        assert.isNotNull(yield* Demo.onFirstStart(document))
        const first = yield* seen
        assert.includeMembers(first.entries, ["workspace_created workspace", "decision_resolved decision payments run"])
        assert.isNull(yield* Demo.onFirstStart(document))
        assert.deepStrictEqual(yield* seen, first)
        yield* Demo.recreate(document)
        const second = yield* seen
        assert.deepStrictEqual([second.entries, second.id === first.id], [first.entries, false])
        yield* Workspaces.retire(bySystem, slug)
        yield* Workspaces.create(bySystem, { slug, name: "Mine", owner: { email: Seed.ownerEmail, name: "Olga" } })
        const mine = yield* seen
        assert.strictEqual((yield* Effect.flip(Demo.recreate(document)))._tag, "NotTheDemo")
        assert.deepStrictEqual(yield* seen, mine)
      }).pipe(Effect.provide(layer))
    )
  })
}

const memory = Layer.merge(Memory.layer, MemoryState.layer)
onRecord("memory", memory, watchMemory, restored(arrange), [...turns(Object.entries(rows))])
onRecord("postgres", TestPostgres.layer, watchPostgres, arrange, [...turns(Object.entries(rows), 21)])
