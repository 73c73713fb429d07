import { Effect, Predicate } from "effect"
import type { Translator } from "../../../application/ports/AlertTools.ts"
import * as Severity from "../../../domain/value/Severity.ts"
import { fingerprintOf, type Link, type Signal, type UnreadableAlert } from "../../../domain/oncall/Signal.ts"
import { hex, hmac } from "../Proofs.ts"
import * as PayloadFields from "../PayloadFields.ts"
import { shown, status } from "../AlertStates.ts"
import * as Signing from "../Signing.ts"

const proof = hmac({
  header: "X-Service-Signature",
  read: (header) => (header.startsWith("sha256=") ? hex(header.slice("sha256=".length)) : []),
  timestamp: { header: "X-Service-Timestamp", separator: "." }
})

const words = { firing: "firing", resolved: "resolved" } as const

const moment = (value: unknown) => PayloadFields.time(value) ?? PayloadFields.epoch(value)

const links = (value: unknown): ReadonlyArray<Link> =>
  PayloadFields.list(value).flatMap((item) => {
    const { label, url } = PayloadFields.fields(item)
    const name = PayloadFields.text(label)
    return name === null ? [] : PayloadFields.links({ [name]: url })
  })

/** Decodes one alert; `path` precedes the names of its fields in refusals. */
const signal = (
  value: unknown,
  path: string,
  severities: Severity.Words | undefined
): Effect.Effect<Signal, UnreadableAlert> => {
  if (!Predicate.isRecord(value))
    return PayloadFields.unreadable(`${path || "the body"} must be an object with a title; got ${shown(value)}`)
  const alert = PayloadFields.fields(value)
  const at = path === "" ? "" : `${path}.`
  const title = typeof alert["title"] === "string" ? PayloadFields.text(alert["title"]) : null
  if (title === null)
    return PayloadFields.unreadable(`${at}title must be text that is not blank; got ${shown(alert["title"])}`)
  return Effect.flatMap(status(`${at}status`, alert["status"] ?? "firing", words), (state) => {
    const labels = PayloadFields.labels(alert["labels"])
    const startedAt = moment(alert["startedAt"])
    const endedAt = moment(alert["endedAt"])
    const known = (fingerprint: string) =>
      PayloadFields.signal({
        title,
        status: state,
        fingerprint,
        severity: state === "firing" ? Severity.read(alert["severity"], severities) : null,
        service: PayloadFields.text(alert["service"]),
        environment: PayloadFields.text(alert["environment"]),
        description: PayloadFields.text(alert["description"]),
        startedAt,
        endedAt,
        labels,
        links: links(alert["links"]),
        at: state === "firing" ? startedAt : endedAt
      })
    const named = PayloadFields.first(alert["fingerprint"], alert["id"])
    return named === null ? Effect.flatMap(fingerprintOf(title, labels), known) : known(named)
  })
}

const sample = { title: "Checkout answers 5xx", fingerprint: "checkout-5xx", service: "checkout", environment: "prod" }

/** Our own format, for any tool that can sign its posts. */
export const generic: Translator = {
  proof,
  sign: Signing.signed("x-service-signature", "sha256=", { header: "x-service-timestamp", separator: "." }),
  decode: ({ json, severities }) => {
    const alerts = PayloadFields.fields(json)["alerts"]
    if (alerts === undefined || alerts === null) return PayloadFields.several([signal(json, "", severities)])
    if (!Array.isArray(alerts)) return PayloadFields.unreadable(`alerts must be an array; got ${shown(alerts)}`)
    return PayloadFields.several(alerts.map((alert, index) => signal(alert, `alerts[${index}]`, severities)))
  },
  samples: {
    firing: { body: { ...sample, severity: "critical", startedAt: "2026-11-14T09:12:30Z" } },
    resolved: { body: { ...sample, status: "resolved", endedAt: "2026-11-14T09:31:10Z" } }
  },
  setup: ({ secret, url }) => [
    `Send each alert as JSON by POST to ${url} with the header 'Content-Type: application/json'.`,
    "Only 'title' is required. Send the same 'fingerprint' with \"status\":\"resolved\" when it is over.",
    "Sign '<unix seconds>.<body>' with HMAC-SHA256 and the source's secret; send the seconds as X-Service-Timestamp",
    "and 'sha256=<hex>' as X-Service-Signature. To try it in a shell:",
    `  body='{"title":"It works","severity":"info"}'; at=$(date +%s)`,
    `  hex=$(printf '%s.%s' "$at" "$body" | openssl dgst -sha256 -hmac '${secret}' | sed 's/^.* //')`,
    `  curl -i '${url}' -H 'Content-Type: application/json' -H "X-Service-Timestamp: $at" -H "X-Service-Signature: sha256=$hex" --data-raw "$body"`
  ]
}
