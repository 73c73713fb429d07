import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { cloudwatch } from "../../adapters/alerting/cloudwatch/CloudWatch.ts"
import { stringToSign } from "../../adapters/alerting/cloudwatch/Sns.ts"
import { CloudPages } from "../../application/ports/CloudPages.ts"
import { Signature } from "../../domain/value/Signature.ts"
import { cloud, expecting, post } from "./Delivering.ts"
import { bytes, json } from "./Fixtures.ts"
import { confirmation, file, freshAddress, notification, prove, refusal, signed, topic } from "./SignedSns.ts"

const signer = file("signer.pem")

const fixture = (name: string, bound: string | null, headers: Readonly<Record<string, string>> = {}) => {
  const address = "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-00112233445566778899aabbccddeeff.pem"
  const sent = post(bytes(`cloudwatch/${name}`), headers, "s3cr3t")
  return cloud({ [address]: file("cert.pem") })(cloudwatch.proof(sent, expecting(["s3cr3t"], { topic: bound })))
}

describe("a message as Amazon SNS signs it", () => {
  it.effect.each(["firing", "resolved", "test"])("%s is signed right, and older than its certificate", (name) =>
    Effect.map(Effect.flip(fixture(name, name === "test" ? null : topic)), ({ _tag }) =>
      assert.strictEqual(_tag, "TimestampOutOfWindow")
    )
  )

  it.effect("is named by its MessageId", () =>
    Effect.map(prove(signed(notification({ MessageId: "5c0f1f2e-9a43" })), signer), (proven) =>
      assert.deepStrictEqual(proven, { delivery: "id 5c0f1f2e-9a43" })
    )
  )

  it.effect("asks for the subscription to be confirmed", () => {
    const envelope = signed(confirmation("SubscriptionConfirmation"))
    return Effect.map(prove(envelope, signer, { topic: null }), ({ handshake }) =>
      assert.deepStrictEqual(handshake, { type: "confirm", topic, visit: String(envelope["SubscribeURL"]) })
    )
  })

  it.each([
    ["firing", ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]],
    ["test", ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]]
  ])("has the text to sign that Amazon documents: %s", (name, names) =>
    assert.strictEqual(
      stringToSign(json("cloudwatch", name) as Record<string, string>, names),
      file(`${name}.string-to-sign.txt`)
    )
  )

  it.effect("delivered raw is refused with what to switch off", () =>
    Effect.gen(function* () {
      const problem = yield* Effect.flip(fixture("firing", topic, { "x-amz-sns-rawdelivery": "true" }))
      assert.include(problem.message, "raw message delivery")
      for (const body of [{ AlarmName: "x", NewStateValue: "ALARM" }, [], "text", null].map((value) => ({
        ...Object(value)
      })))
        assert.include(yield* refusal(body, signer), "raw message delivery")
    })
  )
})

describe("a signed message", () => {
  it.effect.each(["1", "2"])("of the signature version %s is proven, with and without a subject", (SignatureVersion) =>
    Effect.gen(function* () {
      yield* prove(signed(notification({ SignatureVersion })), signer)
      yield* prove(signed(notification({ SignatureVersion, Subject: 'Déjà "vu" \n\t€🔥' })), signer)
      yield* prove({ ...signed(notification({ SignatureVersion })), Subject: null }, signer)
      yield* prove(signed(confirmation("SubscriptionConfirmation", { SignatureVersion })), signer, { topic: null })
      const over = yield* prove(signed(confirmation("UnsubscribeConfirmation", { SignatureVersion })), signer)
      assert.deepStrictEqual(over.handshake, { type: "disconnect", topic })
    })
  )

  it.effect.each(["", "0", "3", "toString", "1 "])("of the signature version '%s' is refused", (SignatureVersion) =>
    Effect.map(refusal({ ...signed(notification()), SignatureVersion }, signer), (why) =>
      assert.include(why, "SignatureVersion")
    )
  )

  it.effect("is refused once its own Timestamp is over an hour old", () =>
    Effect.gen(function* () {
      const now = DateTime.unsafeMake("2027-01-01T00:00:00Z")
      const sent = (seconds: number) =>
        signed(notification({ Timestamp: DateTime.formatIso(DateTime.subtract(now, { seconds })) }))
      yield* prove(sent(3600), signer, { now })
      const old = yield* Effect.flip(prove(sent(3601), signer, { now }))
      assert.strictEqual(old._tag, "TimestampOutOfWindow")
      assert.include(old.message, "Timestamp of the message is 3601 s old; at most 3600 s are allowed")
      assert.include(yield* refusal(signed(notification({ Timestamp: "yesterday" })), signer), "Timestamp")
    })
  )

  it.effect("signed by one version is refused under the other", () =>
    Effect.map(refusal({ ...signed(notification({ SignatureVersion: "1" })), SignatureVersion: "2" }, signer), (why) =>
      assert.include(why, "InvalidProof")
    )
  )

  it.effect("is refused when anything signed is changed, added or missing", () =>
    Effect.gen(function* () {
      const whole = [signed(notification({ Subject: "s" })), signed(confirmation("SubscriptionConfirmation"))]
      for (const envelope of whole)
        for (const name of Object.keys(envelope)) {
          const { [name]: value, ...rest } = envelope
          assert.include(yield* refusal(rest, signer), "InvalidProof", `without ${name}`)
          assert.include(yield* refusal({ ...rest, [name]: 5 }, signer), "InvalidProof", `${name} as a number`)
          if (name !== "SigningCertURL")
            assert.include(yield* refusal({ ...rest, [name]: `A${value}` }, signer), "InvalidProof", `changed ${name}`)
        }
      assert.include(yield* refusal({ ...signed(notification()), Subject: "added" }, signer), "Signature")
    })
  )

  it.effect("without the key of the address is refused before anything is fetched", () =>
    Effect.gen(function* () {
      const body = new TextEncoder().encode(JSON.stringify(signed(notification())))
      for (const key of [null, "", "wrong"]) {
        const proof = cloudwatch.proof(post(body, {}, key), expecting(["s3cr3t"], { topic }))
        const pages = { get: () => Effect.dieMessage("nothing is to be fetched") }
        const refused = yield* Effect.flip(
          proof.pipe(Effect.provideService(CloudPages, pages), Effect.provide(Signature.Default))
        )
        assert.strictEqual(refused._tag, "InvalidProof")
      }
    })
  )
})

describe("the topic of a source", () => {
  const other = `${topic}-of-a-stranger`

  it.effect("is the one that was confirmed, and no other is taken", () =>
    Effect.gen(function* () {
      for (const envelope of [
        notification(),
        confirmation("UnsubscribeConfirmation"),
        confirmation("SubscriptionConfirmation")
      ])
        assert.include(yield* refusal(signed({ ...envelope, TopicArn: other }), signer), other)
      const again = yield* prove(signed(confirmation("SubscriptionConfirmation")), signer)
      assert.strictEqual(again.handshake?.type, "confirm")
    })
  )

  it.effect("must be subscribed before its messages are taken", () =>
    Effect.gen(function* () {
      for (const envelope of [notification(), confirmation("UnsubscribeConfirmation")])
        assert.include(yield* refusal(signed(envelope), signer, { topic: null }), "subscribe the topic")
    })
  )

  it.effect.each([
    "http://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription",
    "https://sns.us-east-1.amazonaws.com.example.com/",
    "https://sns.us-east-1.amazonaws.com:8443/",
    "https://user@sns.us-east-1.amazonaws.com/",
    "https://169.254.169.254/latest/meta-data/",
    "not an address"
  ])("is not confirmed at %s", (SubscribeURL) =>
    Effect.map(
      refusal(signed(confirmation("SubscriptionConfirmation", { SubscribeURL })), signer, { topic: null }),
      (why) => assert.include(why, "SubscribeURL")
    )
  )
})

describe("the certificate of a message", () => {
  it.effect.each([
    "https://sns.eu-west-1.amazonaws.com/a/b.pem",
    "https://sns.cn-north-1.amazonaws.com.cn/a.pem",
    "https://SNS.us-gov-west-1.amazonaws.com:443/a.pem"
  ])("may be at %s", (SigningCertURL) =>
    Effect.gen(function* () {
      const envelope = signed(notification({ SigningCertURL }))
      const body = new TextEncoder().encode(JSON.stringify(envelope))
      const sent = post(body, {}, "s3cr3t")
      yield* cloud({ [new URL(SigningCertURL).href]: signer })(cloudwatch.proof(sent, expecting(["s3cr3t"], { topic })))
    })
  )

  it.effect.each([
    "http://sns.us-east-1.amazonaws.com/a.pem",
    "https://sns.us-east-1.amazonaws.com/a.crt",
    "https://sns.us-east-1.amazonaws.com/a.pem?b",
    "https://sns.us-east-1.amazonaws.com/?a=.pem",
    "https://sns.us-east-1.amazonaws.com/#a.pem",
    "https://sns.us-east-1.amazonaws.com:444/a.pem",
    "https://a:b@sns.us-east-1.amazonaws.com/a.pem",
    "https://sns.us-east-1.amazonaws.com@example.com/a.pem",
    "https://sns.us-east-1.amazonaws.com.example.com/a.pem",
    "https://sns.us-east-1.example.com/.amazonaws.com/a.pem",
    "https://sns.us-east-1.amazonaws.com./a.pem",
    "https://example.com/sns.us-east-1.amazonaws.com/a.pem",
    "https://bucket.s3.amazonaws.com/a.pem",
    "https://sns.x.amazonaws.com/a.pem",
    "https://sns.a.b.amazonaws.com/a.pem",
    "https://sns-us-east-1.amazonaws.com/a.pem",
    "file:///etc/a.pem",
    "//sns.us-east-1.amazonaws.com/a.pem",
    ""
  ])("is not looked for at '%s'", (SigningCertURL) =>
    Effect.map(refusal(signed(notification({ SigningCertURL })), signer), (why) =>
      assert.include(why, "SigningCertURL")
    )
  )

  it.effect.each(["signer", "regional", "chain"])("may be %s.pem", (name) =>
    prove(signed(notification()), file(`${name}.pem`))
  )

  it.effect.each([
    ["of another name", file("stranger.pem"), "the certificate at its SigningCertURL is not that"],
    ["of another kind of key", file("elliptic.pem"), "the certificate at its SigningCertURL is not that"],
    ["of another key", file("cert.pem"), "its Signature"],
    ["before one that did not issue it", `${file("signer.pem")}${file("regional.pem")}`, "no chain"],
    [
      "after its issuer",
      file("chain.pem")
        .split(/(?<=-----END CERTIFICATE-----\n)/)
        .toReversed()
        .join(""),
      "not that of"
    ],
    ["a page of words", "<html>", "no certificate"],
    ["torn", signer.replace(/MII\w{20}/, ""), "no certificate"],
    ["a key", file("signer.key"), "no certificate"]
  ] as const)("%s is refused", ([, pem, why]) =>
    Effect.map(refusal(signed(notification()), pem), (problem) => assert.include(problem, why))
  )

  it.effect.each(["2026-11-14T00:00:00Z", "2127-01-01T00:00:00Z"])("is out of date on %s", (now) =>
    Effect.map(refusal(signed(notification()), signer, { now: DateTime.unsafeMake(now) }), (why) =>
      assert.include(why, "out of date")
    )
  )

  it.effect("out of reach leaves the proof for another try", () =>
    Effect.gen(function* () {
      const body = new TextEncoder().encode(JSON.stringify(signed(notification())))
      const proof = cloudwatch.proof(post(body, {}, "s3cr3t"), expecting(["s3cr3t"], { topic }))
      const refused = yield* Effect.flip(cloud({})(proof))
      assert.strictEqual(refused._tag, "ProofUnavailable")
      assert.include(refused.message, "sns.us-east-1.amazonaws.com")
    })
  )

  it.effect("is fetched once, kept, and in time makes room for others; one that is refused is not kept", () =>
    Effect.gen(function* () {
      const fetched: Array<string> = []
      const provedAt = (SigningCertURL: string, pem = signer) => {
        const body = new TextEncoder().encode(JSON.stringify(signed(notification({ SigningCertURL }))))
        const get = (address: string) => Effect.sync(() => (fetched.push(address), pem))
        return cloudwatch
          .proof(post(body, {}, "s3cr3t"), expecting(["s3cr3t"], { topic }))
          .pipe(Effect.provideService(CloudPages, { get }), Effect.provide(Signature.Default))
      }
      const [first, second] = [freshAddress(), freshAddress()]
      yield* Effect.flip(provedAt(first, "<html>"))
      yield* provedAt(first)
      yield* provedAt(first)
      assert.deepStrictEqual(fetched, [first, first])
      yield* provedAt(second)
      for (let index = 0; index < 19; index++) yield* provedAt(freshAddress())
      yield* provedAt(second)
      assert.strictEqual(fetched.length, 22)
      yield* provedAt(first)
      assert.strictEqual(fetched.length, 23)
    })
  )
})
