import { type Context, Duration, Effect, Redacted, Schema } from "effect"
import { JobFailed } from "../../application/ports/JobHandlers.ts"
import type { Message, Notifier } from "../../application/ports/Notifier.ts"
import type { Outgoing } from "../../application/ports/Outgoing.ts"
import { Notice } from "../../domain/oncall/Notice.ts"

const encode = Schema.encodeSync(Notice)

/** Chats read `text` and keep one `thread` together; programs read the rest. */
const bodyOf = ({ id, notice, text }: Message): string =>
  JSON.stringify({ text, id, thread: { threadKey: notice.incident.key }, ...encode(notice) })

const isPassing = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500

export const make = (
  outgoing: Context.Tag.Service<typeof Outgoing>,
  within: Duration.Duration = Duration.seconds(10)
): Notifier => ({
  send: Effect.fn("Webhook.send")(function* (to: Redacted.Redacted, message: Message) {
    const url = Redacted.value(to)
    const headers = {
      "Content-Type": "application/json",
      "Idempotency-Key": message.id,
      "User-Agent": "Gatehouse"
    }
    const { status } = yield* outgoing
      .send({ method: "POST", url, headers, body: bodyOf(message), within })
      .pipe(Effect.mapError(({ isForbidden, message: reason }) => new JobFailed({ reason, isFinal: isForbidden })))
    if (status >= 200 && status < 300) return
    return yield* new JobFailed({
      reason: `${new URL(url).host}: it answered ${status}`,
      isFinal: !isPassing(status)
    })
  })
})
