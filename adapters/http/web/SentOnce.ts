import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Cause, Effect, Fiber, Option, Schema } from "effect"
import { Unavailable } from "../../../application/ports/Health.ts"
import { SentForms } from "../../../application/ports/identity/SentForms.ts"
import { sha256 } from "../../../domain/value/Hashing.ts"
import { Done, doneIn } from "./Flash.ts"
import type { Refusal, Reply, Visit } from "./Page.ts"
import { redirect } from "./Render.tsx"

export class FormUnderWay extends Schema.TaggedError<FormUnderWay>()("FormUnderWay", {}) {
  override get message() {
    return "This form was sent before, and what became of it is not known yet. Look whether it is done. If it is not, load the page of the form again and send it anew."
  }
}

/** The page that a form leads to when it is sent again, and its confirmation. */
const Next = Schema.parseJson(Schema.Struct({ to: Schema.String, done: Schema.NullOr(Done) }))
const decode = Schema.decodeSync(Next)
const encode = Schema.encodeSync(Next)

/** The end of a form; null when it changed nothing. */
const nextOf = (path: string, reply: Reply): typeof Next.Type | null => {
  if (!HttpServerResponse.isServerResponse(reply))
    return (reply.status ?? 200) < 400 ? { to: path, done: null, ...reply.sentAgain } : null
  const to = reply.headers["location"]
  return to === undefined ? null : { to, done: doneIn(reply) }
}

const isUnknown = (cause: Cause.Cause<unknown>) =>
  Option.exists(Cause.dieOption(cause), (defect) => defect instanceof Unavailable && defect.outcome === "unknown")

type Taken = Effect.Effect.Success<ReturnType<typeof SentForms.Service.take>>

/** Waits up to 5 seconds for the end of the first sending. */
const settledOf = Effect.fnUntraced(function* (take: Effect.Effect<Taken>) {
  for (let turn = 1; ; turn++) {
    const taken = yield* take
    if (taken.isFirst || taken.answer !== null || turn === 50) return taken
    yield* Effect.sleep("100 millis")
  }
})

const isKey = Schema.is(Schema.UUID)

/** Handles a form with a key once: another sending of the same form waits for the first, and leads where it led. */
export const once = <R>(visit: Visit, path: string, handled: Effect.Effect<Reply, Refusal, R>) =>
  Effect.gen(function* () {
    const { form, person, signedIn } = visit
    if (!isKey(form.get("once"))) return yield* handled
    const store = yield* SentForms
    const key = { token: signedIn.session.id, key: `form:${yield* sha256(`${path} ${form.text}`)}` }
    const { answer, isFirst } = yield* settledOf(store.take(person.workspace, key))
    if (answer !== null) {
      const { done, to } = decode(answer)
      return redirect(to, done ?? undefined)
    }
    if (!isFirst) return yield* new FormUnderWay()
    const settled = handled.pipe(
      Effect.tap((reply) => {
        const next = nextOf(path, reply)
        return next === null ? store.release(person.workspace, key) : store.keep(person.workspace, key, encode(next))
      }),
      Effect.tapErrorCause((cause) => (isUnknown(cause) ? Effect.void : store.release(person.workspace, key)))
    )
    // A browser that sends the form again leaves the first request, whose end the second waits for.
    return yield* Fiber.join(yield* Effect.forkDaemon(settled))
  })
