import type { Effect } from "effect"
import type { Equipment } from "../support/Equipment.ts"
import type { Stores } from "../support/World.ts"
import type { Original } from "./Original.ts"

export type Act = (at: Original) => Effect.Effect<unknown, unknown, Stores | Equipment>

/** An operation that is performed as the original. */
export interface Case {
  readonly name: string
  readonly act: Act
  /**
   * Effect on twins meanwhile: none, and no lock held by them is awaited; the same as on the original, for operations
   * on all workspaces; or any.
   */
  readonly twins: "held" | "alike" | "free"
  /** Rows of the original that the case does not need, so that it must not wait for their locks. */
  readonly unneeded?: (own: string) => ReadonlyArray<string>
}

/** By method or use case; several variants of one have a word each. */
export type Cases = Readonly<Record<string, Act | Readonly<Record<string, Act>>>>

export const listed = (cases: Cases, twins: Case["twins"] = "held"): ReadonlyArray<Case> =>
  Object.entries(cases).flatMap(([name, one]) =>
    typeof one === "function"
      ? [{ name, act: one, twins }]
      : Object.entries(one).map(([word, act]) => ({ name: `${name}: ${word}`, act, twins }))
  )
