import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, type Redacted, type Scope } from "effect"
import { inspect } from "node:util"
import type { Notifier } from "../../application/ports/Notifier.ts"
import { message } from "./Sample.ts"

/** A message as the receiver gets it. */
export interface Received {
  readonly id: string
  readonly subject: string
  readonly text: string
  readonly thread: string
}

/** A channel and its receiver. */
export interface Line {
  readonly notifier: Notifier
  /** The same with a very short timeout. */
  readonly hasty: Notifier
  readonly to: Redacted.Redacted
  readonly received: () => ReadonlyArray<Received>
  readonly answer: (mood: "well" | "refused" | "busy" | "silent") => void
  readonly stop: Effect.Effect<void>
  /** Texts that no error may contain. */
  readonly secrets: ReadonlyArray<string>
}

/** Timeout of `hasty`. */
export const patience = Duration.millis(200)

export const failing = ({ notifier, secrets, to }: Pick<Line, "notifier" | "secrets" | "to">) =>
  Effect.map(Effect.flip(notifier.send(to, message)), (undelivered) => {
    const told = `${undelivered.message} ${JSON.stringify(undelivered)} ${inspect(undelivered, { depth: 9 })}`
    for (const secret of secrets) assert.notInclude(told, secret)
    return undelivered
  })

export const notifierContract = (channel: string, open: Effect.Effect<Line, never, Scope.Scope>) =>
  describe.concurrent(`Notifier (${channel})`, () => {
    it.scopedLive("delivers the subject, the text, the id and what keeps an incident together", () =>
      Effect.gen(function* () {
        const line = yield* open
        yield* line.notifier.send(line.to, message)
        assert.lengthOf(line.received(), 1)
        const [received] = line.received()
        assert.strictEqual(received?.id, message.id)
        assert.strictEqual(received?.subject, message.subject)
        assert.strictEqual(received?.text, message.text)
        assert.include(received?.thread, message.notice.incident.key)
      })
    )

    it.scopedLive("sends the same again under the same id and into the same thread", () =>
      Effect.gen(function* () {
        const line = yield* open
        yield* line.notifier.send(line.to, message)
        yield* line.notifier.send(line.to, message)
        assert.deepStrictEqual(...(line.received() as [Received, Received]))
      })
    )

    it.scopedLive.each([
      ["refused", true],
      ["busy", false]
    ] as const)("what is %s is given up for good: %s", ([mood, isFinal]) =>
      Effect.gen(function* () {
        const line = yield* open
        line.answer(mood)
        const undelivered = yield* failing(line)
        assert.strictEqual(undelivered.isFinal, isFinal, undelivered.reason)
        assert.lengthOf(line.received(), 0)
        line.answer("well")
        yield* line.notifier.send(line.to, message)
        assert.lengthOf(line.received(), 1)
      })
    )

    it.scopedLive("a server that is silent is given its time, and tried again", () =>
      Effect.gen(function* () {
        const line = yield* open
        line.answer("silent")
        const undelivered = yield* failing({ ...line, notifier: line.hasty })
        assert.isFalse(undelivered.isFinal, undelivered.reason)
        assert.lengthOf(line.received(), 0)
      })
    )

    it.scopedLive("a server that is down is tried again", () =>
      Effect.gen(function* () {
        const line = yield* open
        yield* line.stop
        const undelivered = yield* failing(line)
        assert.isFalse(undelivered.isFinal, undelivered.reason)
      })
    )
  })
