import type { Twin } from "./Marking.ts"

export interface Kept {
  readonly id: string
  readonly slug: string
  readonly bearerHash: string
}

/** Rows by the workspace they belong to. */
export type Look = ReadonlyMap<string, ReadonlyArray<string>>

/** What stands behind the ports, seen without them. */
export interface Keeper {
  /** Every row of every workspace as text, with the table it is in. */
  readonly look: () => Promise<Look>
  readonly add: (of: Kept, twin: Twin) => Promise<void>
  /** Notes all there is, which `restore` makes so again as far as the last look says that it is not. */
  readonly save: () => Promise<void>
  readonly restore: () => Promise<void>
  /** Nobody can change a row of these workspaces meanwhile, nor have their turn on call, nor lock these other rows. */
  readonly whileHeld: <A>(
    workspaces: ReadonlyArray<string>,
    others: ReadonlyArray<string>,
    use: () => Promise<A>
  ) => Promise<A>
  readonly close: () => Promise<void>
}
