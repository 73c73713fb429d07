import { Effect, Redacted } from "effect"
import type { Person } from "../../application/workspace/Authorization.ts"
import * as TestSource from "../../application/oncall/TestSource.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import type { DeliveryId, DeliveryView } from "../../domain/oncall/Delivery.ts"
import type { SignalSource } from "../../domain/oncall/SignalSource.ts"
import { postTest } from "../PostSignal.ts"
import { signalAddress } from "./SignalAddress.ts"
import { name } from "./SourceText.ts"
import { personalVerb } from "./Command.ts"

/** The delivery once it is triaged; as it is when that takes too long. */
const triaged = (workspace: Person["workspace"], source: SignalSource, id: DeliveryId) =>
  Effect.gen(function* () {
    const store = yield* SignalStore
    const look = Effect.map(
      store.ledger(workspace, source.id, { limit: 1, before: null }, id),
      ({ items }) => (JSON.parse(items) as ReadonlyArray<typeof DeliveryView.Encoded>)[0]
    )
    let found = yield* look
    for (let tries = 0; tries < 500 && found?.status === "waiting"; tries++) {
      yield* Effect.sleep("10 millis")
      found = yield* look
    }
    return found
  })

export const test = personalVerb(
  "test",
  "Send a signed test alert and its recovery to the source's address, and show their verdicts",
  { name },
  (person, input) =>
    Effect.gen(function* () {
      const { posts, source } = yield* TestSource.prepare(person, input.name)
      const base = yield* signalAddress
      const address = `${base}/${source.token}`
      const sent = yield* Effect.forEach(posts, ({ body, headers, path, status }) =>
        Effect.map(postTest(`${base}/${Redacted.value(path)}`, address, { body, headers }), (delivery) => ({
          sent: status,
          delivery
        }))
      )
      const results = yield* Effect.forEach(sent, (post) =>
        Effect.map(triaged(person.workspace, source, post.delivery), (found) => ({
          ...post,
          status: found?.status ?? ("waiting" as const),
          verdicts: found?.verdicts ?? []
        }))
      )
      return { source: source.name, kind: source.kind, url: address, results }
    }),
  ({ results, source, url }) =>
    [
      `${source} accepts signed posts at ${url}`,
      ...results.flatMap(({ delivery, sent, status, verdicts }) => [
        `${sent}  ${delivery}  ${status}`,
        ...verdicts.map(({ explanation, verdict }) => `          ${verdict}  ${explanation}`),
        ...(status === "waiting" ? ["          It waits for triage; 'source deliveries' shows its status."] : [])
      ])
    ].join("\n")
)
