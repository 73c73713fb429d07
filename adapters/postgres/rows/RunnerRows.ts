import { fields, table } from "./Table.ts"

const columns = `
  id uuid, token uuid, name text, version text, os text, arch text, slots integer, executors json, teams json,
  registered_at timestamptz, last_seen_at timestamptz, draining_at timestamptz, offline_at timestamptz, removed_at timestamptz`

export const runners = table("runners", ["id"], columns)
export const runner = fields("u", columns)
