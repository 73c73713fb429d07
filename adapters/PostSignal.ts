import { text } from "node:stream/consumers"
import { Context, Effect, Schema } from "effect"
import { DeliveryId } from "../domain/oncall/Delivery.ts"

/** A post as a tool sends it. */
interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Answer {
  readonly status: number
  readonly text: string
}

export class TestNotAccepted extends Schema.TaggedError<TestNotAccepted>()("TestNotAccepted", {
  address: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `The test was not accepted at ${this.address}: ${this.problem}`
  }
}

const patience = 3_000

/** The reason of a failed request, such as ECONNREFUSED. */
const reasonOf = (error: unknown): string => {
  const { cause, code, message } = Object(error) as { cause?: unknown; code?: string; message?: string }
  if (Object(cause).name === "TimeoutError") return `no answer within ${patience / 1000} s`
  return code ?? message ?? String(error)
}

/** Posts to the address that tools use; a proxy in front of the service is part of the test. */
export class Posting extends Context.Reference<Posting>()("adapters/Posting", {
  defaultValue:
    () =>
    (url: string, { body, headers }: Post): Effect.Effect<Answer, string> =>
      Effect.tryPromise({
        // The first fetch of a command takes 40 ms more.
        try: async () => {
          const { request } = await (url.startsWith("https:") ? import("node:https") : import("node:http"))
          return new Promise<Answer>((resolve, reject) => {
            const options = { method: "POST", headers, signal: AbortSignal.timeout(patience) }
            const post = request(url, options, (answer) =>
              text(answer).then((said) => resolve({ status: answer.statusCode ?? 0, text: said }), reject)
            )
            post.on("error", reject).end(body)
          })
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

/** Posts a test of a source; `address` names it without its key. */
export const postTest = (url: string, address: string, post: Post) =>
  Effect.gen(function* () {
    const refuse = (problem: string) => new TestNotAccepted({ address, problem })
    const send = yield* Posting
    const answer = yield* Effect.mapError(send(url, post), (reason) => refuse(`${reason}. ${wayOut}`))
    if (answer.status !== 202) return yield* refuse(`status ${answer.status}. ${messageIn(answer.text) ?? wayOut}`)
    const { deliveryId } = yield* Effect.mapError(idIn(answer.text), () =>
      refuse(`the answer is not the service's. ${wayOut}`)
    )
    return deliveryId
  })
