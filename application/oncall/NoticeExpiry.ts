import { Effect, Redacted } from "effect"
import * as Uuid from "../../domain/value/Uuid.ts"
import { noticeOf } from "../../domain/workspace/TokenExpiry.ts"
import { Inbox } from "../ports/Inbox.ts"
import { Notifiers } from "../ports/Notifier.ts"
import { PublicUrl } from "./PublicUrl.ts"

/** Notifies members whose tokens expire soon: in the inbox once for each day, and by mail if it can be sent now. */
export const tokens = Effect.fn("NoticeExpiry.tokens")(function* () {
  const base = yield* PublicUrl
  const noticed = yield* (yield* Inbox).noticeExpiring((expiring) => noticeOf(expiring, base))
  const { mail } = yield* Notifiers
  if (mail === null) return
  for (const expiring of noticed.filter(({ isMailed }) => isMailed))
    yield* mail
      .send(Redacted.make(expiring.member.email), {
        id: yield* Uuid.make,
        ...noticeOf(expiring, base),
        notice: null
      })
      .pipe(
        Effect.catchAll(({ message }) =>
          Effect.logWarning(`the notice of an expiring token was not mailed: ${message}`)
        )
      )
})
