import { Effect, Struct } from "effect"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import { sourceNamed } from "../../domain/oncall/commands/ChangeSource.ts"
import type { DeliveryView } from "../../domain/oncall/Delivery.ts"
import type { RefusedDelivery } from "../../domain/oncall/RefusedDelivery.ts"
import * as CheckOptions from "./CheckOptions.ts"
import { wordsShown } from "./SeverityOptions.ts"
import { name, shownIn } from "./SourceText.ts"
import { personalVerb } from "./Command.ts"

/** Shows a source with the results of its last posts. */
export const show = personalVerb(
  "show",
  "Show one source: its settings, its last good delivery and its last refusal",
  { name },
  ({ workspace }, input) =>
    Effect.gen(function* () {
      const store = yield* OnCallStore
      const signals = yield* SignalStore
      const source = yield* sourceNamed((yield* store.sources(workspace)).sources, input.name)
      const last = { limit: 1, before: null }
      const deliveries = yield* signals.ledger(workspace, source.id, last)
      const refusals = yield* signals.refusedLedger(workspace, source.id, last)
      const [delivery] = JSON.parse(deliveries.items) as ReadonlyArray<typeof DeliveryView.Encoded>
      const [refusal] = JSON.parse(refusals.items) as ReadonlyArray<typeof RefusedDelivery.Encoded>
      return {
        ...(yield* shownIn(workspace, source)),
        refused: (yield* store.refusals(workspace)).get(source.id)?.count ?? 0,
        lastDelivery: delivery === undefined ? null : Struct.pick(delivery, "id", "receivedAt", "status"),
        lastRefusal: refusal === undefined ? null : Struct.omit(refusal, "body")
      }
    }),
  (source) => {
    const { check, lastDelivery, lastRefusal } = source
    return [
      [source.name, source.kind, source.services.join(", ") || "no service", source.paused ? "paused" : "active"].join(
        "  "
      ),
      ...(check ? [CheckOptions.inWords(check)] : [`URL: ${source.url}`]),
      ...(source.connected ? [] : ["Not connected."]),
      ...wordsShown(source.severities),
      `Last good delivery: ${lastDelivery === null ? "none" : `${lastDelivery.receivedAt}  ${lastDelivery.id}`}`,
      lastRefusal === null
        ? "Last refusal: none"
        : `Last refusal: ${lastRefusal.receivedAt}  ${lastRefusal.status} ${lastRefusal.code}  ${lastRefusal.message} (${source.refused} in all)`,
      ...(source.trouble === null ? [] : [`Its API refused us: ${source.trouble}`])
    ].join("\n")
  }
)
