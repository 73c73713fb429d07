import { Effect } from "effect"
import pg from "pg"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestPostgres from "../support/TestPostgres.ts"
import type { PgKeeper } from "../twins/PgKeeper.ts"
import { onPostgres, type Stage } from "../twins/Stage.ts"

/** Tables that belong to no workspace; those of sign-ins belong to an address, which may be a member of several. */
const nobodys = [
  "migrations",
  "passkey_challenges",
  "passkeys",
  "provider_identities",
  "sessions",
  "sign_in_attempts",
  "sign_in_links"
]

/** Columns that are looked up without a workspace. */
const foundByAll = [
  "api_tokens (hash)",
  "connections (token)",
  "runs (lease_credential)",
  "signal_sources (token)",
  "workspaces (id)",
  "workspaces (slug)"
]

/** Names of columns that refer to a row of another table. */
const naming =
  "team story run_key decision member member_id source source_id service incident token_id delivery_id lease_runner lease_token".split(
    " "
  )

/** Columns that name a row without a foreign key, and the reason. */
const unchecked: Readonly<Record<string, string>> = {
  "audit_entries.team": "an entry says what was, whatever becomes of it",
  "audit_entries.run_key": "the same",
  "runs.lease_token": "the token of the lease's runner, which is checked",
  "token_windows.token_id": "a counter of the last minute, written from the token's row in the same statement",
  "kept_answers.token_id": "kept for a day, of a token or of a session, written by the request that it proves",
  "delivery_names.source_id": "kept for a day, written with the delivery, whose source is checked",
  "delivery_names.delivery_id": "written in the same statement as the delivery"
}

interface Key {
  readonly name: string
  readonly child: string
  readonly parent: string
  readonly columns: ReadonlyArray<string>
  readonly referenced: ReadonlyArray<string>
}

interface Unique {
  readonly table: string
  readonly isPrimary: boolean
  readonly columns: ReadonlyArray<string>
}

const columnsOf = (table: string, numbers: string) => `
  ARRAY(SELECT a.attname::text FROM unnest(${numbers}) WITH ORDINALITY n(attnum, place)
    JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = n.attnum ORDER BY n.place)`

const keys = `
  SELECT c.conname AS name, c.conrelid::regclass::text AS child, c.confrelid::regclass::text AS parent,
    ${columnsOf("c.conrelid", "c.conkey")} AS columns, ${columnsOf("c.confrelid", "c.confkey")} AS referenced
  FROM pg_constraint c WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace ORDER BY 2, 1`

const columns = `
  SELECT table_name AS "table", column_name AS "column", is_nullable = 'YES' AS "isNullable"
  FROM information_schema.columns WHERE table_schema = 'public'`

const uniques = `
  SELECT i.indrelid::regclass::text AS "table", i.indisprimary AS "isPrimary",
    ${columnsOf("i.indrelid", "i.indkey::int2[]")} AS columns
  FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
  WHERE i.indisunique AND t.relnamespace = 'public'::regnamespace AND t.relkind = 'r' ORDER BY 1`

describe("tenancy, by the catalogue", () => {
  let client: pg.Client
  const query = async <A>(text: string) => (await client.query(text)).rows as ReadonlyArray<A>
  const ours = ({ table }: { readonly table: string }) => !nobodys.includes(table)

  beforeAll(async () => {
    const { url } = await Effect.runPromise(TestPostgres.addressed)
    client = new pg.Client(url)
    await client.connect()
  })
  afterAll(() => client?.end())

  it("every table but those named belongs to a workspace", async () => {
    const all = await query<{ table: string; column: string; isNullable: boolean }>(columns)
    const tables = new Set(all.map(({ table }) => table))
    const owned = all.filter(({ column }) => column === "workspace_id")
    assert.deepStrictEqual([...owned.map(({ table }) => table), "workspaces", ...nobodys].sort(), [...tables].sort())
    assert.deepStrictEqual(
      owned.filter(({ isNullable }) => isNullable),
      []
    )
  })

  it("every key begins with the workspace, but those by which somebody is found", async () => {
    const all = (await query<Unique>(uniques)).filter(ours)
    const global = all.filter(({ columns: [first] }) => first !== "workspace_id")
    assert.deepStrictEqual(global.map((one) => `${one.table} (${one.columns.join()})`).sort(), foundByAll)
    const primary = all.filter(({ isPrimary }) => isPrimary)
    const tables = new Set((await query<{ table: string }>(columns)).filter(ours).map(({ table }) => table))
    assert.deepStrictEqual(primary.map(({ table }) => table).sort(), [...tables].sort())
    assert.deepStrictEqual(
      primary.filter((one) => global.includes(one)).map(({ table }) => table),
      ["workspaces"]
    )
  })

  it("every foreign key holds the workspace on both sides, at the same place", async () => {
    const all = await query<Key>(keys)
    assert.isAbove(all.length, 25)
    for (const { columns, name, parent, referenced } of all) {
      assert.strictEqual(columns[0], "workspace_id", name)
      assert.strictEqual(referenced[0], parent === "workspaces" ? "id" : "workspace_id", name)
    }
  })

  it("every column that names a row of another table has such a key, but those named", async () => {
    const pairs = (await query<Key>(keys)).flatMap(({ child, columns }) => columns.map((one) => `${child}.${one}`))
    const checked = new Set(pairs)
    const all = (await query<{ table: string; column: string }>(columns)).filter(ours)
    const names = all.filter(({ column }) => naming.includes(column)).map(({ column, table }) => `${table}.${column}`)
    assert.isAbove(names.length, 25)
    assert.deepStrictEqual(names.filter((name) => !checked.has(name)).sort(), Object.keys(unchecked).sort())
  })
})

describe("tenancy, by the database's word", () => {
  let stage: Stage<PgKeeper>
  let twin: ReturnType<Stage["twin"]>
  beforeAll(async () => {
    stage = await onPostgres()
    twin = stage.twin("birch")
    await stage.keeper.add(twin.of, twin)
  })
  afterAll(() => stage?.close())

  /** Inserts a row of the twin again, after its referenced row is deleted from the twin, but not from the original. */
  const refusal = async ({ child, columns, parent, referenced }: Key, isGone: boolean) => {
    const { query, tables } = stage.keeper
    const given = columns.map((column) => `${column} IS NOT NULL`).join(" AND ")
    const [found] = await query(
      `SELECT row_to_json(t) AS row FROM ${child} t WHERE workspace_id = $1 AND ${given} LIMIT 1`,
      [twin.id]
    )
    const row = found?.["row"] as Record<string, unknown> | undefined
    if (row === undefined) return assert.fail(`no row of ${child} points at ${parent}`)
    const same = referenced.map((column, place) => `${column} = '${String(row[columns[place] ?? ""])}'`).join(" AND ")
    const all = tables.find(({ name }) => name === child)?.columns.join(", ")
    await query("BEGIN; SET LOCAL session_replication_role = replica")
    try {
      await query(`DELETE FROM ${child} WHERE workspace_id = $1`, [twin.id])
      if (isGone) await query(`DELETE FROM ${parent} WHERE ${same}`)
      await query("SET LOCAL session_replication_role = origin")
      const text = `INSERT INTO ${child} (${all}) OVERRIDING SYSTEM VALUE
        SELECT ${all} FROM json_populate_record(NULL::${child}, $1)`
      return await query(text, [JSON.stringify(row)]).then(
        () => null,
        ({ code, constraint }: pg.DatabaseError) => `${code} ${constraint}`
      )
    } finally {
      await query("ROLLBACK")
    }
  }

  it("nothing may point at a row that only the other workspace has", async () => {
    const all = (await stage.keeper.query(keys)) as unknown as ReadonlyArray<Key>
    for (const key of all) {
      assert.strictEqual(await refusal(key, true), `23503 ${key.name}`, key.child)
      assert.isNull(await refusal(key, false), key.child)
    }
  })
})
