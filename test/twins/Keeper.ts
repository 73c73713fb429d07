import type { Twin } from "./Marking.ts"

export interface Kept {
  readonly id: string
  readonly slug: string
  readonly bearerHash: string
}

/** Rows by the workspace they belong to. */
export type Look = ReadonlyMap<string, ReadonlyArray<string>>

/** Direct access to the storage behind the ports. */
export interface Keeper {
  /** Every row of every workspace as text, with its table. */
  readonly look: () => Promise<Look>
  readonly add: (of: Kept, twin: Twin) => Promise<void>
  /** Saves all rows, which `restore` writes back where the last look found a difference. */
  readonly save: () => Promise<void>
  readonly restore: () => Promise<void>
  /** Locks all rows and the on-call turn of these workspaces, and these other rows, during `use`. */
  readonly whileHeld: <A>(
    workspaces: ReadonlyArray<string>,
    others: ReadonlyArray<string>,
    use: () => Promise<A>
  ) => Promise<A>
  readonly close: () => Promise<void>
}
