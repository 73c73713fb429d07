import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Order, Schema } from "effect"
import { type Identified, IdentityStore } from "../../../application/ports/identity/IdentityStore.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import type { IdentityChange } from "../../../domain/workspace/ChangeIdentity.ts"
import { Challenge, Passkey } from "../../../domain/workspace/Passkey.ts"
import { ProviderIdentity } from "../../../domain/workspace/openid/ProviderIdentity.ts"
import { Session, type SessionId } from "../../../domain/workspace/Session.ts"
import { windowMinutes } from "../../../domain/workspace/SignInAttempts.ts"
import { SignInLink } from "../../../domain/workspace/SignInLink.ts"
import { Membership } from "../../../domain/workspace/SignInReach.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { orDie, transaction } from "../connection/Transactions.ts"
import { append } from "../rows/AuditRows.ts"
import * as IdentityRows from "../rows/IdentityRows.ts"
import * as Table from "../rows/Table.ts"

const common = { now: Timestamp, memberships: Schema.Array(Membership) }
const Context = Schema.Struct({
  ...common,
  link: Schema.NullOr(SignInLink),
  sessions: Schema.Array(Session),
  passkeys: Schema.Array(Passkey),
  identities: Schema.Array(ProviderIdentity)
})
const decodeContext = Schema.decodeUnknownSync(Schema.Tuple(Context))
const decodeSession = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ ...common, session: Session })))
const decodePasskey = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ passkey: Passkey })))
const decodeTaken = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ ...Challenge.fields, now: Timestamp })))
const decodeAdded = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ now: Timestamp })))
const decodeIdentity = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ identity: ProviderIdentity })))
const encodeSession = Schema.encodeSync(Session)
const encodePasskey = Schema.encodeSync(Passkey)
const encodeIdentity = Schema.encodeSync(ProviderIdentity)

const one = (columns: string, from: string) => `(SELECT row_to_json(o) FROM (SELECT ${columns} FROM ${from}) o)`

/** Everything about the address $2, or that of the link $1. */
const context = `
  SELECT ${IdentityRows.now}, ${one(IdentityRows.link, "sign_in_links l WHERE l.hash = $1")} AS link,
    ${IdentityRows.memberships("a.email")},
    ${Table.array(IdentityRows.session, "sessions s WHERE s.email = a.email ORDER BY s.created_at, s.id")} AS sessions,
    ${Table.array(IdentityRows.passkey, "passkeys p WHERE p.email = a.email ORDER BY p.created_at, p.id")} AS passkeys,
    ${Table.array(IdentityRows.identity, "provider_identities i WHERE i.email = a.email ORDER BY i.created_at, i.subject")}
      AS identities
  FROM (SELECT coalesce($2, (SELECT email FROM sign_in_links WHERE hash = $1)) AS email) a`

/** One change of an address at a time, so that a link is used once. */
const lock = `
  SELECT pg_advisory_xact_lock(hashtextextended('identity ' || a.email, 0))
  FROM (SELECT coalesce($2, (SELECT email FROM sign_in_links WHERE hash = $1)) AS email) a`

const findSession = `
  WITH touched AS (
    UPDATE sessions SET last_seen_at = statement_timestamp()
    WHERE hash = $1 AND ${IdentityRows.needsTouch} AND NOT ${IdentityRows.isOver}
  )
  SELECT ${IdentityRows.now}, ${one(IdentityRows.session, "(SELECT s.*) s")} AS session,
    ${IdentityRows.memberships("s.email")}
  FROM sessions s WHERE s.hash = $1`

const endedOf = `
  SELECT a.id FROM json_array_elements_text($1::json) WITH ORDINALITY a(id, place)
  WHERE NOT EXISTS (SELECT FROM sessions WHERE id = a.id::uuid AND NOT ${IdentityRows.isOver})
  ORDER BY a.place`

const addLink = `
  INSERT INTO sign_in_links (hash, email, origin, target, created_at)
  SELECT $1, $2, $3, $4::jsonb, statement_timestamp()
  WHERE EXISTS (SELECT FROM ${IdentityRows.members("$2")}
    AND ($4::jsonb IS NULL OR m.workspace_id = ($4::jsonb->>'workspace')::uuid AND m.id = ($4::jsonb->>'member')::uuid))
  RETURNING ${Table.at("created_at", "now")}`

const isOldAttempt = `a.started_at <= statement_timestamp() - interval '${windowMinutes} minutes'`

const attempt = `
  INSERT INTO sign_in_attempts AS a (key, started_at, attempts)
  SELECT key, statement_timestamp(), 1 FROM json_array_elements_text($1::json) k(key) ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    attempts = CASE WHEN ${isOldAttempt} THEN 1 ELSE least(a.attempts, 1000000) + 1 END,
    started_at = CASE WHEN ${isOldAttempt} THEN excluded.started_at ELSE a.started_at END
  RETURNING key, attempts`

const purge = `
  WITH l AS (DELETE FROM sign_in_links WHERE created_at < statement_timestamp() - interval '1 day'),
    s AS (DELETE FROM sessions WHERE ${IdentityRows.isOver}),
    c AS (DELETE FROM passkey_challenges WHERE created_at < statement_timestamp() - interval '1 day')
  DELETE FROM sign_in_attempts WHERE started_at < statement_timestamp() - interval '1 day'`

const byWorkspace = Order.mapInput(Order.string, ({ workspace }: { readonly workspace: WorkspaceId }) => workspace)

export const layer = Layer.effect(
  IdentityStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const named = (of: Identified) => ("link" in of ? [of.link, null] : [null, of.email])
    const read = (of: Identified) => Effect.map(sql.unsafe(context, named(of)), (rows) => decodeContext(rows)[0])

    const write = Effect.fnUntraced(function* (change: IdentityChange) {
      const { ended = [], identity, link, passkey, removedPasskey, replaced, session } = change
      if (link) yield* sql`UPDATE sign_in_links SET used_at = ${link.usedAt} WHERE hash = ${link.hash}`
      if (replaced) yield* sql`DELETE FROM sessions WHERE hash = ${replaced}`
      if (ended.length > 0) yield* sql`DELETE FROM sessions WHERE id IN ${sql.in(ended)}`
      if (session) {
        const { address, createdAt, email, hash, id, lastSeenAt, method, reach, userAgent } = encodeSession(session)
        yield* sql`
          INSERT INTO sessions (id, hash, email, reach, method, created_at, last_seen_at, user_agent, address)
          VALUES (${id}, ${hash}, ${email}, ${JSON.stringify(reach)}::jsonb, ${method}, ${createdAt}, ${lastSeenAt},
            ${userAgent}, ${address})`
      }
      if (passkey) {
        const { counter, createdAt, email, id, label, lastUsedAt, publicKey, reach, transports } =
          encodePasskey(passkey)
        yield* sql`
          INSERT INTO passkeys AS p (id, email, reach, public_key, counter, transports, label, created_at, last_used_at)
          VALUES (${id}, ${email}, ${JSON.stringify(reach)}::jsonb, ${publicKey}, ${counter},
            ARRAY(SELECT json_array_elements_text(${JSON.stringify(transports)}::json)), ${label}, ${createdAt},
            ${lastUsedAt})
          ON CONFLICT (id) DO UPDATE SET counter = excluded.counter, label = excluded.label,
            last_used_at = excluded.last_used_at WHERE p.email = excluded.email`
      }
      if (identity) {
        const { createdAt, email, issuer, lastUsedAt, subject } = encodeIdentity(identity)
        yield* sql`
          INSERT INTO provider_identities AS i (issuer, subject, email, created_at, last_used_at)
          VALUES (${issuer}, ${subject}, ${email}, ${createdAt}, ${lastUsedAt})
          ON CONFLICT (issuer, subject) DO UPDATE SET last_used_at = excluded.last_used_at
            WHERE i.email = excluded.email`
      }
      if (removedPasskey) yield* sql`DELETE FROM passkeys WHERE id = ${removedPasskey}`
    })

    return IdentityStore.of({
      addLink: ({ email, hash, origin, target }) =>
        Effect.map(
          orDie(sql.unsafe(addLink, [hash, email, origin, target && JSON.stringify(target)])),
          (rows) => decodeAdded(rows)[0]?.now ?? null
        ),
      findLink: (hash) => orDie(read({ link: hash })),
      findSession: (hash) =>
        Effect.map(orDie(sql.unsafe(findSession, [hash])), (rows) => decodeSession(rows)[0] ?? null),
      endedOf: (asked) =>
        Effect.map(orDie(sql.unsafe<{ readonly id: SessionId }>(endedOf, [JSON.stringify(asked)])), (rows) =>
          rows.map(({ id }) => id)
        ),
      look: (email) => orDie(read({ email })),
      change: (of, decide) =>
        Effect.gen(function* () {
          yield* sql.unsafe(lock, named(of))
          const current = yield* read(of)
          const { answer, change } = yield* decide(current)
          yield* write(change)
          // Every transaction that appends to several workspaces does so in this order.
          for (const { fact, workspace } of change.audit.toSorted(byWorkspace))
            yield* append(workspace, current.now, [fact])
          return answer
        }).pipe(transaction, Effect.provideService(SqlClient.SqlClient, sql)),
      findPasskey: (id) =>
        Effect.map(
          orDie(
            sql.unsafe(
              `SELECT ${one(IdentityRows.passkey, "passkeys p WHERE p.id = $1")} AS passkey
            WHERE EXISTS (SELECT FROM passkeys WHERE id = $1)`,
              [id]
            )
          ),
          (rows) => decodePasskey(rows)[0]?.passkey ?? null
        ),
      findIdentity: ({ issuer, subject }) =>
        Effect.map(
          orDie(
            sql.unsafe(
              `SELECT ${one(IdentityRows.identity, "(SELECT i.*) i")} AS identity
            FROM provider_identities i WHERE i.issuer = $1 AND i.subject = $2`,
              [issuer, subject]
            )
          ),
          (rows) => decodeIdentity(rows)[0]?.identity ?? null
        ),
      addChallenge: ({ hash, session }) =>
        orDie(sql`INSERT INTO passkey_challenges VALUES (${hash}, ${session}, statement_timestamp())`),
      takeChallenge: (hash) =>
        Effect.map(
          orDie(sql`
            DELETE FROM passkey_challenges WHERE hash = ${hash}
            RETURNING hash, session, iso8601(created_at) AS "createdAt", ${sql.literal(IdentityRows.now)}`),
          (rows) => {
            const [taken] = decodeTaken(rows)
            return taken === undefined ? null : { challenge: taken, now: taken.now }
          }
        ),
      attempt: (attempts) =>
        Effect.map(
          orDie(
            sql.unsafe<{ readonly key: string; readonly attempts: number }>(attempt, [
              JSON.stringify(attempts.map(({ key }) => key))
            ])
          ),
          (rows) =>
            attempts
              .filter(({ key, most }) => rows.some((row) => row.key === key && row.attempts > most))
              .map(({ key }) => key)
        ),
      purge: orDie(sql.unsafe(purge))
    })
  })
)
