import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Schema } from "effect"
import type { Person } from "../../../application/workspace/Authorization.ts"
import * as TriageWorker from "../../../application/jobs/TriageWorker.ts"
import { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import { SignalStore } from "../../../application/ports/SignalStore.ts"
import type { SourceUnknown } from "../../../domain/oncall/commands/SourceErrors.ts"
import { sourceNamed } from "../../../domain/oncall/commands/ChangeSource.ts"
import { DeliveryId, type DeliveryView } from "../../../domain/oncall/Delivery.ts"
import type { RefusedDelivery } from "../../../domain/oncall/RefusedDelivery.ts"
import { cut, Line, oneLine } from "../../../domain/value/Text.ts"
import { option, type usage } from "../Options.ts"
import { type Asked, type Listed, paged, pageOf, personalList } from "../Paging.ts"
import { name } from "../SourceText.ts"
import { personalVerb } from "../Command.ts"

type Shown = typeof DeliveryView.Encoded
type ShownRefused = typeof RefusedDelivery.Encoded

const line = ({ id, receivedAt, status, verdicts }: Shown) =>
  [
    [id, receivedAt, status].join("  "),
    ...verdicts.map(({ explanation, fingerprint, verdict }) =>
      [`          ${verdict}`, ...(fingerprint === null ? [] : [fingerprint]), explanation].join("  ")
    )
  ].join("\n")

const refusedLine = ({ body, code, message, receivedAt, status }: ShownRefused) =>
  [
    [receivedAt, status, code].join("  "),
    `          ${message}`,
    ...(body === null || body === "" ? [] : [`          ${cut(oneLine(body), 200)}`])
  ].join("\n")

const found = (workspace: Person["workspace"], name: string) =>
  Effect.flatMap(OnCallStore, (store) =>
    Effect.flatMap(store.look(workspace), ({ sources }) => sourceNamed(sources, name))
  )

const accepted = (workspace: Person["workspace"], name: string, asked: Asked) =>
  Effect.gen(function* () {
    const { id } = yield* found(workspace, name)
    const store = yield* SignalStore
    return yield* pageOf<DeliveryView, Shown, never, never>(
      { workspace, list: "deliveries", filters: { source: id } },
      asked,
      (request) => store.ledger(workspace, id, request)
    )
  })

const refused = (workspace: Person["workspace"], name: string, asked: Asked) =>
  Effect.gen(function* () {
    const { id } = yield* found(workspace, name)
    const store = yield* SignalStore
    return yield* pageOf<RefusedDelivery, ShownRefused, never, never>(
      { workspace, list: "refused", filters: { source: id } },
      asked,
      (request) => store.refusedLedger(workspace, id, request)
    )
  })

const none = "No deliveries."

export const deliveries = personalList(
  "deliveries",
  "List what a source sent and what became of each alert, newest first; --json shows what was sent",
  { name, ...paged },
  ({ workspace }, { name, ...asked }) => accepted(workspace, name, asked),
  none,
  (items) => items.map(line)
)

/** Deliveries of a source, or its refused posts. */
const either = (
  workspace: Person["workspace"],
  { isRefused, source, ...asked }: Asked & { readonly isRefused: boolean; readonly source: string }
): Effect.Effect<Listed<Shown | ShownRefused>, SourceUnknown | ReturnType<typeof usage>, OnCallStore | SignalStore> =>
  isRefused ? refused(workspace, source, asked) : accepted(workspace, source, asked)

const list = personalList(
  "list",
  "List what a source sent and what became of each alert, or what was refused, newest first",
  {
    source: option("source", Line(200), "text of 1 to 200 characters", { description: "Name of the signal source" }),
    refused: Options.boolean("refused").pipe(
      Options.withDescription("Lists the last posts that were refused, with the reason and the first 2 KB")
    ),
    ...paged
  },
  ({ workspace }, { refused: isRefused, ...asked }) => either(workspace, { isRefused, ...asked }),
  none,
  (items) => items.map((item) => ("code" in item ? refusedLine(item) : line(item)))
)

const delivery = option("delivery", Schema.compose(Schema.Lowercase, DeliveryId), "the id of a delivery", {
  description: "Id of the delivery; 'source deliveries' shows them",
  placeholder: "ID"
})

export const replay = personalVerb(
  "replay",
  "Have a delivery judged once more, by what is set up now",
  { delivery },
  (person, input) =>
    Effect.as(TriageWorker.replay(person, input.delivery), { delivery: input.delivery, replayed: true }),
  ({ delivery }) => `The delivery ${delivery} is judged once more as soon as the service comes to it.`
)

export const deliveryCommand = Command.make("delivery").pipe(
  Command.withDescription("See what sources sent, and what was refused"),
  Command.withSubcommands([list])
)
