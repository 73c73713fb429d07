import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Redacted } from "effect"
import * as Tools from "../../adapters/alerting/Tools.ts"
import * as Places from "../../application/oncall/Places.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { OldSecretKeys, SecretKey } from "../../application/secrets/SecretKey.ts"
import { SecretStore } from "../../application/ports/SecretStore.ts"
import * as KeyRotation from "../../application/secrets/KeyRotation.ts"
import * as Sealing from "../../application/secrets/Sealing.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import { sourceChanged } from "../../domain/oncall/commands/ChangeSource.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { answered } from "../../domain/Change.ts"
import * as SecretBinding from "../../domain/value/SecretBinding.ts"
import { SignalSource } from "../../domain/oncall/SignalSource.ts"
import { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"

const keyOf = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))

/** Runs as a service with these keys, the first of which seals. */
const having = <A, E>(effect: Effect.Effect<A, E, Stores | Sealing.Sealing>, current: number, ...old: Array<number>) =>
  Effect.provide(effect, Sealing.layer).pipe(
    Effect.provideService(SecretKey, keyOf(current)),
    Effect.provideService(OldSecretKeys, old.map(keyOf))
  )

const idOf = (byte: number) =>
  Effect.map(
    having(
      Effect.flatMap(Sealing.Sealing, (sealing) => sealing.keyIds),
      byte
    ),
    ([id]) => id
  )

/** A source with two valid secrets and credentials, and a place. */
const furnish = (slug: Effect.Effect.Success<typeof Seed.workspace>["slug"]) =>
  Effect.gen(function* () {
    yield* Seed.load(slug, Seed.small)
    const owner = yield* People.person(slug)
    const input = { name: "pager", services: [], secret: Redacted.make("first"), isTimestampRequired: false }
    yield* Sources.create(owner, { ...input, kind: "opsgenie" })
    yield* Sources.setSecret(owner, "pager", Redacted.make("second"))
    const [created] = (yield* (yield* OnCallStore).look(owner.workspace)).sources
    if (created === undefined) return
    const credentials = yield* (yield* Sealing.Sealing).seal(Redacted.make("third"), SecretBinding.ofSource(created.id))
    const having = new SignalSource({ ...created, credentials })
    yield* (yield* OnCallStore).change(owner.workspace, {}, () =>
      answered(sourceChanged(bySystem, new SignalSource(created), having), undefined)
    )
    const team = TeamSlug.make("payments")
    yield* Places.add(owner, { team, name: "chat", address: Redacted.make("https://chat.example/fourth") })
  }).pipe(Effect.provide(Tools.layer))

const secretsOf = (workspace: WorkspaceId) =>
  Effect.gen(function* () {
    const sealing = yield* Sealing.Sealing
    const look = yield* (yield* OnCallStore).look(workspace)
    const [place, source] = [look.places[0], look.sources[0]]
    if (place === undefined || source === undefined) return []
    const sealed = [...source.secrets.map((secret) => secret.sealed), source.credentials ?? ""]
    const opened = yield* Effect.forEach(sealed, (text) => sealing.open(text, SecretBinding.ofSource(source.id)))
    return [...opened, yield* sealing.open(place.address, SecretBinding.ofPlace(place))].map(Redacted.value).toSorted()
  })

const all = ["first", "https://chat.example/fourth", "second", "third"]

export const secretStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`SecretStore (${adapter})`, (it) => {
    it.effect("knows the key of everything sealed, and has it sealed anew with another one", () =>
      Effect.gen(function* () {
        const store = yield* SecretStore
        assert.deepStrictEqual(yield* store.keyIds, [])
        const [one, two] = [yield* Seed.workspace, yield* Seed.workspace]
        yield* having(furnish(one.slug), 1)
        yield* having(furnish(two.slug), 2)
        assert.deepStrictEqual(new Set(yield* store.keyIds), new Set([yield* idOf(1), yield* idOf(2)]))

        const wrong = yield* Effect.flip(having(KeyRotation.begin([]), 3, 2))
        assert.strictEqual(wrong._tag, "SecretKeyWrong")
        assert.include(wrong.message, yield* idOf(1))

        const lost = yield* idOf(1)
        yield* having(KeyRotation.begin([lost]), 3, 2)
        assert.deepStrictEqual(new Set(yield* store.keyIds), new Set([lost, yield* idOf(3)]))
        yield* having(KeyRotation.begin([]), 3, 1)
        assert.deepStrictEqual(yield* store.keyIds, [yield* idOf(3)])
        for (const { id } of [one, two]) assert.deepStrictEqual(yield* having(secretsOf(id), 3), all)
        yield* having(KeyRotation.begin([]), 3)
      })
    )

    it.effect("leaves what cannot be sealed anew as it is", () =>
      Effect.gen(function* () {
        const store = yield* SecretStore
        const before = yield* store.keyIds
        const refused = yield* Effect.flip(store.rewrap(before, () => Effect.fail("no")))
        assert.deepStrictEqual([refused, yield* store.keyIds], ["no", before])
        let count = 0
        yield* store.rewrap(before, (sealed) => {
          count++
          return Effect.succeed(sealed.replace(/^v1\.\w+/, "v1.another"))
        })
        assert.deepStrictEqual([count, yield* store.keyIds], [8, ["another"]])
      })
    )
  })
