import type { Effect } from "effect"
import type { RecordedEntry } from "./Audit.ts"
import { bytesOf, sha256 } from "../value/Hashing.ts"
import { format } from "../value/Timestamp.ts"

/** The hash that the first entry of a workspace follows. */
export const origin = "0".repeat(64)

/** Prefixes every field with its length, so that no two entries read the same; null is no field at all. */
const canonical = (fields: ReadonlyArray<string | null>): string =>
  fields.map((field) => (field === null ? "-;" : `${bytesOf(field).length}:${field};`)).join("")

/** An entry as stored: its details are hashed as the stored text. */
export interface Stored extends Omit<RecordedEntry, "details"> {
  readonly seq: bigint
  readonly details: string
}

/** SHA-256 over the previous hash and all fields of the entry: changing one entry requires redoing all that follow. */
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

/** Result of verifying a workspace's entries: the number of valid ones, or the first invalid one. */
export interface Verdict {
  readonly entries: number
  readonly firstBad: bigint | null
}
