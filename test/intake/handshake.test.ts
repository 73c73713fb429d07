import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Intake from "../../application/oncall/Intake.ts"
import { CloudPages, PageUnreachable } from "../../application/ports/CloudPages.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import { sourceChanged } from "../../domain/oncall/commands/ChangeSource.ts"
import { answered } from "../../domain/Change.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Equipment from "../support/Equipment.ts"
import { source } from "../support/Source.ts"
import { confirmation, type Envelope, file, notification, signed, topic } from "./SignedSns.ts"

/** Amazon's visible part: certificates, and the answer to confirmations. */
const visited: Array<string> = []
let isReachable = true
const amazon = Layer.succeed(CloudPages, {
  get: (address) => {
    if (address.endsWith(".pem")) return Effect.succeed(file("signer.pem"))
    visited.push(address)
    return isReachable
      ? Effect.succeed("<ConfirmSubscriptionResponse/>")
      : new PageUnreachable({ host: new URL(address).host, problem: "it is down" })
  }
})

const world = Layer.mergeAll(Memory.layer, Layer.merge(Equipment.layer, amazon))

const post = ({ secret, source: { token } }: Effect.Effect.Success<ReturnType<typeof source>>, envelope: Envelope) =>
  Effect.flatMap(Intake.find(token), (found) =>
    Intake.accept(found, {
      headers: {},
      key: Redacted.make(secret),
      body: new TextEncoder().encode(JSON.stringify(signed(envelope)))
    })
  )

const sourceOf = (at: { readonly workspace: Parameters<OnCallStore["Type"]["look"]>[0] }) =>
  Effect.map(
    Effect.flatMap(OnCallStore, (store) => store.look(at.workspace)),
    ({ sources: [one] }) => one
  )

it.layer(world)("a tool that shakes hands", (it) => {
  it.effect("is answered, and bound to the topic it confirmed; another topic is refused", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2027, 0, 1))
      const at = yield* source("cloudwatch")
      const early = yield* Effect.flip(post(at, notification()))
      assert.strictEqual(early._tag, "InvalidProof")

      isReachable = false
      const hello = confirmation("SubscriptionConfirmation")
      assert.strictEqual((yield* Effect.flip(post(at, hello)))._tag, "ProofUnavailable")
      assert.isNull((yield* sourceOf(at))?.topic)
      isReachable = true
      assert.strictEqual((yield* post(at, hello)).accepted, 0)
      assert.strictEqual(visited.at(-1), hello.SubscribeURL)
      assert.strictEqual((yield* sourceOf(at))?.topic, topic)

      assert.strictEqual((yield* post(at, notification({ MessageId: "another" }))).accepted, 0)
      const strange = { TopicArn: `${topic}-of-somebody-else`, MessageId: "strange" }
      assert.strictEqual((yield* Effect.flip(post(at, notification(strange))))._tag, "InvalidProof")

      const before = visited.length
      yield* post(at, confirmation("UnsubscribeConfirmation", { MessageId: "bye" }))
      assert.strictEqual(visited.length, before)
      assert.isNotNull((yield* sourceOf(at))?.disconnectedAt)
    })
  )

  it.effect("whose secret no longer opens can be helped by one rotation", () =>
    Effect.gen(function* () {
      const at = yield* source("alertmanager")
      const store = yield* OnCallStore
      yield* store.change(at.workspace, {}, ({ sources: [one = at.source] }) =>
        answered(
          sourceChanged(bySystem, one, { ...one, secrets: [{ sealed: "v1.00000000.AAAA", until: null }] }),
          undefined
        )
      )
      const say = (secret: string) =>
        Effect.flatMap(Intake.find(at.source.token), (found) =>
          Intake.accept(found, {
            headers: { authorization: `Bearer ${secret}` },
            key: null,
            body: new TextEncoder().encode('{"version":"4","alerts":[]}')
          })
        )
      assert.strictEqual((yield* Effect.flip(say(at.secret)))._tag, "ProofUnavailable")
      const { secret } = yield* Sources.rotate(at.owner, "tool")
      assert.strictEqual((yield* say(Redacted.value(secret))).accepted, 0)
    })
  )
})
