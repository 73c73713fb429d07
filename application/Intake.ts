import { Effect } from "effect"
import { bySystem } from "../domain/Actor.ts"
import { answered } from "../domain/Change.ts"
import { type DeliveryId, redacted, type Verdict } from "../domain/Delivery.ts"
import { sha256 } from "../domain/Hashing.ts"
import { ofSource } from "../domain/Sealed.ts"
import type { Decoded } from "../domain/Signal.ts"
import { isPosting, passing, type PostingKind, SourceNotFound } from "../domain/SignalSource.ts"
import * as Uuid from "../domain/Uuid.ts"
import { AlertTools, type Handshake, type Post, ProofUnavailable } from "./ports/AlertTools.ts"
import { CloudPages } from "./ports/CloudPages.ts"
import { OnCallStore } from "./ports/OnCallStore.ts"
import { type Found, SignalStore } from "./ports/SignalStore.ts"
import { parse } from "./JsonBody.ts"
import { Sealing } from "./Sealing.ts"
import { sourceChanged } from "./Sources.ts"

/** A source that takes posts, as one finds it. */
interface Posting extends Found {
  readonly kind: PostingKind
}

/** The source at an address; asked first, so that a body for nobody is not even read. */
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
  ...rejected.map(({ index, message }) => verdict("rejected", `Alert ${index}: ${message}`))
]

/** A tool that wants to be answered is, before it is told that all is well: it tries again when we cannot. */
const shake = Effect.fn("Intake.shake")(function* ({ source, workspace }: Found, handshake: Handshake) {
  if (handshake.type === "confirm") {
    const pages = yield* CloudPages
    yield* Effect.mapError(pages.get(handshake.visit), ({ message }) => new ProofUnavailable({ problem: message }))
  }
  const store = yield* OnCallStore
  yield* store.change(workspace, {}, ({ now, sources }) => {
    const current = sources.find(({ id }) => id === source.id) ?? source
    const next =
      handshake.type === "confirm"
        ? { ...current, topic: handshake.topic, disconnectedAt: null }
        : { ...current, disconnectedAt: now }
    return answered(sourceChanged(bySystem, current, { ...next, updatedAt: now }), undefined)
  })
})

/** Verifies, reads and keeps one post; nothing else happens before it is kept. */
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
  const proof = tool.proof(post, { secrets, isTimestampRequired, topic, now })
  const proven = yield* Effect.tapError(proof, (refusal) =>
    refusal._tag === "ProofUnavailable"
      ? Effect.void
      : store.refused(found, refusal._tag === "InvalidProof" ? refusal.problem : refusal.message)
  )
  if (proven.handshake) yield* shake(found, proven.handshake)
  const json = yield* parse(post.body)
  const decoded = yield* tool.decode({ headers: post.headers, json })
  const id = (yield* Uuid.make) as DeliveryId
  const { isDuplicate } = yield* store.receive({
    workspace,
    source: source.id,
    id,
    name: proven.delivery === null ? null : yield* sha256(proven.delivery),
    signals: decoded.signals,
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
