import { Effect, Either, Schema } from "effect"
import type { Outgoing } from "../../../application/ports/Outgoing.ts"
import type { SourceApi, SourceUpdate } from "../../../application/ports/SourceApis.ts"
import { calling, reading, segment, unusable } from "../CallTool.ts"
import { Base, Key, reader, Region } from "../ToolCredentials.ts"
import { parseUrl } from "../../../domain/value/Text.ts"

const read = reader(
  Schema.Struct({
    key: Key,
    from: Schema.String.pipe(Schema.pattern(/^[\x21-\x3f\x41-\x7e]{1,200}@[\x21-\x3f\x41-\x7e]{1,200}$/)),
    region: Schema.optional(Region),
    api: Schema.optional(Base)
  }),
  `Credentials of PagerDuty are JSON with a REST API key and the e-mail address of a user of the account, such as {"key":"…","from":"oncall@example.com"}; "region" ("us" or "eu") and "api" (the address of a proxy) may be added`
)

const hosts = { us: "https://api.pagerduty.com", eu: "https://api.eu.pagerduty.com" }

const regionOf = ({ links }: SourceUpdate["alert"]): typeof Region.Type =>
  links.some(({ url }) => /(^|\.)eu\.pagerduty\.com$/.test(parseUrl(url)?.hostname ?? "")) ? "eu" : "us"

const incidentOf = reading(
  Schema.Struct({ incident: Schema.Struct({ status: Schema.Literal("triggered", "acknowledged", "resolved") }) })
)

/** REST API, version 2. */
export const pagerduty = (outgoing: typeof Outgoing.Service): SourceApi => ({
  check: (credentials) => Either.map(read(credentials), () => undefined),
  update: Effect.fn("PagerDutyApi.update")(function* ({ alert, credentials, incident, to }) {
    const { api, from, key, region } = yield* Either.mapLeft(read(credentials), unusable)
    const call = calling(outgoing, {
      tool: "PagerDuty",
      alert: `the incident ${alert.fingerprint}`,
      key,
      headers: { Authorization: `Token token=${key}`, Accept: "application/vnd.pagerduty+json;version=2" },
      doubt: "it is wrong, may only read, or is of another region"
    })
    const url = `${api ?? hosts[region ?? regionOf(alert)]}/incidents/${yield* segment(alert.fingerprint)}`
    const { status } = (yield* Effect.flatMap(call({ method: "GET", url }), incidentOf("PagerDuty"))).incident
    // Acknowledging a resolved incident would reopen it.
    if (status === "resolved" || status === to) return "already"
    const resolution = to === "resolved" ? { resolution: `${incident} is resolved in Gatehouse.` } : {}
    yield* call({
      method: "PUT",
      url,
      headers: { "Content-Type": "application/json", From: from },
      body: JSON.stringify({ incident: { type: "incident_reference", status: to, ...resolution } })
    })
    return "updated"
  })
})
