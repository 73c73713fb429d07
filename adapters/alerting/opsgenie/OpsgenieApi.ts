import { Effect, Either, Schedule, Schema } from "effect"
import type { Outgoing } from "../../../application/ports/Outgoing.ts"
import type { JobFailed } from "../../../application/ports/JobHandlers.ts"
import type { SourceApi } from "../../../application/ports/SourceApis.ts"
import { calling, final, passing, reading, segment, shown, unusable } from "../CallTool.ts"
import { Base, Key, reader, Region } from "../ToolCredentials.ts"

const Opsgenie = Schema.Struct({ key: Key, region: Schema.optional(Region), api: Schema.optional(Base) })
const ServiceManagement = Schema.Struct({ key: Key, product: Schema.Literal("jsm"), api: Schema.optional(Base) })
type Credentials = typeof Opsgenie.Type | typeof ServiceManagement.Type

const read = reader(
  Schema.Union(Opsgenie, ServiceManagement),
  `Credentials of Opsgenie are JSON with an API key, such as {"key":"…","region":"eu"} ("us" or "eu"), or of Jira Service Management {"key":"…","product":"jsm"}; "api" (the address of a proxy) may be added`
)

const hosts = { us: "https://api.opsgenie.com", eu: "https://api.eu.opsgenie.com" }

/** Both products accept the same requests. */
const placeOf = (credentials: Credentials) =>
  "product" in credentials
    ? {
        tool: "Jira Service Management",
        base: `${credentials.api ?? "https://api.atlassian.com"}/jsm/ops/integration/v2`,
        doubt: "it is wrong, or its integration may not change alerts",
        isBlind: true
      }
    : {
        tool: "Opsgenie",
        base: `${credentials.api ?? hosts[credentials.region ?? "us"]}/v2`,
        doubt: "it is wrong, may only read, or is of another region",
        isBlind: false
      }

const look = reading(
  Schema.Struct({
    data: Schema.Struct({ status: Schema.Literal("open", "closed"), acknowledged: Schema.Boolean })
  })
)
const acceptance = reading(Schema.Struct({ requestId: Schema.NonEmptyString }))
/** Atlassian's newer responses have no `data` around them. */
const Outcome = Schema.Struct({ isSuccess: Schema.Boolean, status: Schema.String })
const outcome = reading(Schema.Union(Schema.Struct({ data: Outcome }), Outcome))

const growing = Schedule.intersect(Schedule.exponential("250 millis"), Schedule.recurs(6))

const verbs = { acknowledged: "acknowledge", resolved: "close" }

/** Alert API, version 2, of Opsgenie and Jira Service Management; `waits` polls requests that are processed later. */
export const opsgenie = (
  outgoing: typeof Outgoing.Service,
  waits: Schedule.Schedule<unknown, JobFailed> = growing
): SourceApi => ({
  check: (credentials) => Either.map(read(credentials), () => undefined),
  update: Effect.fn("OpsgenieApi.update")(function* ({ alert, credentials, incident, to }) {
    const known = yield* Either.mapLeft(read(credentials), unusable)
    const { base, doubt, isBlind, tool } = placeOf(known)
    const headers = { Authorization: `GenieKey ${known.key}` }
    const line = { tool, alert: `the alert ${alert.fingerprint}`, key: known.key, headers, doubt }
    const call = calling(outgoing, line)
    const url = `${base}/alerts/${yield* segment(alert.fingerprint)}`
    const { acknowledged, status } = yield* call({ method: "GET", url: `${url}?identifierType=id` }).pipe(
      Effect.flatMap(look(tool)),
      Effect.map(({ data }) => data),
      // A key of Jira Service Management may write without the right to read; no request reopens a closed alert.
      Effect.catchIf(
        ({ isFinal }) => isFinal && isBlind,
        () => Effect.succeed({ status: "open", acknowledged: false } as const)
      )
    )
    if (status === "closed" || (to === "acknowledged" && acknowledged)) return "already"
    const { requestId } = yield* call({
      method: "POST",
      url: `${url}/${verbs[to]}?identifierType=id`,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ user: "Gatehouse", source: "Gatehouse", note: `${incident} is ${to} in Gatehouse.` })
    }).pipe(Effect.flatMap(acceptance(tool)))
    const asked = { method: "GET", url: `${base}/alerts/requests/${yield* segment(requestId)}` } as const
    const said = yield* call(asked, passing(`${tool} has not said yet what became of it.`)).pipe(
      Effect.flatMap(outcome(tool)),
      Effect.retry({ schedule: waits, while: ({ isFinal }) => !isFinal })
    )
    const { isSuccess, status: why } = "data" in said ? said.data : said
    return isSuccess ? "updated" : yield* final(`${tool} did not do it: ${shown(why, line)}`)
  })
})
