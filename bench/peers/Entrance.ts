import type { access, Caller } from "./Access.ts"
import type { Cursors } from "./Cursors.ts"
import type { Database } from "./Statements.ts"

/** Dependencies of every route. */
export interface Entrance {
  readonly sql: Database
  readonly access: ReturnType<typeof access>
  readonly cursors: Cursors
  /** Records the use of a token. */
  readonly use: (caller: Caller) => void
}
