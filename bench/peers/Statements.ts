import pg from "pg"

/** The same service three times: as most write it, with prepared statements, and as fast as we can make it. */
export type Variant = "ordinary" | "named" | "limit"

/** A statement with the name it is prepared under, where statements are prepared at all. */
export interface Statement {
  readonly name: string
  readonly text: string
}

export const statement = (name: string, text: string): Statement => ({ name, text })

export interface Sql {
  readonly query: <Row extends object>(
    statement: Statement,
    values?: ReadonlyArray<unknown>
  ) => Promise<ReadonlyArray<Row>>
}

export interface Database extends Sql {
  /** All of the work or none of it, on one connection. */
  readonly transaction: <A>(work: (sql: Sql) => Promise<A>) => Promise<A>
  readonly close: () => Promise<void>
}

const options =
  "-c TimeZone=UTC -c statement_timeout=5000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=30000"

export const connect = (databaseUrl: string, variant: Variant): Database => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10, options })
  // A connection that breaks while idle is replaced; without a listener it would end the process.
  pool.on("error", () => {})
  const sqlOf = (client: pg.Pool | pg.PoolClient): Sql => ({
    query: async <Row extends object>({ name, text }: Statement, values: ReadonlyArray<unknown> = []) => {
      const query = variant === "ordinary" ? { text, values: [...values] } : { name, text, values: [...values] }
      return (await client.query<Row>(query)).rows
    }
  })
  return {
    ...sqlOf(pool),
    transaction: async (work) => {
      const client = await pool.connect()
      try {
        await client.query("BEGIN")
        const answer = await work(sqlOf(client))
        await client.query("COMMIT")
        client.release()
        return answer
      } catch (error) {
        await client.query("ROLLBACK").then(
          () => client.release(),
          () => client.release(true)
        )
        throw error
      }
    },
    close: () => pool.end()
  }
}
