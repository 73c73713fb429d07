import { Effect } from "effect"
import type { Translator } from "../../../application/ports/AlertTools.ts"
import * as Severity from "../../../domain/value/Severity.ts"
import { bearer } from "../Proofs.ts"
import * as PayloadFields from "../PayloadFields.ts"
import { shown, status } from "../AlertStates.ts"
import * as Signing from "../Signing.ts"

/** The last three belong to channels from before workflows. */
const words = {
  created: "firing",
  activated: "firing",
  deactivated: "resolved",
  closed: "resolved",
  open: "firing",
  acknowledged: "firing",
  test: "firing"
} as const

/** The first value a template filled; the first item of a list. */
const first = (...values: ReadonlyArray<unknown>): string | null =>
  PayloadFields.first(
    ...values.flatMap((value) => (Array.isArray(value) ? value.slice(0, 9) : [value])).map(PayloadFields.filled)
  )

const moment = (...values: ReadonlyArray<unknown>) => {
  const found = first(...values)
  return PayloadFields.epoch(found) ?? PayloadFields.time(found)
}

const joined = (value: unknown): string =>
  [value]
    .flat()
    .slice(0, 100)
    .flatMap((item) => first(item) ?? [])
    .join(", ")

/** The canned example of "Send test notification" has account 1 and the address of another issue. */
const isCanned = (id: string | null, address: string | null): boolean => {
  const issue = /\/accounts\/1\/issues\/([^/?]+)/.exec(address ?? "")?.[1]
  return issue !== undefined && issue !== id
}

const decode: Translator["decode"] = ({ json, severities }) =>
  Effect.gen(function* () {
    const issue = PayloadFields.fields(json)
    // The end of one incident may trigger the message while the issue goes on, so only the issue's state counts.
    const said = first(issue["state"], issue["current_state"])
    if (said !== null && !Object.hasOwn(words, said.toLowerCase()))
      return yield* PayloadFields.ignored(`the state ${shown(said)} does not say whether an issue is open`)
    const state = yield* status("state", said ?? issue["state"], words)
    const id = first(issue["id"], issue["issueId"], issue["incident_id"])
    const updatedAt = moment(issue["updatedAt"], issue["timestamp"])
    const startedAt = moment(issue["activatedAt"], issue["createdAt"])
    const endedAt = state === "resolved" ? (moment(issue["closedAt"]) ?? updatedAt) : null
    return yield* PayloadFields.one({
      title: first(issue["title"], issue["condition_name"]),
      status: state,
      fingerprint: id,
      severity: state === "firing" ? Severity.read(first(issue["priority"], issue["severity"]), severities) : null,
      service: first(issue["service"], issue["impactedEntities"]),
      environment: first(issue["environment"]),
      description: first(issue["description"], issue["details"]),
      startedAt,
      endedAt,
      labels: PayloadFields.labels({
        impactedEntities: joined(issue["impactedEntities"]),
        alertPolicyNames: joined(issue["alertPolicyNames"] ?? issue["policy_name"]),
        alertConditionNames: joined(issue["alertConditionNames"] ?? issue["condition_name"]),
        workflowName: first(issue["workflowName"]),
        trigger: first(issue["trigger"]),
        totalIncidents: first(issue["totalIncidents"])
      }),
      links: PayloadFields.links({
        Issue: first(issue["issueUrl"], issue["incident_url"]),
        Runbook: issue["runbookUrl"]
      }),
      at: state === "resolved" ? endedAt : (updatedAt ?? startedAt),
      isTest: said?.toLowerCase() === "test" || isCanned(id, first(issue["issueUrl"]))
    })
  })

const sample = {
  id: "71c0d6b1-52f8-4a1d-9c4e-0e8a2f9b6d13",
  issueUrl: "https://radar-api.service.newrelic.com/accounts/3912044/issues/71c0d6b1-52f8-4a1d-9c4e-0e8a2f9b6d13",
  title: "inventory-api query result is > 2.0 for 5 minutes on 'Slow p95'",
  priority: "CRITICAL",
  impactedEntities: ["inventory-api"],
  createdAt: 1794668400352
}

/** New Relic workflows that notify a webhook with the payload New Relic proposes. */
export const newrelic: Translator = {
  proof: bearer,
  sign: Signing.bearer,
  decode,
  samples: {
    firing: { body: { ...sample, state: "ACTIVATED", trigger: "STATE_CHANGE", updatedAt: 1794668461010 } },
    resolved: { body: { ...sample, state: "CLOSED", trigger: "INCIDENT_CLOSED", updatedAt: 1794669905117 } }
  },
  setup: ({ secret, url }) => [
    "In New Relic open Alerts > Destinations, add one of the type Webhook and set:",
    `  Endpoint URL: ${url}`,
    `  Use authorization: Bearer token, ${secret}`,
    "Open Alerts > Workflows, add one and notify this destination, with the payload template that New Relic proposes.",
    'Keep "id" and "state" in it; "service", "environment" and "description" may be added. Its test wakes nobody.'
  ]
}
