import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import type * as Audit from "../../domain/workspace/Audit.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as Seed from "../support/Seed.ts"
import { today } from "../support/Share.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

/** Converts a type's values to bytes and back, and names a bit that can flip within the type. */
interface Type {
  readonly bytes: (value: string) => string
  readonly value: (bytes: string) => string
  readonly bit: number
}

const integer = (bytes: string) => `('x' || encode(${bytes}, 'hex'))::bit(64)::bigint`

const types: Readonly<Record<string, Type>> = {
  text: { bytes: (v) => `convert_to(${v}, 'UTF8')`, value: (b) => `convert_from(${b}, 'UTF8')`, bit: 1 },
  uuid: { bytes: (v) => `uuid_send(${v})`, value: (b) => `encode(${b}, 'hex')::uuid`, bit: 1 },
  bigint: { bytes: (v) => `int8send(${v})`, value: integer, bit: 64 },
  "timestamp with time zone": {
    // Six bytes count milliseconds up to the year 10889; with a few more, Postgres cannot hold the time.
    bytes: (v) => `substr(int8send((extract(epoch FROM ${v}) * 1000)::bigint), 3)`,
    value: (b) => `timestamptz 'epoch' + ${integer(`'\\x0000'::bytea || ${b}`)} * interval '1 millisecond'`,
    bit: 1
  }
}

/** Drops rules of the table that would refuse most flips; a flip on a disk bypasses them. */
const loosen = `
  ALTER TABLE audit_entries DISABLE TRIGGER ALL, ALTER details TYPE text,
    DROP CONSTRAINT audit_entries_actor_type_check, DROP CONSTRAINT audit_entries_result_check,
    DROP CONSTRAINT audit_entries_hash_check`

/** An entry with a value in every column, and multi-byte characters. */
const everything: Audit.Fact = {
  actor: { type: "human", name: "Zoë 🚀", userId: "9d7c4a52-27a5-4a6e-9f0f-3c1f9f6a2b11" },
  team: "payments" as TeamSlug,
  runKey: "run-aaaa" as RunKey,
  event: "decision_resolved",
  result: "partial",
  entity: { type: "decision", id: "dec-aaaa", name: "Plan für «PAY-1»?" },
  details: { v: 1, requestId: null, nested: { list: [1, "zwei", null] } }
}

it.layer(TestPostgres.layer, { timeout: "60 seconds" })("flipped bytes", (it) => {
  it.effect(
    "a flipped byte is found at its entry, whichever column it is in and at whichever place",
    ({ task }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const log = yield* AuditLog
        const { id, slug } = yield* Seed.workspace
        yield* Seed.load(slug, Seed.small)
        yield* log.append(id, { audit: [everything] })
        const { entries: filled } = yield* log.verify(id)
        yield* log.append(id, { audit: [everything] })
        yield* sql.unsafe(loosen)
        const whole = { entries: filled + 1, firstBad: null }
        assert.deepStrictEqual(yield* log.verify(id), whole)

        const columns = yield* sql.unsafe<{ readonly name: string; readonly type: string }>(`
          SELECT column_name AS name, data_type AS type FROM information_schema.columns
          WHERE table_name = 'audit_entries'`)
        const flip = (name: string, type: Type, place: number, where: string) => {
          const bytes = type.bytes(`"${name}"`)
          const flipped = `set_byte(${bytes}, ${place}, get_byte(${bytes}, ${place}) # ${type.bit})`
          return Effect.map(
            sql.unsafe<{ readonly ctid: string }>(`
              UPDATE audit_entries SET "${name}" = ${type.value(flipped)} WHERE ${where} RETURNING ctid::text`),
            ([row]) => `ctid = '${row?.ctid}'`
          )
        }
        let flips = 0
        for (let seq = inject("full") ? 1 : filled; seq <= filled; seq++)
          for (const column of columns) {
            const type = types[column.type]
            if (type === undefined) throw new TypeError(`${column.name} is of type ${column.type}`)
            const where = `workspace_id = '${id}' AND seq = ${seq}`
            const [row] = yield* sql.unsafe<{ readonly length: number | null }>(
              `SELECT length(${type.bytes(`"${column.name}"`)}) AS length FROM audit_entries WHERE ${where}`
            )
            if (seq === filled) assert.isAbove(row?.length ?? 0, 0, column.name)
            for (const place of today(Array.from({ length: row?.length ?? 0 }, (_, place) => place))) {
              const there = yield* flip(column.name, type, place, where)
              const verdict = yield* log.verify(id)
              yield* flip(column.name, type, place, there)
              flips++
              assert.deepStrictEqual(
                verdict,
                { entries: seq - 1, firstBad: BigInt(seq) },
                `byte ${place} of ${column.name} in entry ${seq}`
              )
            }
          }
        assert.deepStrictEqual(yield* log.verify(id), whole)
        task.meta.figures = `${flips.toLocaleString("en")} flips`
      }),
    300_000
  )
})
