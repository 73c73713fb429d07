import type { Effect } from "effect"
import type { Equipment } from "../support/Equipment.ts"
import type { Stores } from "../support/World.ts"
import type { Original } from "./Original.ts"

export type Act = (at: Original) => Effect.Effect<unknown, unknown, Stores | Equipment>

/** Something that is asked or done as the original. */
export interface Case {
  readonly name: string
  readonly act: Act
  /**
   * What becomes of twins meanwhile: nothing, and nobody waits for what they have locked; the same as of the original,
   * of what is done for all workspaces; or whatever it may be.
   */
  readonly twins: "held" | "alike" | "free"
  /** Rows of the original's own that it has no business with, so that nobody waits for whoever has locked them. */
  readonly unneeded?: (own: string) => ReadonlyArray<string>
}

/** By method or use case; several ways of one have a word each. */
export type Cases = Readonly<Record<string, Act | Readonly<Record<string, Act>>>>

export const listed = (cases: Cases, twins: Case["twins"] = "held"): ReadonlyArray<Case> =>
  Object.entries(cases).flatMap(([name, one]) =>
    typeof one === "function"
      ? [{ name, act: one, twins }]
      : Object.entries(one).map(([word, act]) => ({ name: `${name}: ${word}`, act, twins }))
  )
