import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import https from "node:https"
import { Readable } from "node:stream"
import MessageValidator from "sns-validator"
import { vi } from "vitest"
import { confirmation, type Envelope, file, notification, prove, signed } from "./SignedSns.ts"
import { isLong } from "../support/Long.ts"
import { anyText } from "../support/Random.ts"

const signer = file("signer.pem")

/** Amazon's own validator fetches the certificate itself. */
const serveCertificate = () =>
  vi.spyOn(https, "get").mockImplementation(((_: string, answer: (response: object) => void) => {
    queueMicrotask(() => answer(Object.assign(Readable.from([signer]), { statusCode: 200 })))
    return { on: () => undefined }
  }) as never)

const theirs = (envelope: Envelope) =>
  new Promise<boolean>((resolve) =>
    new MessageValidator().validate({ ...envelope }, (error) => resolve(error === null))
  )

const ours = (envelope: Envelope) =>
  Effect.runPromise(Effect.isSuccess(prove(envelope, signer, { topic: envelope["TopicArn"] ?? "" })))

const text = anyText({ minLength: 1, maxLength: 40 }).filter((value) => !/\p{Surrogate}/u.test(value))
const version = FastCheck.constantFrom("1", "2")

const message = FastCheck.oneof(
  FastCheck.record({ Message: text, SignatureVersion: version }).map(notification),
  FastCheck.record({ Message: text, Subject: text, SignatureVersion: version }).map(notification),
  FastCheck.record({ Message: text, Token: text, SignatureVersion: version }).map((more) =>
    confirmation("SubscriptionConfirmation", more)
  )
)

describe("beside Amazon's own validator", () => {
  beforeEach(() => void serveCertificate())
  afterEach(() => void vi.restoreAllMocks())

  it("what it takes is taken, and what it refuses is refused", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(message, FastCheck.nat(), text, async (envelope, place, other) => {
        const whole = signed(envelope)
        assert.deepStrictEqual([await theirs(whole), await ours(whole)], [true, true])
        const names = ["Message", "MessageId", "Timestamp", "TopicArn", "Type", "Signature", "SignatureVersion"]
        // Amazon documents no subject of a confirmation, so it is not read; its validator would sign it.
        const changeable = whole["Type"] === "Notification" ? [...names, "Subject"] : [...names, "Token"]
        const name = changeable[place % changeable.length] ?? ""
        const changed = { ...whole, [name]: other }
        const expected = await theirs(changed)
        assert.strictEqual(await ours(changed), expected, `${name} is ${JSON.stringify(other)}`)
      }),
      { numRuns: isLong ? 100 : 30 }
    ))

  it("the end of a subscription is signed as Amazon documents it, which its validator does not know", async () => {
    const over = signed(confirmation("UnsubscribeConfirmation"))
    assert.deepStrictEqual([await theirs(over), await ours(over)], [false, true])
  })
})
