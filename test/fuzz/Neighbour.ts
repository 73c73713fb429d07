import { SqlClient } from "@effect/sql"
import { Effect, Layer, Redacted } from "effect"
import * as Cursors from "../../application/workspace/Cursors.ts"
import { SecretKey } from "../../application/secrets/SecretKey.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import * as Authorization from "../../application/workspace/Authorization.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"

/** Part of every text of the neighbour, and of no other text or request. */
export const marker = "Quokkaberry"

const about = (what: string) => `${marker} ${what}`
const email = `${marker.toLowerCase()}@next.test` as Email

/** The neighbour's keys: some of their own, and one of each that the fuzzed workspace has too. */
export const keys = {
  team: ["nextdoor", "payments"],
  story: ["NXT-1", "PAY-1"],
  run: ["run-nxt1", "run-aaaa"],
  decision: ["dec-nxt1", "dec-aaaa"],
  board: ["0d8e2f5a-7b1c-4c3d-9e4f-5a6b7c8d9e0f"]
}

const options = Seed.options.map((option) => ({ ...option, label: about(option.label) }))
const decision = (key: string, run: string) => ({
  key,
  kind: "plan_approval",
  title: about("plan?"),
  body: about("reasons"),
  recommendation: "yes",
  options,
  run
})

const document = {
  teams: [
    { id: keys.board[0], slug: "nextdoor", name: about("team"), description: about("team"), keyPrefix: "NXT" },
    { slug: "payments", name: about("payments"), description: about("payments"), keyPrefix: "PAY" }
  ],
  services: [{ team: "nextdoor", name: about("service") }],
  stories: [
    { key: "NXT-1", team: "nextdoor", title: about("story"), description: about("why"), demonstrate: [about("step")] },
    { key: "PAY-1", team: "payments", title: about("pay"), description: about("why") }
  ],
  runs: [
    { key: "run-nxt1", story: "NXT-1", status: "waiting", stage: "planning" },
    { key: "run-aaaa", story: "PAY-1", status: "waiting", stage: "planning" }
  ],
  decisions: [decision("dec-nxt1", "run-nxt1"), decision("dec-aaaa", "run-aaaa")]
}

/** The key of the service under test. */
const key = Layer.succeed(SecretKey, Redacted.make(new Uint8Array(32).fill(7)))

/** A cursor of each list that is valid for the neighbour, as in the neighbour's own responses. */
const cursorsOf = (workspace: WorkspaceId) =>
  Effect.gen(function* () {
    const cursors = yield* Cursors.Cursors
    const lists = {
      runs: { team: null, story: null },
      decisions: { status: null, team: null, run: null },
      audit: { team: null, actor: null, event: null, run: null, from: null, to: null }
    }
    return yield* Effect.forEach(Object.entries(lists), ([list, filters]) =>
      cursors.encode({ workspace, list, filters }, 3n)
    )
  }).pipe(Effect.provide(Layer.provide(Cursors.layer, key)))

/** A workspace of another owner, whose rows no request may read or change. */
export const settle = Effect.gen(function* () {
  const slug = `next-${crypto.randomUUID().slice(0, 8)}` as WorkspaceSlug
  const { id } = yield* Workspaces.create(bySystem, {
    slug,
    name: about("Ltd"),
    owner: { email, name: about("owner") }
  })
  yield* Seed.load(slug, document)
  const token = yield* Seed.token(slug, ["admin"], email)
  const owner = yield* Authorization.member(slug, email, "app")
  const { secret, source } = yield* Sources.create(owner, {
    name: about("source"),
    kind: "generic",
    services: [about("service")],
    secret: null,
    isTimestampRequired: false
  })
  return {
    id,
    slug,
    cursors: yield* cursorsOf(id),
    /** The source's address is known, its secret is not. */
    source: source.token,
    secrets: [token.value, Redacted.value(secret)]
  }
})

/** Failed proofs are counted for their source, and the fuzzer itself deletes windows. */
const counters = new Set(["source_refusals", "refused_deliveries", "token_windows"])

/** Every row of a workspace as Postgres prints it, by table. */
export const rowsOf = (workspace: WorkspaceId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ readonly name: string }>`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'workspace_id' ORDER BY table_name`
    const rows: Record<string, ReadonlyArray<string>> = {}
    for (const { name } of tables.filter((table) => !counters.has(table.name))) {
      const found = yield* sql<{ readonly row: string }>`
        SELECT t::text AS row FROM ${sql(name)} t WHERE workspace_id = ${workspace} ORDER BY 1`
      // Refused posts to its address are kept, and its admins get a notice.
      rows[name] = found.map(({ row }) => row).filter((row) => !row.includes("delivery_refused"))
    }
    return rows
  })
