export type Row = Readonly<Record<string, unknown>>

/** Splits column definitions such as `key text, due_at timestamptz` into names and types. */
const parsed = (columns: string): ReadonlyArray<readonly [name: string, type: string]> =>
  columns.split(",").map((column) => {
    const [name = "", ...type] = column.trim().split(/\s+/)
    return [name, type.join(" ")]
  })

/** The present moment, never rounded up: a column of milliseconds would keep a later one, which is not due yet. */
export const moment = "date_trunc('milliseconds', statement_timestamp())"

/** SQL that writes rows of a table: all of them arrive as one JSON array, in the named parameter. */
export const table = (name: string, key: ReadonlyArray<string>, columns: string) => {
  const all = parsed(columns)
  const names = all.map(([column]) => column)
  const isTenants = name !== "workspaces"
  const owner = isTenants ? ["workspace_id"] : []
  const typed = all.map(([column, type]) => `"${column}" ${type}`).join(", ")
  const insert = (rows: string) => `
    INSERT INTO ${name} (${[...owner, ...names].join(", ")})
    SELECT ${[...(isTenants ? ["$1::uuid"] : []), ...names.map((column) => `r."${column}"`)].join(", ")}
    FROM ROWS FROM (json_to_recordset(${rows}::json) AS (${typed})) WITH ORDINALITY AS r
    WHERE $1::uuid IS NOT NULL ORDER BY r.ordinality`
  const updates = names.filter((column) => !key.includes(column)).map((column) => `${column} = excluded.${column}`)
  return {
    name,
    insert,
    upsert: (rows: string) =>
      `${insert(rows)} ON CONFLICT (${[...owner, ...key].join(", ")}) DO UPDATE SET ${updates.join(", ")}`
  }
}

export type Table = ReturnType<typeof table>

export const at = (column: string, name: string) => `iso8601(${column}) AS "${name}"`

/** Selects columns as the fields of an object; `special` holds the SQL of fields that differ from their column. */
export const fields = (alias: string, columns: string, special: Readonly<Record<string, string>> = {}): string =>
  parsed(columns)
    .map(([column, type]) => {
      const field = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      if (special[column] !== undefined) return special[column]
      if (type === "timestamptz") return at(`${alias}.${column}`, field)
      return field === column ? `${alias}.${column}` : `${alias}.${column} AS "${field}"`
    })
    .join(", ")

/** Copies a row whose JSON form needs no schema; times serialise themselves. */
export const plain = <A extends object>(row: A): { readonly [Field in keyof A]: A[Field] } => ({ ...row })

/** One object as JSON text. */
export const object = (columns: string) => `(SELECT row_to_json(o) FROM (SELECT ${columns}) o)::text`

/** All rows of `from` as one JSON array, in its order. */
export const array = (columns: string, from: string) =>
  `(SELECT coalesce(json_agg(row_to_json(o)), '[]') FROM (SELECT ${columns} FROM ${from}) o)`

/** Objects of a deleted team are hidden from readers. */
export const held = (alias: string) =>
  `NOT EXISTS (SELECT FROM teams gone WHERE gone.workspace_id = ${alias}.workspace_id AND gone.slug = ${alias}.team
    AND gone.deleted_at IS NOT NULL)`
