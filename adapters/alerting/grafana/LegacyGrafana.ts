import { Effect } from "effect"
import * as Severity from "../../../domain/value/Severity.ts"
import * as PayloadFields from "../PayloadFields.ts"
import { status } from "../AlertStates.ts"

const words = { alerting: "firing", no_data: "firing", ok: "resolved" } as const

/** Grafana before version 9 sends one rule, without a time. */
export const legacyGrafana = (rule: PayloadFields.Fields, severities: Severity.Words | undefined) =>
  Effect.gen(function* () {
    const state = PayloadFields.text(rule["state"])
    if (state === "pending" || state === "paused" || state === "unknown")
      return yield* PayloadFields.ignored(`a rule that is ${state} neither fires nor is resolved`)
    const found = yield* status("state", state, words)
    const tags = PayloadFields.labels(rule["tags"])
    const message = PayloadFields.text(rule["message"])
    const id = PayloadFields.text(rule["ruleId"])
    return yield* PayloadFields.one({
      title: PayloadFields.first(rule["ruleName"], rule["title"]),
      status: found,
      fingerprint: id === null ? null : `rule ${PayloadFields.text(rule["orgId"]) ?? ""} ${id}`,
      severity:
        found === "firing" ? Severity.read(PayloadFields.first(tags["severity"], tags["priority"]), severities) : null,
      service: PayloadFields.text(tags["service"]),
      environment: PayloadFields.first(tags["environment"], tags["env"]),
      description: message,
      labels: tags,
      links: PayloadFields.links({ Rule: rule["ruleUrl"], Image: rule["imageUrl"] }),
      isTest: /^someone is testing the alert notification within grafana/i.test(message ?? "")
    })
  })
