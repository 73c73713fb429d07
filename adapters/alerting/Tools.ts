import { Layer } from "effect"
import { AlertTools, type Translator } from "../../application/ports/AlertTools.ts"
import type { PostingKind } from "../../domain/oncall/SignalSource.ts"
import { alertmanager } from "./alertmanager/Alertmanager.ts"
import { azureMonitor } from "./azure/AzureMonitor.ts"
import { cloudwatch } from "./cloudwatch/CloudWatch.ts"
import { datadog } from "./datadog/Datadog.ts"
import { generic } from "./generic/Generic.ts"
import { grafana } from "./grafana/Grafana.ts"
import { newrelic } from "./newrelic/NewRelic.ts"
import { opsgenie } from "./opsgenie/Opsgenie.ts"
import { pagerduty } from "./pagerduty/PagerDuty.ts"
import { sentry } from "./sentry/Sentry.ts"
import { statuspage } from "./statuspage/Statuspage.ts"

export const tools = {
  generic,
  grafana,
  pagerduty,
  sentry,
  alertmanager,
  datadog,
  newrelic,
  opsgenie,
  cloudwatch,
  "azure-monitor": azureMonitor,
  statuspage
} satisfies Record<PostingKind, Translator>

export const layer = Layer.succeed(AlertTools, tools)
