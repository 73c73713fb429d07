import { type Fields, fields, first, labels, links, list, one, storable, text, time } from "../PayloadFields.ts"

/** Dimensions that name a service, before the dimensions that name a part of it. */
const services = ["ServiceName", "Service", "FunctionName", "LoadBalancer", "ApiName", "QueueName", "TableName"]

/** The metric an alarm watches, or all metrics of an expression. */
const metricsOf = (trigger: Fields): ReadonlyArray<Fields> => [
  trigger,
  ...list(trigger["Metrics"])
    .slice(0, 20)
    .map((metric) => fields(fields(fields(metric)["MetricStat"])["Metric"]))
]

const dimensionsOf = (metrics: ReadonlyArray<Fields>): Record<string, string> =>
  labels(
    ...metrics
      .flatMap((metric) => list(metric["Dimensions"]).slice(0, 20))
      .map((dimension) => ({ [text(fields(dimension)["name"]) ?? "dimension"]: fields(dimension)["value"] }))
  )

const consoles: Readonly<Record<string, string>> = {
  aws: "console.aws.amazon.com",
  "aws-cn": "console.amazonaws.cn",
  "aws-us-gov": "console.amazonaws-us-gov.com"
}

const consoleOf = (arn: string | null, name: string | null) => {
  const [, partition = "", , region = ""] = arn?.split(":") ?? []
  const host = Object.hasOwn(consoles, partition) ? consoles[partition] : undefined
  return host === undefined || name === null || !/^[a-z0-9-]+$/.test(region)
    ? null
    : `https://${region}.${host}/cloudwatch/deeplink.js?region=${region}#alarmsV2:alarm/${encodeURIComponent(storable(name, 500))}`
}

/** Decodes the message of an alarm that changes its state. */
export const alarm = (said: Fields) => {
  const isResolved = said["NewStateValue"] === "OK"
  const name = text(said["AlarmName"])
  const arn = text(said["AlarmArn"])
  const metrics = metricsOf(fields(said["Trigger"]))
  const dimensions = dimensionsOf(metrics)
  const namespace = first(...metrics.map((metric) => metric["Namespace"]))
  const service = first(...services.map((one) => dimensions[one]), ...Object.values(dimensions), namespace)
  const described = text(said["AlarmDescription"])
  const at = time(said["StateChangeTime"])
  return one({
    title: name,
    status: isResolved ? "resolved" : "firing",
    fingerprint: arn ?? `${first(said["AWSAccountId"])}:${first(said["Region"])}:${name}`,
    severity: isResolved
      ? null
      : { severity: /\[critical\]/i.test(described ?? "") ? "critical" : "high", unknown: null },
    service: /^(?:app|net|gwy)\/([^/]+)\//.exec(service ?? "")?.[1] ?? service,
    description: text([described, text(said["NewStateReason"])].filter((line) => line !== null).join("\n")),
    startedAt: isResolved ? null : at,
    endedAt: isResolved ? at : null,
    labels: labels(dimensions, {
      account: said["AWSAccountId"],
      region: arn?.split(":")[3],
      namespace,
      metric: first(...metrics.map((metric) => metric["MetricName"]))
    }),
    links: links({ CloudWatch: consoleOf(arn, name) }),
    at
  })
}
