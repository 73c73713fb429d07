import { Effect, Layer, Option } from "effect"
import { Notifiers } from "../../application/ports/Notifier.ts"
import { Outgoing } from "../../application/ports/Outgoing.ts"
import * as Settings from "../Settings.ts"
import * as Mail from "./Mail.ts"
import * as Webhook from "./Webhook.ts"

export const layer = Layer.effect(
  Notifiers,
  Effect.gen(function* () {
    const outgoing = yield* Outgoing
    const smtpUrl = yield* Settings.smtpUrl
    const from = yield* Settings.mailFrom
    return {
      mail: Option.getOrNull(Option.map(smtpUrl, (url) => Mail.make({ url, from }))),
      places: { webhook: Webhook.make(outgoing) }
    }
  })
)
