import type { Translator } from "../../../application/ports/AlertTools.ts"
import { alertGroup } from "../grafana/AlertGroup.ts"
import { bearer } from "../Proofs.ts"
import * as PayloadFields from "../PayloadFields.ts"
import * as Signing from "../Signing.ts"

const sample = (status: string, endsAt: string) => ({
  version: "4",
  groupKey: '{}:{alertname="InstanceDown"}',
  truncatedAlerts: 0,
  status,
  receiver: "gatehouse",
  groupLabels: { alertname: "InstanceDown" },
  commonLabels: {},
  commonAnnotations: {},
  externalURL: "https://alertmanager.example.com",
  alerts: [
    {
      status,
      labels: {
        alertname: "InstanceDown",
        severity: "critical",
        service: "orders",
        env: "prod",
        instance: "db-1:9100"
      },
      annotations: { summary: "db-1:9100 is down", description: "No answer for five minutes." },
      startsAt: "2026-11-14T10:02:15.417Z",
      endsAt,
      generatorURL: "https://prometheus.example.com/graph?g0.expr=up+%3D%3D+0",
      fingerprint: "9d1f24c7b0a8e635"
    }
  ]
})

/** Prometheus Alertmanager's webhook receiver, version 4. */
export const alertmanager: Translator = {
  proof: bearer,
  sign: Signing.bearer,
  decode: ({ json, severities }) => {
    const group = PayloadFields.fields(json)
    if (!Array.isArray(group["alerts"]))
      return PayloadFields.unreadable(
        "it has no list 'alerts'; use Alertmanager's own body, without a custom 'payload'"
      )
    return alertGroup(group, {
      severity: ["severity"],
      service: ["service", "app", "job", "namespace"],
      environment: ["environment", "env", "cluster"],
      description: ["description", "message"],
      links: ({ alert, annotations }) => ({
        Source: alert["generatorURL"],
        Alertmanager: group["externalURL"],
        Runbook: annotations["runbook_url"],
        Dashboard: annotations["dashboard_url"]
      }),
      isTest: () => false,
      unlimited: "set max_alerts of the webhook receiver to 0",
      severities
    })
  },
  samples: {
    firing: { body: sample("firing", "0001-01-01T00:00:00Z") },
    resolved: { body: sample("resolved", "2026-11-14T10:19:45.417Z") }
  },
  setup: ({ secret, url }) => [
    "Add this receiver to alertmanager.yml:",
    "",
    "receivers:",
    "  - name: gatehouse",
    "    webhook_configs:",
    `      - url: '${url}'`,
    "        send_resolved: true",
    "        http_config:",
    "          authorization:",
    "            type: Bearer",
    `            credentials: '${secret}'`,
    "",
    "Name it as 'receiver: gatehouse' in a route, run 'amtool check-config alertmanager.yml' and reload Alertmanager.",
    "Severity is read from the label 'severity', the service from 'service', the environment from 'environment' or 'env'."
  ]
}
