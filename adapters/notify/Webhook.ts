import { Effect, type Redacted, Schema } from "effect"
import type { Message, Notifier } from "../../application/ports/Notifier.ts"
import { Notice } from "../../domain/oncall/Notice.ts"
import { poster } from "./Posting.ts"

const encode = Schema.encodeSync(Notice)

/** Chats read `text` and keep one `thread` together; programs read the rest. */
const bodyOf = ({ id, notice, text }: Message): string =>
  JSON.stringify({ text, id, thread: { threadKey: notice.incident.key }, ...encode(notice) })

export const make = (...given: Parameters<typeof poster>): Notifier => {
  const post = poster(...given)
  return {
    send: Effect.fn("Webhook.send")((to: Redacted.Redacted, message: Message) =>
      post(to, { "Content-Type": "application/json", "Idempotency-Key": message.id }, bodyOf(message))
    )
  }
}
