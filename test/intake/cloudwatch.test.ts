import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { cloudwatch } from "../../adapters/alerting/cloudwatch/CloudWatch.ts"
import { altered, at, ignoredFor, only, problemOf } from "./Delivering.ts"
import { json } from "./Fixtures.ts"

const notified = (Message: unknown) => ({
  Type: "Notification",
  Message: typeof Message === "string" ? Message : JSON.stringify(Message)
})

const alarm = (changes: object) =>
  notified(
    altered(
      {
        AlarmName: "orders-5xx-high",
        AlarmDescription: null,
        AWSAccountId: "210987654321",
        NewStateValue: "ALARM",
        NewStateReason: "Threshold Crossed",
        StateChangeTime: "2026-11-14T16:05:12.331+0000",
        Region: "US East (N. Virginia)",
        AlarmArn: "arn:aws:cloudwatch:us-east-1:210987654321:alarm:orders-5xx-high",
        Trigger: { MetricName: "Errors", Namespace: "AWS/Lambda", Dimensions: [{ name: "FunctionName", value: "pay" }] }
      },
      changes
    )
  )

describe("an alarm of CloudWatch", () => {
  it.effect("fires in ALARM and is over in OK, as the same alarm", () =>
    Effect.gen(function* () {
      const firing = yield* only(cloudwatch, json("cloudwatch", "firing"))
      const over = yield* only(cloudwatch, json("cloudwatch", "resolved"))
      assert.deepStrictEqual([firing.status, over.status], ["firing", "resolved"])
      assert.strictEqual(firing.fingerprint, over.fingerprint)
      assert.deepStrictEqual([at(firing), at(over)], ["2026-11-14T16:05:12.331Z", "2026-11-14T16:22:12.331Z"])
      assert.deepStrictEqual(over.endedAt, DateTime.unsafeMake("2026-11-14T16:22:12.331Z"))
      assert.isNull(over.severity)
    })
  )

  it.effect.each([
    [null, "high"],
    ["All is lost", "high"],
    ["critical", "high"],
    ["[critical] All is lost", "critical"],
    ["All is lost [CRITICAL]", "critical"]
  ] as const)("described as '%s' is %s", ([AlarmDescription, severity]) =>
    Effect.map(only(cloudwatch, alarm({ AlarmDescription })), (signal) => assert.strictEqual(signal.severity, severity))
  )

  it.effect.each([
    ["arn:aws:cloudwatch:eu-west-1:1:alarm:a b", "https://eu-west-1.console.aws.amazon.com/", "a%20b"],
    ["arn:aws-cn:cloudwatch:cn-north-1:1:alarm:x", "https://cn-north-1.console.amazonaws.cn/", "x"],
    ["arn:aws-us-gov:cloudwatch:us-gov-west-1:1:alarm:x", "https://us-gov-west-1.console.amazonaws-us-gov.com/", "x"]
  ] as const)("%s is linked to at %s", ([AlarmArn, host, name]) =>
    Effect.map(only(cloudwatch, alarm({ AlarmArn, AlarmName: decodeURIComponent(name) })), ({ links }) => {
      assert.isTrue(links[0]?.url.startsWith(host))
      assert.isTrue(links[0]?.url.endsWith(`#alarmsV2:alarm/${name}`))
    })
  )

  it.effect.each(["arn:aws:cloudwatch:evil.example.com/:1:alarm:x", "arn:other:cloudwatch:eu-west-1:1:alarm:x", null])(
    "%s is linked to nowhere",
    (AlarmArn) =>
      Effect.map(only(cloudwatch, alarm({ AlarmArn })), (signal) => {
        assert.isEmpty(signal.links)
        assert.isNotEmpty(signal.fingerprint)
      })
  )

  it.effect.each([
    [
      [
        { name: "ClusterName", value: "main" },
        { name: "ServiceName", value: "orders" }
      ],
      "orders"
    ],
    [[{ name: "LoadBalancer", value: "app/orders/5f0c" }], "orders"],
    [[{ name: "LoadBalancer", value: "orders-classic" }], "orders-classic"],
    [[{ name: "Odd", value: "thing" }], "thing"],
    [[], "AWS/Lambda"]
  ] as const)("with the dimensions %j is of %s", ([Dimensions, service]) =>
    Effect.map(only(cloudwatch, alarm({ Trigger: { Dimensions } })), (signal) =>
      assert.strictEqual(signal.service, service)
    )
  )

  it.effect("of an expression is of what its metrics watch", () =>
    Effect.gen(function* () {
      const Metric = { MetricName: "5XX", Namespace: "AWS/ECS", Dimensions: [{ name: "ServiceName", value: "orders" }] }
      const Metrics = [
        { Id: "e1", Expression: "m1 * 2" },
        { Id: "m1", MetricStat: { Metric, Period: 60, Stat: "Sum" } }
      ]
      const Trigger = { MetricName: null, Namespace: null, Dimensions: null, Metrics }
      const signal = yield* only(cloudwatch, alarm({ Trigger }))
      assert.strictEqual(signal.service, "orders")
      assert.strictEqual(signal.labels["namespace"], "AWS/ECS")
    })
  )

  it.effect("made of other alarms is of no service", () =>
    Effect.map(only(cloudwatch, alarm({ Trigger: null, AlarmRule: "ALARM(a) AND ALARM(b)" })), ({ service }) =>
      assert.isNull(service)
    )
  )

  it.effect("without enough data is neither firing nor over", () =>
    Effect.map(ignoredFor(cloudwatch, alarm({ NewStateValue: "INSUFFICIENT_DATA" })), (why) =>
      assert.include(why, "INSUFFICIENT_DATA")
    )
  )
})

describe("a message of Amazon SNS", () => {
  it.effect.each([
    "Hello",
    "",
    "5",
    "{}",
    "null",
    '{"AlarmName":"x"}',
    '{"NewStateValue":"ALARM"}',
    '{"source":"aws.ec2"}'
  ])("that holds '%s' is no alarm and is ignored", (text) =>
    Effect.map(ignoredFor(cloudwatch, notified(text)), (why) => assert.include(why, "no CloudWatch alarm"))
  )

  it.effect.each(["SubscriptionConfirmation", "UnsubscribeConfirmation"])("of the type %s is no alarm", (Type) =>
    Effect.map(ignoredFor(cloudwatch, { Type, Message: "You have chosen" }), assert.isNotNull)
  )

  it.effect("it is not, without an envelope", () => problemOf(cloudwatch, { AlarmName: "x", NewStateValue: "ALARM" }))
})
