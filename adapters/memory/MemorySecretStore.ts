import { Effect, Layer } from "effect"
import { SecretStore } from "../../application/ports/SecretStore.ts"
import { Connection } from "../../domain/connection/Connection.ts"
import { Place } from "../../domain/oncall/Place.ts"
import * as SecretBinding from "../../domain/value/SecretBinding.ts"
import { SignalSource } from "../../domain/oncall/SignalSource.ts"
import { State, write } from "./MemoryState.ts"

export const layer = Layer.effect(
  SecretStore,
  Effect.map(State, (state) => {
    const sources = () =>
      [...state.values()].flatMap((tenant) => [...tenant.sources.values()].map((one) => ({ tenant, one })))
    const places = () =>
      [...state.values()].flatMap((tenant) => [...tenant.places.values()].map((one) => ({ tenant, one })))
    const connections = () =>
      [...state.values()].flatMap((tenant) =>
        [...tenant.connections.values()].flatMap((one) => (one.removedAt === null ? [{ tenant, one }] : []))
      )
    const sealedOf = ({ credentials, secrets }: SignalSource) => [
      ...secrets.map(({ sealed }) => sealed),
      ...(credentials === null ? [] : [credentials])
    ]
    return SecretStore.of({
      keyIds: Effect.sync(() => [
        ...new Set(
          [
            ...sources().flatMap(({ one }) => sealedOf(one)),
            ...places().map(({ one }) => one.address),
            ...connections().map(({ one }) => one.credentials)
          ].map(SecretBinding.keyIdOf)
        )
      ]),
      rewrap: (keyIds, rewrap) =>
        Effect.gen(function* () {
          const isOld = (sealed: string) => keyIds.includes(SecretBinding.keyIdOf(sealed))
          for (const { one, tenant } of sources().filter((held) => sealedOf(held.one).some(isOld))) {
            const about = SecretBinding.ofSource(one.id)
            const [first, ...rest] = yield* Effect.forEach(one.secrets, ({ sealed, until }) =>
              Effect.map(rewrap(sealed, about), (renewed) => ({ sealed: renewed, until }))
            )
            const credentials = one.credentials === null ? null : yield* rewrap(one.credentials, about)
            write(tenant, { sources: [new SignalSource({ ...one, secrets: [first, ...rest], credentials })] })
          }
          for (const { one, tenant } of places().filter((held) => isOld(held.one.address))) {
            const address = yield* rewrap(one.address, SecretBinding.ofPlace(one))
            write(tenant, { places: [new Place({ ...one, address })] })
          }
          for (const { one, tenant } of connections().filter((held) => isOld(held.one.credentials))) {
            const credentials = yield* rewrap(one.credentials, SecretBinding.ofConnection(one.id))
            write(tenant, { connections: [new Connection({ ...one, credentials })] })
          }
        })
    })
  })
)
