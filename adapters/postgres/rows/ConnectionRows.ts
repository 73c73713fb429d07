import { fields, table } from "./Table.ts"

const columns = `
  id uuid, name text, kind text, way text, base_url text, token text, installation json, credentials text, trouble json,
  missing json, tested_at timestamptz, created_at timestamptz, removed_at timestamptz`

export const connections = table("connections", ["id"], columns)
export const connection = fields("c", columns)
