import { Effect } from "effect"
import * as Severity from "../../domain/Severity.ts"
import * as Reading from "./Reading.ts"
import { status } from "./States.ts"

const words = { alerting: "firing", no_data: "firing", ok: "resolved" } as const

/** What Grafana before version 9 sends: one rule, without a time. */
export const legacyGrafana = (rule: Reading.Fields, severities: Severity.Words | undefined) =>
  Effect.gen(function* () {
    const state = Reading.text(rule["state"])
    if (state === "pending" || state === "paused" || state === "unknown")
      return yield* Reading.ignored(`a rule that is ${state} neither fires nor is resolved`)
    const found = yield* status("state", state, words)
    const tags = Reading.labels(rule["tags"])
    const message = Reading.text(rule["message"])
    const id = Reading.text(rule["ruleId"])
    return yield* Reading.one({
      title: Reading.first(rule["ruleName"], rule["title"]),
      status: found,
      fingerprint: id === null ? null : `rule ${Reading.text(rule["orgId"]) ?? ""} ${id}`,
      severity:
        found === "firing" ? Severity.read(Reading.first(tags["severity"], tags["priority"]), severities) : null,
      service: Reading.text(tags["service"]),
      environment: Reading.first(tags["environment"], tags["env"]),
      description: message,
      labels: tags,
      links: Reading.links({ Rule: rule["ruleUrl"], Image: rule["imageUrl"] }),
      isTest: /^someone is testing the alert notification within grafana/i.test(message ?? "")
    })
  })
