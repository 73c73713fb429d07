import { Clock, Effect, Either } from "effect"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { shakeHands } from "../../domain/oncall/commands/ChangeSource.ts"
import { type DeliveryId, redacted, type Verdict } from "../../domain/oncall/Delivery.ts"
import { boundedCache } from "../../domain/value/BoundedCache.ts"
import { sha256 } from "../../domain/value/Hashing.ts"
import { excerptOf, noticeOf, type Refusal } from "../../domain/oncall/RefusedDelivery.ts"
import { ofSource } from "../../domain/value/SecretBinding.ts"
import type { Decoded } from "../../domain/oncall/Signal.ts"
import {
  isPosting,
  passing,
  type PostingKind,
  type SourceId,
  SourceNotFound
} from "../../domain/oncall/SignalSource.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { AlertTools, contentOf, type Handshake, type Post, ProofUnavailable } from "../ports/AlertTools.ts"
import { CloudPages } from "../ports/CloudPages.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"
import { type Found, SignalStore } from "../ports/SignalStore.ts"
import { parse } from "./JsonBody.ts"
import { Sealing } from "../secrets/Sealing.ts"
import { asTest, testOf } from "./TestSource.ts"

/** A source that accepts posts. */
interface Posting extends Found {
  readonly kind: PostingKind
}

/** Finds the source at an address, before the body is read: a body for no source is never read. */
export const find = (token: string, lane?: string): Effect.Effect<Posting, SourceNotFound, SignalStore> =>
  Effect.flatMap(SignalStore, (store) =>
    /^[A-Za-z0-9]{32}$/.test(token)
      ? Effect.flatMap(store.find(token, lane), (found) =>
          found === null || !isPosting(found.source.kind)
            ? new SourceNotFound()
            : Effect.succeed({ ...found, kind: found.source.kind })
        )
      : new SourceNotFound()
  )

const verdict = (verdict: "ignored" | "rejected", explanation: string): Verdict => ({
  verdict,
  explanation,
  fingerprint: null,
  alert: null,
  incident: null
})

const knownOf = ({ ignored, rejected }: Decoded): ReadonlyArray<Verdict> => [
  ...(ignored === null ? [] : [verdict("ignored", ignored)]),
  ...rejected.map(({ index, message }) => verdict("rejected", `Alert ${index + 1}: ${message}`))
]

/** Completes the tool's handshake before the post is accepted: the tool retries when we cannot. */
const shake = Effect.fn("Intake.shake")(function* ({ source, workspace }: Found, handshake: Handshake) {
  if (handshake.type === "confirm") {
    const pages = yield* CloudPages
    yield* Effect.mapError(pages.get(handshake.visit), ({ message }) => new ProofUnavailable({ problem: message }))
  }
  const store = yield* OnCallStore
  yield* store.change(workspace, {}, shakeHands(bySystem, source, handshake))
})

/** Verifies, decodes and stores one post; nothing else happens before it is stored. */
export const accept = Effect.fnUntraced(function* (found: Posting, post: Post) {
  const { kind, now, source, workspace } = found
  const store = yield* SignalStore
  const sealing = yield* Sealing
  const tool = (yield* AlertTools)[kind]
  const sealed = passing(source, now).map((secret) => secret.sealed)
  const secrets = yield* sealing.openSome(sealed, ofSource(source.id))
  if (secrets.length === 0)
    return yield* new ProofUnavailable({ problem: "the source's secret was sealed with another SECRET_KEY" })
  const { isTimestampRequired, topic } = source
  const proven = yield* tool.proof(post, { secrets, isTimestampRequired, topic, now })
  if (proven.handshake) yield* shake(found, proven.handshake)
  const json = yield* Either.flatMap(contentOf(post), parse)
  const decoded = yield* tool.decode({ headers: post.headers, json, severities: source.severities })
  const id = (yield* Uuid.make) as DeliveryId
  const test = yield* testOf(post, secrets)
  const { isDuplicate } = yield* store.receive({
    workspace,
    source: source.id,
    id,
    name: proven.delivery === null ? null : yield* sha256(proven.delivery),
    signals: test === null ? decoded.signals : decoded.signals.map(asTest(test)),
    known: knownOf(decoded),
    body: JSON.stringify(redacted(json))
  })
  const count = decoded.signals.length
  return {
    deliveryId: id,
    accepted: isDuplicate ? 0 : count,
    duplicates: isDuplicate ? count : 0,
    rejected: decoded.rejected
  }
})

const logged = boundedCache<SourceId, { readonly at: number; skipped: number }>()
const logEveryMillis = 1000

/** Logs one line a second for each source, with the number of lines left out. */
const logRefusal = ({ source }: Found, { code, message, status }: Refusal) =>
  Effect.flatMap(Clock.currentTimeMillis, (at) => {
    const before = logged.get(source.id)
    if (before !== undefined && at - before.at < logEveryMillis) return Effect.sync(() => void before.skipped++)
    logged.set(source.id, { at, skipped: 0 })
    const more = before?.skipped ? ` (and ${before.skipped} more since the last line)` : ""
    return Effect.logWarning(`a delivery of the signal source ${source.name} was refused: ${message}${more}`).pipe(
      Effect.annotateLogs({ source: source.name, status, code })
    )
  })

/** Stores a refused post with the answer it got, since senders drop refused posts. */
export const refuse = Effect.fnUntraced(function* (
  found: Posting,
  answer: Pick<Refusal, "status" | "code" | "message">,
  body: Uint8Array | null
) {
  const refusal = { ...answer, body: body === null ? null : excerptOf(body) }
  const store = yield* SignalStore
  yield* logRefusal(found, refusal)
  // The sender gets the proper answer even when the refusal cannot be stored.
  yield* Effect.catchAllDefect(store.refused(found, refusal, noticeOf(found.source.name, refusal)), () => Effect.void)
})
