import { Option } from "effect"
import type { Sample, Translator } from "../../../application/ports/AlertTools.ts"
import { alarm } from "./CloudWatchAlarm.ts"
import { fields, ignored, text, unreadable } from "../PayloadFields.ts"
import { parse, proof } from "./Sns.ts"
import { shown } from "../AlertStates.ts"

const decode: Translator["decode"] = ({ json }) => {
  const { Message, Type } = fields(json)
  if (Type === "SubscriptionConfirmation") return ignored("a request to confirm the subscription")
  if (Type === "UnsubscribeConfirmation") return ignored("word that the subscription has ended")
  if (Type !== "Notification") return unreadable("it is no message of Amazon SNS")
  const said = fields(Option.getOrNull(parse(Message)))
  const state = said["NewStateValue"]
  if (text(said["AlarmName"]) === null || text(state) === null) return ignored("its message is no CloudWatch alarm")
  if (state !== "ALARM" && state !== "OK") return ignored(`${shown(state)} is neither an alarm nor a recovery`)
  return alarm(said)
}

const sample = (state: "ALARM" | "OK", at: string): Sample => ({
  headers: { "x-amz-sns-message-type": "Notification" },
  body: {
    Type: "Notification",
    MessageId: `5c0f1f2e-9a43-5c0e-8a5e-4d0b7d0f6a${state === "OK" ? "03" : "01"}`,
    TopicArn: "arn:aws:sns:us-east-1:210987654321:oncall-alarms",
    Message: JSON.stringify({
      AlarmName: "orders-5xx-high",
      AlarmDescription: "[critical] Orders answers 5xx.",
      AWSAccountId: "210987654321",
      NewStateValue: state,
      StateChangeTime: at,
      AlarmArn: "arn:aws:cloudwatch:us-east-1:210987654321:alarm:orders-5xx-high",
      Trigger: { Namespace: "AWS/ApplicationELB", Dimensions: [{ name: "LoadBalancer", value: "app/orders/5f0c" }] }
    })
  }
})

/** CloudWatch alarms, delivered by Amazon SNS. */
export const cloudwatch: Translator = {
  proof,
  sign: null,
  decode,
  samples: {
    firing: sample("ALARM", "2026-11-14T16:05:12.331+0000"),
    resolved: sample("OK", "2026-11-14T16:22:12.331+0000")
  },
  setup: ({ secret, url }) => [
    "In the AWS console open Amazon SNS, and there the topic that your alarms notify, or create one.",
    "Create a subscription with the protocol HTTPS and raw message delivery off.",
    `Endpoint: ${url}?key=${encodeURIComponent(secret)}`,
    "It is confirmed by itself within a minute; from then on this source takes that topic's messages alone.",
    "In each CloudWatch alarm name the topic under 'In alarm' and also under 'OK', which tells that it is over.",
    "Alarms are High; write [critical] into an alarm's description to make it Critical."
  ]
}
