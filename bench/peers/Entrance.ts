import type { access, Caller } from "./Access.ts"
import type { Cursors } from "./Cursors.ts"
import type { Database } from "./Statements.ts"

/** What every route is built with. */
export interface Entrance {
  readonly sql: Database
  readonly access: ReturnType<typeof access>
  readonly cursors: Cursors
  /** Notes that a token was used. */
  readonly use: (caller: Caller) => void
}
