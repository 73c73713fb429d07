import { Effect } from "effect"
import { sign } from "node:crypto"
import { readFileSync } from "node:fs"
import { cloudwatch } from "../../adapters/alerting/cloudwatch/CloudWatch.ts"
import type { Expected } from "../../application/ports/AlertTools.ts"
import { cloud, expecting, post } from "./Delivering.ts"

const folder = new URL("./fixtures/cloudwatch/", import.meta.url)

export const file = (name: string): string => readFileSync(new URL(name, folder), "utf8")

/** A throwaway key; the certificates in the folder beside `cert.pem` belong to it. */
const key = file("signer.key")

export type Envelope = Readonly<Record<string, string>>

export const topic = "arn:aws:sns:us-east-1:210987654321:oncall-alarms"

let pages = 0

/** A new address, since certificates are cached by address. */
export const freshAddress = (): string => `https://sns.us-east-1.amazonaws.com/SimpleNotificationService-${++pages}.pem`

const unsigned = new Set(["Signature", "SignatureVersion", "SigningCertURL", "UnsubscribeURL"])

/** Signs all fields, ordered by the bytes of their names. */
export const signed = (envelope: Envelope): Envelope => {
  const text = Object.keys(envelope)
    .filter((name) => !unsigned.has(name))
    .toSorted()
    .map((name) => `${name}\n${envelope[name]}\n`)
    .join("")
  const hash = envelope["SignatureVersion"] === "1" ? "RSA-SHA1" : "RSA-SHA256"
  return { ...envelope, Signature: sign(hash, Buffer.from(text), key).toString("base64") }
}

const common = {
  MessageId: "5c0f1f2e-9a43-5c0e-8a5e-4d0b7d0f6a01",
  TopicArn: topic,
  Timestamp: "2026-12-31T23:59:00.000Z",
  SignatureVersion: "2"
}

export const notification = (more: Envelope = {}): Envelope => ({
  ...common,
  Type: "Notification",
  Message: "Hello",
  SigningCertURL: freshAddress(),
  ...more
})

export const confirmation = (type: "SubscriptionConfirmation" | "UnsubscribeConfirmation", more: Envelope = {}) => ({
  ...notification(),
  Type: type,
  Token: "2336412f37fb687f",
  SubscribeURL: `https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic}&Token=2336412f37fb687f`,
  ...more
})

/** Proves an envelope, by default to a source of the topic, with a page at its certificate's address. */
export const prove = (envelope: object, pem: string, more: Partial<Expected> = {}, given: string | null = "s3cr3t") => {
  const body = new TextEncoder().encode(JSON.stringify(envelope))
  const address: unknown = Reflect.get(envelope, "SigningCertURL")
  return cloud(typeof address === "string" ? { [address]: pem } : {})(
    cloudwatch.proof(post(body, {}, given), expecting(["s3cr3t"], { topic, ...more }))
  )
}

/** The refusal of an envelope. */
export const refusal = (...of: Parameters<typeof prove>) =>
  Effect.map(Effect.flip(prove(...of)), (refused) => `${refused._tag}: ${refused.message}`)
