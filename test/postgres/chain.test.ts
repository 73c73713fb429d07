import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect, FastCheck, Schema } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { fact } from "../../domain/workspace/Audit.ts"
import { Text } from "../../domain/value/Text.ts"
import { isLong } from "../support/Long.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { anyText } from "../support/Random.ts"

const isText = Schema.is(Text)
const isStorable = (value: unknown) => isText(JSON.stringify(value)) && !JSON.stringify(value).includes("\\u")

/** Changes of entry 5 by a person with access to the database. */
const tamperings: Readonly<Record<string, string>> = {
  "a changed id": "UPDATE audit_entries SET id = gen_random_uuid() WHERE seq = 5",
  "a later time": `UPDATE audit_entries SET "timestamp" = "timestamp" + interval '1 millisecond' WHERE seq = 5`,
  "a time beyond all reading": `UPDATE audit_entries SET "timestamp" = 'infinity' WHERE seq = 5`,
  "another actor": "UPDATE audit_entries SET actor_type = 'human' WHERE seq = 5",
  "another name": "UPDATE audit_entries SET actor_name = 'System' WHERE seq = 5",
  "an invented user": "UPDATE audit_entries SET actor_user_id = '' WHERE seq = 5",
  "another team": "UPDATE audit_entries SET team = 'web' WHERE seq = 5",
  "no team": "UPDATE audit_entries SET team = NULL WHERE seq = 5",
  "an invented run": "UPDATE audit_entries SET run_key = 'run-zzzz' WHERE seq = 5",
  "another event": "UPDATE audit_entries SET event = 'token_revoked' WHERE seq = 5",
  "another result": "UPDATE audit_entries SET result = 'denied' WHERE seq = 5",
  "another entity": "UPDATE audit_entries SET entity_type = 'policy' WHERE seq = 5",
  "another entity id": "UPDATE audit_entries SET entity_id = entity_id || ' ' WHERE seq = 5",
  "another entity name": "UPDATE audit_entries SET entity_name = upper(entity_name) WHERE seq = 5",
  "a blank in its details": "UPDATE audit_entries SET details = (details::text || ' ')::json WHERE seq = 5",
  "a changed hash":
    "UPDATE audit_entries SET hash = translate(hash, '0123456789abcdef', '123456789abcdef0') WHERE seq = 5",
  "a missing entry": "DELETE FROM audit_entries WHERE seq = 5",
  "two entries swapped": `
    UPDATE audit_entries SET seq = -5 WHERE seq = 5; UPDATE audit_entries SET seq = 5 WHERE seq = 6;
    UPDATE audit_entries SET seq = 6 WHERE seq = -5`
}

it.layer(TestPostgres.layer, { timeout: "60 seconds" })("the audit chain", (it) => {
  it.effect("the database itself refuses to change, delete or truncate entries", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Seed.workspace
      for (const statement of [
        "UPDATE audit_entries SET team = 'x'",
        "DELETE FROM audit_entries",
        "TRUNCATE audit_entries"
      ])
        assert.include(String((yield* Effect.flip(sql.unsafe(statement))).cause), "never changed or deleted")
    })
  )

  it.effect("whatever entries say, Postgres hashes them as the domain does", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const { id } = yield* Seed.workspace
      const word = anyText({ maxLength: 40 }).filter((text) => isText(text))
      const facts = FastCheck.sample(
        FastCheck.record({ name: word, id: word, userId: FastCheck.option(word), value: FastCheck.jsonValue() }),
        100
      )
      const [first, ...rest] = facts.map(({ id, name, userId, value }) => ({
        ...fact(
          bySystem,
          "team_created",
          { type: "team", id, name },
          { details: { said: isStorable(value) ? value : null } }
        ),
        actor: { type: "human" as const, name, userId }
      }))
      if (first !== undefined) yield* log.append(id, { audit: [first, ...rest] })
      assert.deepStrictEqual(yield* log.verify(id), { entries: 2 + facts.length, firstBad: null })
    })
  )

  it.effect("an import of many rows is one chain too", () =>
    Effect.gen(function* () {
      const log = yield* AuditLog
      const { id, slug } = yield* Seed.workspace
      const count = isLong ? 1000 : 200
      const decision = { kind: "plan_approval", title: "?", recommendation: "yes", options: Seed.options, team: "t" }
      const decisions = Array.from({ length: count }, () => decision)
      yield* Seed.load(slug, { teams: [{ slug: "t", name: "T", keyPrefix: "T" }], decisions })
      const { entries, firstBad } = yield* log.verify(id)
      assert.deepStrictEqual([entries > count, firstBad], [true, null])
    })
  )

  for (const [name, statement] of Object.entries(tamperings))
    it.effect(`${name} is found at the entry`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const log = yield* AuditLog
        const { id, slug } = yield* Seed.workspace
        yield* Seed.load(slug, Seed.small)
        const { entries, firstBad } = yield* log.verify(id)
        assert.deepStrictEqual([entries > 10, firstBad], [true, null])
        const scoped = statement.replaceAll("WHERE", `WHERE workspace_id = '${id}' AND`)
        yield* sql.unsafe(`SET session_replication_role = replica; ${scoped}; RESET session_replication_role`)
        assert.deepStrictEqual(yield* log.verify(id), { entries: 4, firstBad: 5n })
      })
    )

  it.effect("the newest entries cannot be cut off unseen", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* AuditLog
      const { id, slug } = yield* Seed.workspace
      yield* Seed.load(slug, Seed.small)
      const { entries } = yield* log.verify(id)
      yield* sql.unsafe(
        `SET session_replication_role = replica; DELETE FROM audit_entries WHERE workspace_id = '${id}' AND seq = ${entries};
         RESET session_replication_role`
      )
      assert.deepStrictEqual(yield* log.verify(id), { entries: entries - 1, firstBad: BigInt(entries) })
    })
  )

  it.effect("a missing head is found", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* AuditLog
      const { id } = yield* Seed.workspace
      const { entries } = yield* log.verify(id)
      yield* sql`DELETE FROM audit_heads WHERE workspace_id = ${id}`
      assert.deepStrictEqual(yield* log.verify(id), { entries, firstBad: BigInt(entries + 1) })
    })
  )
})
