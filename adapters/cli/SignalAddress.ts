import { Config, Option } from "effect"
import { withoutSlashes } from "../../domain/value/Text.ts"
import * as Settings from "../Settings.ts"

/** A service that listens on all addresses is reached by the loopback address. */
const hostOf = (host: string) => {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return name.includes(":") ? `[${name}]` : name
}

/** Base of the address that alerting tools post to; each source's token follows it. */
export const signalAddress = Config.map(
  Config.all([Settings.signalWebhookUrl, Settings.publicUrl, Settings.host, Settings.port]),
  ([signals, service, host, port]) =>
    Option.match(signals, {
      onNone: () => `${Option.getOrElse(service, () => `http://${hostOf(host)}:${port}`)}/signals`,
      onSome: withoutSlashes
    })
)
