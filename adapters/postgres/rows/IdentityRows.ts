import { idleHours, mostDays, touchSeconds } from "../../../domain/workspace/Session.ts"
import { array, at, fields } from "./Table.ts"

export const link = fields(
  "l",
  `hash text, email text, origin text, target jsonb, created_at timestamptz, used_at timestamptz`
)

export const session = fields(
  "s",
  `id uuid, hash text, email text, reach jsonb, method text, created_at timestamptz, last_seen_at timestamptz,
   user_agent text, address text`
)

export const passkey = fields(
  "p",
  `id text, email text, reach jsonb, public_key text, counter bigint, transports text[], label text,
   created_at timestamptz, last_used_at timestamptz`
)

export const identity = fields(
  "i",
  `issuer text, subject text, email text, created_at timestamptz, last_used_at timestamptz`
)

export const now = at("statement_timestamp()", "now")

/** Members with that address, who were not removed, of workspaces that were not deleted. */
export const members = (email: string) => `
  members m JOIN workspaces w ON (w.id, w.deleted_at IS NULL) = (m.workspace_id, true)
  WHERE lower(m.email COLLATE "C") = ${email} AND m.removed_at IS NULL`

/** The memberships of an address in all workspaces, as one JSON array. */
export const memberships = (email: string) =>
  `${array(
    `w.id AS workspace, w.slug AS "workspaceSlug", w.name AS "workspaceName",
     json_build_object('id', m.id, 'email', m.email, 'name', m.name, 'role', m.role) AS member`,
    `${members(email)} ORDER BY w.slug COLLATE "C"`
  )} AS memberships`

const ago = (amount: number, unit: string) => `statement_timestamp() - interval '${amount} ${unit}'`

/** As the rule in Session.ts. */
export const isOver = `(last_seen_at <= ${ago(idleHours, "hours")} OR created_at <= ${ago(mostDays * 24, "hours")})`
export const needsTouch = `last_seen_at <= ${ago(touchSeconds, "seconds")}`

/** Ends what opens workspace $1 only, and everything of addresses in the array $2 that have no other workspace. */
export const leave = `
  WITH gone AS (
    SELECT e.email, NOT EXISTS (SELECT FROM ${members("e.email")} AND m.workspace_id <> $1::uuid) AS "isEverywhere"
    FROM json_array_elements_text($2::json) e(email)
  ), s AS (
    DELETE FROM sessions x USING gone g
    WHERE x.email = g.email AND (g."isEverywhere" OR x.reach->>'workspace' = $1::text)
  ), p AS (
    DELETE FROM passkeys x USING gone g
    WHERE x.email = g.email AND (g."isEverywhere" OR x.reach->>'workspace' = $1::text)
  ), i AS (
    DELETE FROM provider_identities x USING gone g WHERE x.email = g.email AND g."isEverywhere"
  )
  DELETE FROM sign_in_links x USING gone g
  WHERE x.email = g.email AND (g."isEverywhere" OR x.target->>'workspace' = $1::text)`
