import type { Translator } from "../../../application/ports/AlertTools.ts"
import { alertGroup, type Grouped } from "./AlertGroup.ts"
import { legacyGrafana } from "./LegacyGrafana.ts"
import { authorization, hex, hmac } from "../Proofs.ts"
import * as PayloadFields from "../PayloadFields.ts"
import * as Signing from "../Signing.ts"

const signed = hmac({
  header: "X-Grafana-Alerting-Signature",
  read: hex,
  timestamp: { header: "X-Grafana-Alerting-Timestamp", separator: ":" }
})

const bearer = authorization("X-Grafana-Alerting-Signature or 'Authorization: Bearer <secret>'")

const proof: Translator["proof"] = (post, expected) =>
  post.headers["x-grafana-alerting-signature"] !== undefined || expected.isTimestampRequired
    ? signed(post, expected)
    : bearer(post, expected)

/** The "Test" button sends an alert that never resolves; its labels can be edited, its group key cannot. */
const isTest = ({ alert, group, labels }: Grouped): boolean => {
  const key = PayloadFields.text(group["groupKey"]) ?? ""
  const isKeyOfTest = !key.startsWith("{") && key.includes(`-${PayloadFields.text(alert["fingerprint"])}-`)
  return isKeyOfTest || (labels["alertname"] === "TestAlert" && labels["instance"] === "Grafana")
}

const sample = (status: string, endsAt: string) => ({
  receiver: "gatehouse",
  status,
  version: "1",
  orgId: 1,
  groupKey: '{}:{alertname="HighLatency"}',
  truncatedAlerts: 0,
  externalURL: "https://grafana.example.com/",
  alerts: [
    {
      status,
      labels: { alertname: "HighLatency", severity: "critical", service: "checkout", environment: "production" },
      annotations: { summary: "Checkout is slow", description: "p95 is over 2 s." },
      startsAt: "2026-11-14T09:12:30Z",
      endsAt,
      generatorURL: "https://grafana.example.com/alerting/grafana/bdq2k9x1m4ye8f/view?orgId=1",
      fingerprint: "a3f0c19b7e52d846"
    }
  ]
})

/** Grafana's webhook contact point. */
export const grafana: Translator = {
  proof,
  sign: Signing.signed("x-grafana-alerting-signature", "", { header: "x-grafana-alerting-timestamp", separator: ":" }),
  decode: ({ json, severities }) => {
    const group = PayloadFields.fields(json)
    if (Array.isArray(group["alerts"]))
      return alertGroup(group, {
        severity: ["severity", "priority"],
        service: ["service", "service_name", "job", "grafana_folder"],
        environment: ["environment", "deployment_environment", "env"],
        description: ["description", "summary"],
        links: ({ alert, annotations }) => ({
          Rule: alert["generatorURL"],
          Dashboard: alert["dashboardURL"],
          Panel: alert["panelURL"],
          Image: alert["imageURL"],
          Silence: alert["silenceURL"],
          Runbook: annotations["runbook_url"]
        }),
        isTest,
        unlimited: "set Max Alerts of the contact point to 0",
        severities
      })
    if (group["ruleId"] !== undefined && group["state"] !== undefined) return legacyGrafana(group, severities)
    return PayloadFields.unreadable("it has no list 'alerts'; leave 'Custom payload' of the contact point empty")
  },
  samples: {
    firing: { body: sample("firing", "0001-01-01T00:00:00Z") },
    resolved: { body: sample("resolved", "2026-11-14T09:31:10Z") }
  },
  setup: ({ secret, url }) => [
    "In Grafana open Alerting > Contact points, add one of the type Webhook and set:",
    `  URL: ${url}`,
    "From Grafana 12 on, under 'HMAC Signature':",
    `  Secret: ${secret}`,
    "  Header: X-Grafana-Alerting-Signature",
    "  Timestamp Header: X-Grafana-Alerting-Timestamp",
    "Before Grafana 12, under 'Authorization Header' in its place:",
    "  Scheme: Bearer",
    `  Credentials: ${secret}`,
    "Leave 'Disable resolved message' off and the custom payload empty. 'Test' is recorded and wakes nobody.",
    "Then name the contact point in a notification policy. Severity is read from the label 'severity'."
  ]
}
