import { assert, it } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Json from "../../application/ports/Json.ts"
import * as Members from "../../application/workspace/Members.ts"
import { Origin } from "../../application/workspace/RequestOrigin.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"

const everything = { limit: 1000, before: null }
const decode = Json.decoder(Audit.RecordedEntry)

export const auditLogContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`AuditLog (${adapter})`, (it) => {
    it.effect("has on record what was done on the command line, whoever did it, and nothing else as such", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const log = yield* AuditLog
        const commands = Effect.provideService(Origin, { isCommandLine: true })
        const fact = Audit.fact(bySystem, "access_denied", { type: "workspace", id, name: slug })
        const add = (name: string) =>
          Members.add(bySystem, { workspace: slug, email: `${name}@acme.test` as Email, name, role: "member" })
        yield* add("app")
        yield* commands(add("cli"))
        yield* commands(log.append(id, { audit: [fact] }))
        yield* log.append(id, { audit: [fact] })
        const { items } = yield* log.page(id, Seed.anyEntry, { limit: 4, before: null })
        assert.deepStrictEqual(
          Json.each(items).map((item) => decode(item).details["cli"]),
          [undefined, true, true, undefined]
        )
        assert.strictEqual((yield* log.verify(id)).firstBad, null)
      })
    )

    it.effect("returns an entry of a later version, and its chain holds", () =>
      Effect.gen(function* () {
        const { id } = yield* Seed.workspace
        const log = yield* AuditLog
        const entity = { type: "estimate" as "story", id: "est-1", name: "Sizes" }
        const later = Audit.fact(bySystem, "story_estimated" as Audit.Event, entity)
        yield* log.append(id, { audit: [later] })
        const { items } = yield* log.page(id, Seed.anyEntry, { limit: 1, before: null })
        const [entry] = Json.each(items).map(Json.decoder(Audit.RecordedEntry))
        assert.deepStrictEqual([entry?.event, entry?.entity.type], ["story_estimated", "estimate"])
        assert.strictEqual((yield* log.verify(id)).firstBad, null)
      })
    )

    it.effect("takes every filter alone and together, newest first", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        yield* Seed.load(slug, Seed.small)
        const log = yield* AuditLog
        const read = (filter: Partial<typeof Seed.anyEntry> | object) =>
          Effect.map(log.page(id, { ...Seed.anyEntry, ...filter }, everything), ({ items }) =>
            Json.each(items).map(decode)
          )
        const all = yield* read({})
        const team = "payments" as TeamSlug
        const run = "run-aaaa" as RunKey
        const filters: ReadonlyArray<readonly [object, (entry: Audit.RecordedEntry) => boolean]> = [
          [{ team }, (entry) => entry.team === team],
          [{ actor: "system" }, () => true],
          [{ actor: "human" }, () => false],
          [{ event: "story_moved" }, (entry) => entry.event === "story_moved"],
          [{ run }, (entry) => entry.runKey === run],
          [{ team, event: "decision_raised" }, (entry) => entry.team === team && entry.event === "decision_raised"],
          [{ team, run, actor: "system" }, (entry) => entry.team === team && entry.runKey === run],
          [{ run: "run-zzzz" as RunKey }, () => false]
        ]
        for (const [filter, matches] of filters)
          assert.deepStrictEqual(yield* read(filter), all.filter(matches), JSON.stringify(filter))
        const unknown = log.page(id, { ...Seed.anyEntry, team: "nobody" as TeamSlug }, everything)
        assert.strictEqual((yield* Effect.flip(Effect.asVoid(unknown)))._tag, "TeamNotFound")
      })
    )

    it.effect("bounds of time are inclusive to the millisecond", () =>
      Effect.gen(function* () {
        const { id } = yield* Seed.workspace
        const log = yield* AuditLog
        const { count: all, items } = yield* log.page(id, Seed.anyEntry, everything)
        const at = Json.each(items).map(decode)[0]?.timestamp ?? DateTime.unsafeMake(0)
        const count = (from: DateTime.Utc | null, to: DateTime.Utc | null) =>
          Effect.map(log.page(id, { ...Seed.anyEntry, from, to }, everything), (page) => page.count)
        const later = DateTime.add(at, { millis: 1 })
        const earlier = DateTime.subtract(at, { millis: 1 })
        assert.strictEqual(yield* count(at, at), all)
        assert.strictEqual(yield* count(earlier, later), all)
        assert.strictEqual(yield* count(later, null), 0)
        assert.strictEqual(yield* count(null, earlier), 0)
      })
    )

    it.effect("under 64 writers at once the chain has no gap and no fork", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const log = yield* AuditLog
        const entity = { type: "audit_export", id: "export", name: "export" } as const
        const write = (turn: number) =>
          turn % 2 === 0
            ? log.append(id, { audit: [Audit.fact(bySystem, "audit_exported", entity)] })
            : Effect.orDie(
                Members.add(bySystem, {
                  workspace: slug,
                  email: `m${turn}@acme.test` as Email,
                  name: "M",
                  role: "member"
                })
              )
        yield* Effect.forEach(
          Array.from({ length: 64 }, (_, turn) => turn),
          write,
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(yield* log.verify(id), { entries: 66, firstBad: null })
      })
    )
  })
