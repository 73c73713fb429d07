import { Context, Effect, Redacted, Schema } from "effect"
import type { Person } from "../../application/workspace/Authorization.ts"
import * as TestSource from "../../application/oncall/TestSource.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import { DeliveryId, type DeliveryView } from "../../domain/oncall/Delivery.ts"
import type { SignalSource } from "../../domain/oncall/SignalSource.ts"
import { signalAddress } from "./SignalAddress.ts"
import { name } from "./SourceText.ts"
import { personalVerb } from "./Command.ts"

class TestNotAccepted extends Schema.TaggedError<TestNotAccepted>()("TestNotAccepted", {
  address: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `The test was not accepted at ${this.address}: ${this.problem}`
  }
}

interface Answer {
  readonly status: number
  readonly text: string
}

const patience = 10_000

/** The reason in the cause of a failed request, such as ECONNREFUSED. */
const reasonOf = (error: unknown): string => {
  const { cause, message, name } = Object(error) as { cause?: unknown; message?: string; name?: string }
  if (name === "TimeoutError") return `no answer within ${patience / 1000} s`
  return Object(cause).code ?? message ?? String(error)
}

/** Posts to the address that tools use; a proxy in front of the service is part of the test. */
export class Posting extends Context.Reference<Posting>()("cli/Posting", {
  defaultValue:
    () =>
    (url: string, { body, headers }: Pick<TestSource.TestPost, "body" | "headers">): Effect.Effect<Answer, string> =>
      Effect.tryPromise({
        try: async () => {
          const signal = AbortSignal.timeout(patience)
          const answer = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" })
          return { status: answer.status, text: await answer.text() }
        },
        catch: reasonOf
      })
}) {}

const wayOut = "Is the service running, and is PUBLIC_URL or SIGNAL_WEBHOOK_URL its address?"

const messageIn = (text: string): string | null => {
  try {
    return (JSON.parse(text) as { readonly error?: { readonly message?: string } }).error?.message ?? null
  } catch {
    return null
  }
}

const idIn = Schema.decodeOption(Schema.parseJson(Schema.Struct({ deliveryId: DeliveryId })))

/** The delivery once it is triaged; as it is when that takes too long. */
const triaged = (workspace: Person["workspace"], source: SignalSource, id: DeliveryId) =>
  Effect.gen(function* () {
    const store = yield* SignalStore
    const look = Effect.map(
      store.ledger(workspace, source.id, { limit: 1, before: null }, id),
      ({ items }) => (JSON.parse(items) as ReadonlyArray<typeof DeliveryView.Encoded>)[0]
    )
    let found = yield* look
    for (let tries = 0; tries < 50 && found?.status === "waiting"; tries++) {
      yield* Effect.sleep("100 millis")
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
      const post = yield* Posting
      const results = yield* Effect.forEach(posts, ({ body, headers, path, status: sent }) =>
        Effect.gen(function* () {
          const refuse = (problem: string) => new TestNotAccepted({ address, problem })
          const answer = yield* Effect.mapError(post(`${base}/${Redacted.value(path)}`, { body, headers }), (reason) =>
            refuse(`${reason}. ${wayOut}`)
          )
          if (answer.status !== 202)
            return yield* refuse(`status ${answer.status}. ${messageIn(answer.text) ?? wayOut}`)
          const { deliveryId: delivery } = yield* Effect.mapError(idIn(answer.text), () =>
            refuse(`the answer is not the service's. ${wayOut}`)
          )
          const { status, verdicts } = (yield* triaged(person.workspace, source, delivery)) ?? {
            status: "waiting" as const,
            verdicts: []
          }
          return { sent, delivery, status, verdicts }
        })
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
