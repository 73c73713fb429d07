import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"
import * as Snapshot from "../support/Snapshot.ts"
import type { Stores } from "../support/World.ts"
import type { Place } from "./house.ts"

/** Transactions that wrote rows since a moment, and transactions that wrote audit entries. */
interface Written {
  readonly rows: ReadonlyArray<string>
  readonly entries: ReadonlyArray<string>
}

/** Returns the transactions that wrote to a workspace since a mark. */
export interface Watch<R> {
  readonly mark: (of: Place) => Effect.Effect<string, never, R>
  /** Rows of the table that only counts are left out. */
  readonly since: (of: Place, mark: string, counts?: string) => Effect.Effect<Written, never, R>
}

const seen = ({ id, slug }: Place) =>
  Effect.map(Effect.orDie(Snapshot.take(id, slug)), ({ audit, ...state }) =>
    JSON.stringify({ state, entries: audit.length })
  )

/** In memory a change is one synchronous step: only its presence can be detected. */
export const watchMemory: Watch<Stores> = {
  mark: seen,
  since: (of, mark) =>
    Effect.map(seen(of), (now) => {
      const [before, after] = [JSON.parse(mark), JSON.parse(now)]
      const changed = (part: "state" | "entries") =>
        JSON.stringify(before[part]) === JSON.stringify(after[part]) ? [] : ["a change"]
      return { rows: changed("state"), entries: changed("entries") }
    })
}

/** Counters and the chain's head are not recorded themselves. */
const counters = ["audit_entries", "audit_heads", "token_windows", "migrations", "source_refusals", "uptime_states"]

/** A delivery is recorded when it is triaged. */
const silent = [...counters, "deliveries", "delivery_names"]

/** Postgres stores the writing transaction in each row. */
export const watchPostgres: Watch<SqlClient.SqlClient> = {
  mark: () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly id: string }>`SELECT pg_current_xact_id()::text AS id`
      return row?.id ?? ""
    }).pipe(Effect.orDie),
  since: (_, mark, counts = "") =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ readonly name: string }>`
        SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
          AND NOT ${sql.in("relname", [...silent, counts])}`
      const written = (names: ReadonlyArray<string>) =>
        Effect.map(
          sql.unsafe<{ readonly xid: string }>(
            names
              .map((name) => `SELECT xmin::text AS xid FROM ${name} WHERE xmin::text::bigint > ${mark}`)
              .join(" UNION ")
          ),
          (rows) => rows.map(({ xid }) => xid)
        )
      return { rows: yield* written(tables.map(({ name }) => name)), entries: yield* written(["audit_entries"]) }
    }).pipe(Effect.orDie)
}
