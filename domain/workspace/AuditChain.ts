import type { Effect } from "effect"
import type { AuditEntry } from "./Audit.ts"
import { bytesOf, sha256 } from "../value/Hashing.ts"
import { format } from "../value/Timestamp.ts"

/** What the first entry of a workspace follows. */
export const origin = "0".repeat(64)

/** Every field with its length before it, so that no two entries read the same; null is no field at all. */
const canonical = (fields: ReadonlyArray<string | null>): string =>
  fields.map((field) => (field === null ? "-;" : `${bytesOf(field).length}:${field};`)).join("")

/** An entry as it is stored: its details are hashed as the text they are stored as. */
export interface Stored extends Omit<AuditEntry, "details"> {
  readonly seq: bigint
  readonly details: string
}

/** SHA-256 over the hash before and everything the entry says; whoever changes one must redo all that follow. */
export const link = (previous: string, entry: Stored): Effect.Effect<string> =>
  sha256(
    canonical([
      previous,
      entry.seq.toString(),
      entry.id,
      format(entry.timestamp),
      entry.actor.type,
      entry.actor.name,
      entry.actor.userId,
      entry.team,
      entry.runKey,
      entry.event,
      entry.result,
      entry.entity.type,
      entry.entity.id,
      entry.entity.name,
      entry.details
    ])
  )

/** Whether a workspace's entries are what was written: how many hold, or the first that does not. */
export interface Verdict {
  readonly entries: number
  readonly firstBad: bigint | null
}
