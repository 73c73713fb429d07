import { Effect, Layer } from "effect"
import { SecretStore } from "../../application/ports/SecretStore.ts"
import { Place } from "../../domain/Place.ts"
import { SignalSource } from "../../domain/SignalSource.ts"
import { State, write } from "./State.ts"

const keyIdOf = (sealed: string) => sealed.split(".")[1] ?? ""

export const layer = Layer.effect(
  SecretStore,
  Effect.map(State, (state) => {
    const sources = () =>
      [...state.values()].flatMap((tenant) => [...tenant.sources.values()].map((one) => ({ tenant, one })))
    const places = () =>
      [...state.values()].flatMap((tenant) => [...tenant.places.values()].map((one) => ({ tenant, one })))
    const sealedOf = ({ credentials, secrets }: SignalSource) => [
      ...secrets.map(({ sealed }) => sealed),
      ...(credentials === null ? [] : [credentials])
    ]
    return SecretStore.of({
      keyIds: Effect.sync(() => [
        ...new Set(
          [...sources().flatMap(({ one }) => sealedOf(one)), ...places().map(({ one }) => one.address)].map(keyIdOf)
        )
      ]),
      rewrap: (keyIds, rewrap) =>
        Effect.gen(function* () {
          let count = 0
          const renew = (sealed: string, about: string) => {
            if (!keyIds.includes(keyIdOf(sealed))) return Effect.succeed(sealed)
            count++
            return rewrap(sealed, about)
          }
          for (const { one, tenant } of sources()) {
            const about = `source ${one.id}`
            const [first, ...rest] = yield* Effect.forEach(one.secrets, ({ sealed, until }) =>
              Effect.map(renew(sealed, about), (renewed) => ({ sealed: renewed, until }))
            )
            const credentials = one.credentials === null ? null : yield* renew(one.credentials, about)
            write(tenant, { sources: [new SignalSource({ ...one, secrets: [first, ...rest], credentials })] })
          }
          for (const { one, tenant } of places()) {
            const address = yield* renew(one.address, `place ${one.team} ${one.name}`)
            write(tenant, { places: [new Place({ ...one, address })] })
          }
          return count
        })
    })
  })
)
