import { DateTime } from "effect"
import type { State, Tenant } from "../../adapters/memory/MemoryState.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Keeper } from "./Keeper.ts"
import { copying, mapped } from "./Marking.ts"
import { written } from "./Told.ts"

/** Copies all objects but the hub of signs, which all tenants share. */
const duplicate = ({ signs, ...tables }: Tenant): Tenant => ({ ...mapped(tables, (text) => text), signs })

const rowsOf = (tenant: Tenant) =>
  Object.entries(tenant).flatMap(([table, rows]) => {
    if (rows === tenant.signs) return []
    const all: ReadonlyArray<unknown> = rows instanceof Map ? [...rows] : Array.isArray(rows) ? rows : [rows]
    return all.map((row) => `${table} ${written(row)}`)
  })

export const memoryKeeper = (state: State["Type"]): Keeper => {
  // A window must not end during a test, and the turns of checks must not depend on its duration.
  for (const { checks, windows } of state.values()) {
    windows.clear()
    for (const [id, check] of checks)
      checks.set(id, { ...check, begunAt: DateTime.subtract(check.begunAt, { hours: 1 }) })
  }
  let saved: ReadonlyArray<readonly [WorkspaceId, Tenant]> = []
  const tenantOf = (id: string) => state.get(id as WorkspaceId)
  return {
    look: async () => new Map([...state].map(([id, tenant]) => [id, rowsOf(tenant)])),
    add: async (of, twin) => {
      const copy = copying(of, twin)
      const { signs, ...tables } = tenantOf(of.id) ?? { signs: state.signs }
      const copies = Object.entries(tables).map(([table, rows]) => [table, copy(rows, table)])
      state.set(twin.id as WorkspaceId, { ...Object.fromEntries(copies), signs } as Tenant)
    },
    save: async () => {
      saved = [...state].map(([id, tenant]) => [id, duplicate(tenant)])
    },
    restore: async () => {
      state.clear()
      for (const [id, tenant] of saved) state.set(id, duplicate(tenant))
    },
    whileHeld: (_, __, use) => use(),
    close: async () => {}
  }
}
