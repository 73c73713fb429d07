import { Effect, Schema } from "effect"
import * as Draining from "../../application/Draining.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import * as Sources from "../../application/Sources.ts"
import { DeliveryId, type DeliveryView } from "../../domain/Delivery.ts"
import { limitOf, option } from "./Given.ts"
import { name } from "./SourceShown.ts"
import { personalVerb } from "./Verb.ts"

type Shown = typeof DeliveryView.Encoded

const line = ({ id, receivedAt, status, verdicts }: Shown) =>
  [
    [id, receivedAt, status].join("  "),
    ...verdicts.map(({ explanation, fingerprint, verdict }) =>
      [`          ${verdict}`, ...(fingerprint === null ? [] : [fingerprint]), explanation].join("  ")
    )
  ].join("\n")

export const deliveries = personalVerb(
  "deliveries",
  "List what a source sent and what became of each alert, newest first; --json shows what was sent",
  { name, limit: limitOf(20) },
  ({ workspace }, { limit, name }) =>
    Effect.gen(function* () {
      const { sources } = yield* (yield* OnCallStore).look(workspace)
      const source = yield* Sources.named(sources, name)
      const items = yield* (yield* SignalStore).ledger(workspace, source.id, limit)
      return items.map((item) => JSON.parse(item) as Shown)
    }),
  (items) => (items.length === 0 ? "No deliveries." : items.map(line).join("\n"))
)

const delivery = option("delivery", Schema.compose(Schema.Lowercase, DeliveryId), "the id of a delivery", {
  description: "Id of the delivery; 'source deliveries' shows them",
  placeholder: "ID"
})

export const replay = personalVerb(
  "replay",
  "Have a delivery judged once more, by what is set up now",
  { delivery },
  (person, input) => Effect.as(Draining.replay(person, input.delivery), { delivery: input.delivery, replayed: true }),
  ({ delivery }) => `The delivery ${delivery} is judged once more as soon as the service comes to it.`
)
