import { type DateTime, Effect, Either, Option, Schema } from "effect"
import { verify } from "node:crypto"
import { contentOf, type Post, type Proven, type Translator } from "../../../application/ports/AlertTools.ts"
import { InvalidProof, snsWindowSeconds, TimestampOutOfWindow } from "../../../domain/value/Signature.ts"
import { named } from "../DeliveryName.ts"
import { key } from "../Proofs.ts"
import { fields, time } from "../PayloadFields.ts"
import { amazons, publicKey } from "./SnsCertificate.ts"

const refuse = (problem: string) => new InvalidProof({ problem })

export const parse = Schema.decodeUnknownOption(Schema.parseJson())

const confirmation = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]

/** The signed fields of each type, in signing order. */
const signedNames: Readonly<Record<string, ReadonlyArray<string>>> = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: confirmation,
  UnsubscribeConfirmation: confirmation
}

const hashes: ReadonlyMap<string, string> = new Map([
  ["1", "RSA-SHA1"],
  ["2", "RSA-SHA256"]
])

const rawDelivery =
  "it is no signed message of Amazon SNS; if 'Enable raw message delivery' is on for the subscription, switch it off"

type Envelope = Readonly<Record<string, string | undefined>>

/** The SNS envelope of a message; all its values are text. */
const envelopeOf = (post: Post) =>
  Effect.gen(function* () {
    const body = Either.getOrElse(contentOf(post), () => new Uint8Array())
    const json = fields(Option.getOrNull(parse(new TextDecoder().decode(body))))
    const envelope: Envelope = Object.fromEntries(
      Object.entries(json).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
    )
    const type = envelope["Type"] ?? ""
    const signed = Object.hasOwn(signedNames, type) ? signedNames[type] : undefined
    if (signed === undefined || post.headers["x-amz-sns-rawdelivery"] === "true") return yield* refuse(rawDelivery)
    const missing = ["SignatureVersion", "Signature", "SigningCertURL", ...signed].find(
      (name) => name !== "Subject" && envelope[name] === undefined
    )
    if (missing !== undefined) return yield* refuse(`it has no ${missing}, which every ${type} of Amazon SNS has`)
    return { envelope, signed, type }
  })

export const stringToSign = (envelope: Envelope, names: ReadonlyArray<string>): string =>
  names.flatMap((name) => (envelope[name] === undefined ? [] : [`${name}\n${envelope[name]}\n`])).join("")

/** Anybody may own a topic, so a signature proves only that some AWS account sent the message. */
const handshakeOf = (type: string, envelope: Envelope, bound: string | null) =>
  Effect.gen(function* () {
    const topic = envelope["TopicArn"] ?? ""
    if (bound !== null && bound !== topic)
      return yield* refuse(`it is of the topic ${topic}; this source takes ${bound}`)
    if (bound === null && type !== "SubscriptionConfirmation")
      return yield* refuse("no topic is subscribed to this address yet; subscribe the topic to it first")
    if (type === "Notification") return {}
    const visit = amazons(envelope["SubscribeURL"])
    if (visit === null) return yield* refuse("its SubscribeURL is not one of Amazon SNS")
    return type === "SubscriptionConfirmation"
      ? { handshake: { type: "confirm", topic, visit: visit.href } as const }
      : { handshake: { type: "disconnect", topic } as const }
  })

/** Refuses an old message as a copy: Amazon stops retrying within the hour. */
const recent = (text: string | undefined, now: DateTime.Utc) => {
  const sent = time(text)
  if (sent === null) return refuse("its Timestamp is no time")
  const seconds = (now.epochMillis - sent.epochMillis) / 1000
  return seconds > snsWindowSeconds
    ? new TimestampOutOfWindow({ header: "Timestamp of the message", seconds, most: snsWindowSeconds })
    : Effect.void
}

/** Amazon SNS signs every message; the key in the address is required as well. */
export const proof: Translator["proof"] = (post, expected) =>
  Effect.gen(function* () {
    yield* key(post, expected)
    const { envelope, signed, type } = yield* envelopeOf(post)
    const hash = hashes.get(envelope["SignatureVersion"] ?? "")
    if (hash === undefined) return yield* refuse("its SignatureVersion is neither 1 nor 2")
    const certified = yield* publicKey(envelope["SigningCertURL"], expected.now)
    const text = Buffer.from(stringToSign(envelope, signed), "utf8")
    if (!verify(hash, text, certified, Buffer.from(envelope["Signature"] ?? "", "base64")))
      return yield* refuse("its Signature is not that of Amazon SNS")
    yield* recent(envelope["Timestamp"], expected.now)
    const handshake = yield* handshakeOf(type, envelope, expected.topic)
    const proven: Proven = { delivery: named(envelope["MessageId"]), ...handshake }
    return proven
  })
