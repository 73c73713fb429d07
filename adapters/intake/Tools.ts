import { Layer } from "effect"
import { AlertTools, type Translator } from "../../application/ports/AlertTools.ts"
import type { PostingKind } from "../../domain/SignalSource.ts"
import { alertmanager } from "./Alertmanager.ts"
import { azureMonitor } from "./AzureMonitor.ts"
import { cloudwatch } from "./CloudWatch.ts"
import { datadog } from "./Datadog.ts"
import { generic } from "./Generic.ts"
import { grafana } from "./Grafana.ts"
import { newrelic } from "./NewRelic.ts"
import { opsgenie } from "./Opsgenie.ts"
import { pagerduty } from "./PagerDuty.ts"
import { sentry } from "./Sentry.ts"
import { statuspage } from "./Statuspage.ts"

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
