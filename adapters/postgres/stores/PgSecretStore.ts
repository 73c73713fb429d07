import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Either, Layer, Schema } from "effect"
import { SecretStore } from "../../../application/ports/SecretStore.ts"
import * as SecretBinding from "../../../domain/value/SecretBinding.ts"
import { KeptSecret } from "../../../domain/oncall/SignalSource.ts"
import { orDie, transaction } from "../connection/Transactions.ts"

/** Every sealed secret. */
const sealed = `
  SELECT x->>'sealed' AS sealed FROM signal_sources s, json_array_elements(s.secrets) x
  UNION ALL SELECT credentials FROM signal_sources WHERE credentials IS NOT NULL
  UNION ALL SELECT address FROM places
  UNION ALL SELECT credentials FROM connections WHERE removed_at IS NULL`

const keyIds = `SELECT DISTINCT split_part(sealed, '.', 2) AS id FROM (${sealed}) o`

/** Locks rows with a secret of these keys, one by one, so that no transaction waits long. */
const lockSource = `
  SELECT s.workspace_id AS workspace, s.id, s.secrets, s.credentials FROM signal_sources s
  WHERE split_part(s.credentials, '.', 2) = ANY ($1)
    OR EXISTS (SELECT FROM json_array_elements(s.secrets) x WHERE split_part(x->>'sealed', '.', 2) = ANY ($1))
  ORDER BY s.workspace_id, s.id LIMIT 1 FOR NO KEY UPDATE`

const lockPlace = `
  SELECT p.workspace_id AS workspace, p.team, p.name, p.address FROM places p
  WHERE split_part(p.address, '.', 2) = ANY ($1) ORDER BY p.workspace_id, p.team, p.name LIMIT 1 FOR NO KEY UPDATE`

const lockConnection = `
  SELECT c.workspace_id AS workspace, c.id, c.credentials FROM connections c
  WHERE c.removed_at IS NULL AND split_part(c.credentials, '.', 2) = ANY ($1)
  ORDER BY c.workspace_id, c.id LIMIT 1 FOR NO KEY UPDATE`

const putSource = "UPDATE signal_sources SET secrets = $3, credentials = $4 WHERE workspace_id = $1 AND id = $2"
const putPlace = "UPDATE places SET address = $4 WHERE workspace_id = $1 AND team = $2 AND name = $3"
const putConnection = "UPDATE connections SET credentials = $3 WHERE workspace_id = $1 AND id = $2"

const encodedSecrets = Schema.Array(Schema.encodedSchema(KeptSecret))
const decodeSources = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      workspace: Schema.String,
      id: Schema.String,
      secrets: encodedSecrets,
      credentials: Schema.NullOr(Schema.String)
    })
  )
)
const decodePlaces = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({ workspace: Schema.String, team: Schema.String, name: Schema.String, address: Schema.String })
  )
)
const decodeConnections = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ workspace: Schema.String, id: Schema.String, credentials: Schema.String }))
)

export const layer = Layer.effect(
  SecretStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    SecretStore.of({
      keyIds: Effect.map(orDie(sql.unsafe<{ readonly id: string }>(keyIds)), (rows) => rows.map(({ id }) => id)),
      rewrap: (old, rewrap) => {
        const source = Effect.gen(function* () {
          const [one] = decodeSources(yield* sql.unsafe(lockSource, [old]))
          if (one === undefined) return Either.right(false)
          const about = SecretBinding.ofSource(one.id)
          const secrets = Effect.forEach(one.secrets, (kept) =>
            Effect.map(rewrap(kept.sealed, about), (sealed) => ({ ...kept, sealed }))
          )
          const credentials = one.credentials === null ? Effect.succeed(null) : rewrap(one.credentials, about)
          const renewed = yield* Effect.either(Effect.all({ secrets, credentials }))
          if (Either.isLeft(renewed)) return Either.left(renewed.left)
          const { right } = renewed
          yield* sql.unsafe(putSource, [one.workspace, one.id, JSON.stringify(right.secrets), right.credentials])
          return Either.right(true)
        })
        const place = Effect.gen(function* () {
          const [one] = decodePlaces(yield* sql.unsafe(lockPlace, [old]))
          if (one === undefined) return Either.right(false)
          const renewed = yield* Effect.either(rewrap(one.address, SecretBinding.ofPlace(one)))
          if (Either.isLeft(renewed)) return Either.left(renewed.left)
          yield* sql.unsafe(putPlace, [one.workspace, one.team, one.name, renewed.right])
          return Either.right(true)
        })
        const connection = Effect.gen(function* () {
          const [one] = decodeConnections(yield* sql.unsafe(lockConnection, [old]))
          if (one === undefined) return Either.right(false)
          const renewed = yield* Effect.either(rewrap(one.credentials, SecretBinding.ofConnection(one.id)))
          if (Either.isLeft(renewed)) return Either.left(renewed.left)
          yield* sql.unsafe(putConnection, [one.workspace, one.id, renewed.right])
          return Either.right(true)
        })
        const untilNone = (step: typeof source | typeof place | typeof connection) =>
          Effect.repeat(Effect.flatten(transaction(step)), { while: (isMore) => isMore })
        return Effect.all([untilNone(source), untilNone(place), untilNone(connection)], { discard: true }).pipe(
          Effect.provideService(SqlClient.SqlClient, sql)
        )
      }
    })
  )
)
