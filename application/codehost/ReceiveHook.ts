import { Effect } from "effect"
import { ConnectionNotFound } from "../../domain/connection/Connection.ts"
import { InvalidProof, Signature } from "../../domain/value/Signature.ts"
import type { IssueRef } from "../../domain/tracker/TrackerIssue.ts"
import { TrackerStore } from "../ports/tracker/TrackerStore.ts"
import { ConnectionStore } from "../ports/connection/ConnectionStore.ts"
import * as Connections from "./Connections.ts"

/** A webhook as it arrived. */
export interface Hook {
  readonly signature: string | null
  /** The host's own id, which a repetition has too. */
  readonly delivery: string | null
  /** True when a pull request, a branch, its checks or the reach of the connection may be another after it. */
  readonly isFollowed: boolean
  readonly body: Uint8Array
}

/** An issue that a webhook names. */
export interface HookedIssue {
  readonly project: string
  readonly issue: IssueRef
}

const longest = 200

/** The connection whose webhooks have an address. */
export const find = Effect.fn("ReceiveHook.find")(function* (token: string) {
  const found = yield* (yield* ConnectionStore).find(token)
  return found ?? (yield* new ConnectionNotFound({ connection: "of this address" }))
})

type Found = Effect.Effect.Success<ReturnType<typeof find>>

/**
 * Proves a webhook and makes its connection or its issue due at once. Its content is a hint alone: the host is asked for the
 * facts. Of an event that changes nothing here, only the id is kept.
 */
export const receive = Effect.fn("ReceiveHook.receive")(function* (
  found: Found,
  { body, delivery, isFollowed, signature }: Hook,
  issueOf: (body: Uint8Array) => HookedIssue | null = () => null
) {
  const [, hex = ""] = /^sha256=([0-9a-f]{64})$/i.exec(signature ?? "") ?? []
  if (hex === "") return yield* new InvalidProof({ problem: "X-Hub-Signature-256 is missing or no SHA-256" })
  const { webhookSecret } = yield* Effect.mapError(
    Connections.open(found.connection),
    () => new InvalidProof({ problem: "its secret cannot be opened" })
  )
  if (!(yield* (yield* Signature).signs([webhookSecret], [hex], body)))
    return yield* new InvalidProof({ problem: "the signature is not of this body and the connection's secret" })
  if (delivery === null || delivery === "" || delivery.length > longest)
    return yield* new InvalidProof({ problem: "X-GitHub-Delivery is missing" })
  const { connection, workspace } = found
  const isNew = yield* (yield* ConnectionStore).receive(workspace, connection.id, delivery, isFollowed)
  const named = issueOf(body)
  if (isNew && named !== null) yield* (yield* TrackerStore).hint(workspace, connection.id, named.project, named.issue)
  return { isNew, isHint: isFollowed || named !== null }
})
