import { Effect, Layer } from "effect"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { Trackers } from "../../application/ports/tracker/Trackers.ts"
import * as Bindings from "../../application/work/tracker/Bindings.ts"
import { usualMapping } from "../../domain/tracker/Mapping.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { type Act, payments, web } from "./house.ts"
import type { Row } from "./OnRecordRow.ts"

/** Every connection leads to an empty tracker. */
const empty = Layer.sync(Trackers, () => {
  const { tracker } = MemoryTracker.make()
  return () => tracker
})

const wanted = { team: payments, connection: "github", project: "acme/pay", mapping: usualMapping }

const bound =
  (more: Partial<Bindings.BindingInput> = {}): Act =>
  (_, person) =>
    Effect.provide(Bindings.bind(person, { ...wanted, ...more }), empty)

const nobody = "nobody" as TeamSlug
const twice = [...usualMapping.columns, ...usualMapping.columns]

/** Acts of people on the tracker of a team. */
export const trackerActs = {
  "Bindings.bind": bound(),
  "Bindings.check": (_, person) => Effect.provide(Bindings.check(person, wanted), empty),
  "Bindings.list": (_, person) => Bindings.list(person),
  "Bindings.unbind": (place, person) =>
    Effect.catchTag(Bindings.unbind(person, payments), "TeamNotBound", () =>
      Effect.zipRight(bound()(place, person), Bindings.unbind(person, payments))
    )
} satisfies Readonly<Record<string, Act>>

const changed = "team_changed team payments"

/** Use cases of trackers. */
export const trackerRows: Readonly<Record<string, Row>> = {
  "Bindings.bind": {
    act: trackerActs["Bindings.bind"],
    entries: [changed],
    refusals: {
      ConnectionNotFound: bound({ connection: "nobody" }),
      TeamNotFound: bound({ team: nobody }),
      InvalidBinding: bound({ mapping: { ...usualMapping, columns: twice } })
    }
  },
  "Bindings.unbind": {
    act: trackerActs["Bindings.unbind"],
    entries: [changed, changed],
    refusals: { TeamNotBound: (_, person) => Bindings.unbind(person, web) }
  }
}
