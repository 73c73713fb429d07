import pg from "pg"
import type { Keeper } from "./Keeper.ts"
import { copying } from "./Marking.ts"
import { contrary, taken } from "./Contrary.ts"

interface Table {
  readonly name: string
  /** Writable columns. */
  readonly columns: ReadonlyArray<string>
  readonly hasSeq: boolean
}

interface Found {
  readonly name: string
  readonly id: string
  readonly row: string
}

/** A row as one transaction wrote it. */
interface Version {
  readonly name: string
  readonly place: string
  readonly since: string
}

const versionOf = ({ name, place, since }: Version) => `${name} ${place} ${since}`

const findTables = `
  SELECT c.table_name AS name, array_agg(c.column_name::text ORDER BY c.ordinal_position)
      FILTER (WHERE c.is_generated = 'NEVER') AS columns, bool_or(c.is_identity = 'YES') AS "hasSeq"
  FROM information_schema.columns c WHERE c.table_schema = 'public'
  GROUP BY c.table_name HAVING c.table_name = 'workspaces' OR bool_or(c.column_name = 'workspace_id')
  ORDER BY c.table_name`

/** The column with a row's workspace. */
const ownerIn = ({ name }: Pick<Table, "name">) => (name === "workspaces" ? "id" : "workspace_id")

const added = (lists: Map<string, Array<string>>, key: string, text: string) => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [text])
  else list.push(text)
}

/** Distance of a twin's sequence numbers before or after the original's. */
const shift = 100_000

export interface PgKeeper extends Keeper {
  readonly tables: ReadonlyArray<Table>
  readonly query: (text: string, values?: Array<unknown>) => Promise<ReadonlyArray<Record<string, unknown>>>
  /** A twin in which everything has another state, and which has the keys that the original would draw next. */
  readonly addContrary: (...given: [...Parameters<Keeper["add"]>, drawn: ReadonlySet<string>]) => Promise<void>
}

/** Connections of its own, not the ports', on which no statement is changed. */
export const pgKeeper = async (url: string): Promise<PgKeeper> => {
  const [client, holder] = [new pg.Client(url), new pg.Client(url)]
  await Promise.all([client.connect(), holder.connect()])
  const query: PgKeeper["query"] = async (text, values) => (await client.query(text, values)).rows
  const tables = (await query(findTables)) as unknown as ReadonlyArray<Table>
  // The turns must not depend on the duration of a test.
  await query("UPDATE uptime_states SET begun_at = begun_at - interval '1 hour'; DELETE FROM token_windows")
  /** The rows of each table as one text. */
  type Contents = ReadonlyMap<string, string>
  let saved: Contents = new Map()
  let last: Contents = new Map()

  // Planned once.
  const holdAll = tables.map((table) => `PERFORM 1 FROM ${table.name} WHERE ${ownerIn(table)} = ANY (ids) FOR UPDATE`)
  await holder.query(
    `CREATE FUNCTION pg_temp.hold(ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$ BEGIN ${holdAll.join("; ")}; END $$`
  )

  /** Rows by version: most are the same each time, and to write them as text takes long. */
  const known = new Map<string, Found>()
  const versions = tables
    .map(({ name }) => `SELECT '${name}' AS name, ctid::text AS place, xmin::text AS since FROM ${name}`)
    .join(" UNION ALL ")
  const read = async (unknown: ReadonlyArray<Version>) => {
    const places = new Map<string, Array<string>>()
    for (const { name, place } of unknown) added(places, name, `"${place}"`)
    const texts = tables.flatMap((table) => {
      const of = places.get(table.name)
      if (of === undefined) return []
      return `SELECT '${table.name}' AS name, ctid::text AS place, xmin::text AS since, ${ownerIn(table)} AS id,
        row_to_json(t)::text AS row FROM ${table.name} t WHERE ctid = ANY ('{${of.join()}}')`
    })
    if (texts.length === 0) return
    const { rows } = await client.query<Version & Found>(texts.join(" UNION ALL "))
    for (const row of rows) known.set(versionOf(row), row)
  }
  const isUnknown = (version: Version) => !known.has(versionOf(version))
  const look: PgKeeper["look"] = async () => {
    const { rows: found } = await client.query<Version>({ name: "versions", text: versions })
    await read(found.filter(isUnknown))
    // A row changed meanwhile.
    if (found.some(isUnknown)) return look()
    const [rows, contents] = [new Map<string, Array<string>>(), new Map<string, Array<string>>()]
    for (const { id, name, row } of found.flatMap((version) => known.get(versionOf(version)) ?? [])) {
      added(rows, id, `${name} ${row}`)
      added(contents, name, row)
    }
    last = new Map([...contents].map(([name, texts]) => [name, texts.sort().join("\n")]))
    return rows
  }
  const columnsOf = (table: string) => tables.find(({ name }) => name === table)?.columns ?? []

  const unchecked = async (use: () => Promise<unknown>) => {
    await query("SET session_replication_role = replica")
    await use()
    await query("SET session_replication_role = origin")
  }

  const add: Keeper["add"] = (of, twin) =>
    unchecked(async () => {
      const copy = copying(of, twin)
      for (const table of tables) {
        const found = await query(`SELECT row_to_json(t) AS row FROM ${table.name} t WHERE ${ownerIn(table)} = $1`, [
          of.id
        ])
        const rows = found.map(({ row }) => {
          const { seq, ...rest } = copy(row as Record<string, unknown>, table.name)
          return {
            ...rest,
            ...(seq !== undefined && { seq: table.hasSeq ? Number(seq) + (twin.id < of.id ? -shift : shift) : seq })
          }
        })
        const columns = table.columns.join(", ")
        const given = `json_populate_recordset(NULL::${table.name}, $1::json)`
        const text = `INSERT INTO ${table.name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${given}`
        await query(text, [JSON.stringify(rows)])
      }
    })

  return {
    tables,
    query,
    add,
    addContrary: async (of, twin, drawn) => {
      await add(of, twin)
      await unchecked(async () => {
        await query(contrary(columnsOf, twin.id))
        await query(taken(columnsOf, twin.id, drawn))
      })
    },
    look,
    save: async () => {
      await query("DROP SCHEMA IF EXISTS saved CASCADE; CREATE SCHEMA saved")
      for (const { name } of tables) await query(`CREATE TABLE saved.${name} AS SELECT * FROM ${name}`)
      await look()
      saved = last
      last = new Map()
    },
    restore: async () => {
      const changed = tables.filter(({ name }) => saved.get(name) !== last.get(name))
      // The original's rows come between its twins' rows, so that a read without the condition returns theirs.
      const again = changed.map((table) => {
        const columns = table.columns.join(", ")
        return `DELETE FROM ${table.name}; INSERT INTO ${table.name} (${columns}) OVERRIDING SYSTEM VALUE
          SELECT ${columns} FROM saved.${table.name} ORDER BY ${ownerIn(table)}`
      })
      if (again.length > 0)
        await query(`BEGIN; SET LOCAL session_replication_role = replica; ${again.join("; ")}; COMMIT`)
      last = saved
    },
    whileHeld: async (workspaces, others, use) => {
      if (workspaces.length === 0) return use()
      const more = others.map((rows) => `SELECT 1 FROM ${rows} FOR NO KEY UPDATE`)
      const turns = workspaces.map((id) => `SELECT pg_advisory_xact_lock(hashtextextended('on call of ${id}', 0))`)
      const all = `SELECT pg_temp.hold('{${workspaces.join()}}')`
      await holder.query(["BEGIN", all, ...more, ...turns].join("; "))
      try {
        return await use()
      } finally {
        await holder.query("ROLLBACK")
      }
    },
    close: async () => {
      await Promise.all([client.end(), holder.end()])
    }
  }
}
