import { SqlClient } from "@effect/sql"
import { createHash } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import type { LeaseId, RunnerId } from "../../domain/work/Lease.ts"
import { TokenId } from "../../domain/workspace/ApiToken.ts"
import type { Decided } from "../../domain/Change.ts"
import type { TeamNotFound } from "../../domain/workspace/Team.ts"
import { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { crowd } from "../support/Crowd.ts"
import { explaining, type Plan, planOf, plansOf, rowsRead } from "../support/Plan.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

const id = "00000000-0000-4000-8000-000000000004"
const workspace = WorkspaceId.make(id)
const page = { limit: 25, before: 1_000_000n }

/** A UUID of a text, as PostgreSQL makes it. */
const md5 = (text: string) =>
  createHash("md5")
    .update(text)
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")

/** Tables whose few rows fit on one page, which is cheaper to scan than any index. */
/** No team of the crowd is bound to a tracker. */
const unbound = ["tracker_bindings", "tracker_issues"]
const few: ReadonlySet<string> = new Set(["teams", "policies", "services", "workspaces", "members", ...unbound])
const ofMany = (plan: Plan) => plan.filter((node) => !few.has(node["Relation Name"] ?? ""))
const typesOf = (plan: Plan) => plan.map((node) => node["Node Type"])

const crowded = Layer.effectDiscard(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(crowd))).pipe(
  Layer.provideMerge(Layer.provide(TestPostgres.layer, explaining))
)

it.layer(crowded, { timeout: "300 seconds" })("plans", (it) => {
  it.effect("lists for people read a page of each team at most, and never the whole table", () =>
    Effect.gen(function* () {
      const decisions = yield* DecisionStore
      const anyone = { authorities: ["member", "admin", "owner"] as const, team: null }
      const lists: Readonly<Record<string, Effect.Effect<unknown>>> = {
        queue: decisions.queue(workspace, anyone, { limit: 25, before: null }),
        "next page of the queue": decisions.queue(workspace, anyone, { limit: 25, before: 20_000n }),
        "queue of a team": decisions.queue(workspace, { ...anyone, team: "b" as never }, { limit: 25, before: null }),
        unanswered: decisions.unanswered(workspace, null, page)
      }
      for (const [name, list] of Object.entries(lists)) {
        const plan = ofMany(yield* planOf(list))
        assert.notMatch(typesOf(plan).join(), /Seq Scan|Bitmap/, name)
        assert.isAtMost(rowsRead(plan), 4 * 3 * 26 + 27, name)
      }
    })
  )

  it.effect("every list and filter stands on an index, without a sort, and reads no more than its page", () =>
    Effect.gen(function* () {
      const stories = yield* StoryStore
      const runs = yield* RunStore
      const decisions = yield* DecisionStore
      const audit = yield* AuditLog
      const every = { status: null, team: null, run: null }
      const lists: Readonly<Record<string, Effect.Effect<unknown, TeamNotFound>>> = {
        "stories of a team": stories.page(workspace, { team: "b" as never, drafts: false }, page),
        "stories with drafts": stories.page(workspace, { team: "b" as never, drafts: true }, page),
        runs: runs.page(workspace, { team: null, story: null }, page),
        "runs of a team": runs.page(workspace, { team: "b" as never, story: null }, page),
        "runs of a story": runs.page(workspace, { team: null, story: "B-7" as never }, page),
        decisions: decisions.page(workspace, every, page),
        "decisions by status": decisions.page(workspace, { ...every, status: "pending" }, page),
        "decisions of a team": decisions.page(workspace, { ...every, team: "b" as never }, page),
        "decisions of a team by status": decisions.page(
          workspace,
          { ...every, team: "b" as never, status: "expired" },
          page
        ),
        audit: audit.page(workspace, Seed.anyEntry, page),
        "audit of a team": audit.page(workspace, { ...Seed.anyEntry, team: "b" as never }, page),
        "audit by actor": audit.page(workspace, { ...Seed.anyEntry, actor: "human" }, page),
        "audit by event": audit.page(workspace, { ...Seed.anyEntry, event: "team_created" }, page),
        "audit of a run": audit.page(workspace, { ...Seed.anyEntry, run: "run-0007" as never }, page),
        "decisions of a run": decisions.page(workspace, { ...every, run: "run-0007" as never }, page)
      }
      for (const [name, list] of Object.entries(lists)) {
        const plan = ofMany(yield* planOf(list))
        assert.notMatch(typesOf(plan).join(), /Seq Scan|Sort|Bitmap/, name)
        // One more row to detect further pages, and one rejected draft.
        assert.isAtMost(rowsRead(plan), 27, name)
      }
    })
  )

  it.effect("a page among what a deleted team left behind reads that too, and no more", () =>
    Effect.gen(function* () {
      const [runs, decisions, sql] = yield* Effect.all([RunStore, DecisionStore, SqlClient.SqlClient])
      const oldest = (table: "runs" | "decisions") =>
        Effect.map(
          sql<{
            readonly seq: string
          }>`SELECT seq FROM ${sql(table)} WHERE workspace_id = ${id} ORDER BY seq LIMIT 1 OFFSET 400`,
          ([row]) => ({ limit: 25, before: BigInt(row?.seq ?? 0) })
        )
      const lists: Readonly<Record<string, Effect.Effect<unknown, TeamNotFound>>> = {
        runs: runs.page(workspace, { team: null, story: null }, yield* oldest("runs")),
        decisions: decisions.page(workspace, { status: null, team: null, run: null }, yield* oldest("decisions"))
      }
      for (const [name, list] of Object.entries(lists)) {
        const plan = ofMany(yield* planOf(list))
        assert.notMatch(typesOf(plan).join(), /Seq Scan|Sort|Bitmap/, name)
        assert.isAtMost(rowsRead(plan), 34, name)
      }
    })
  )

  it.effect("what is looked for, locked and read to decide stands on indexes, however much there is", () =>
    Effect.gen(function* () {
      const [stories, runs, decisions, teams] = yield* Effect.all([StoryStore, RunStore, DecisionStore, TeamStore])
      const [runners, tokens] = yield* Effect.all([RunnerStore, TokenStore])
      let found = 0
      const seen = (): Either.Either<Decided<never>, "seen"> => {
        found++
        return Either.left("seen")
      }
      const [runner, token] = [md5("crowd-47") as RunnerId, md5("crowd-47") as TokenId]
      const held = { lease: md5(`${id}run-0007`) as LeaseId, fence: 1, token }
      const log = { run: "run-0007" as never, attempt: 1 }
      const idempotency = { token: TokenId.make(id), key: "key-7" }
      /** Each with the rows that its statements may read in one step: taking turns, locking, reading. */
      const uses: Readonly<
        Record<string, readonly [Effect.Effect<unknown, object | string>, ...ReadonlyArray<number>]>
      > = {
        "due decisions": [decisions.due(100), 30],
        "kept answers that are too old": [decisions.purgeKept, 30],
        "an answer": [decisions.change(workspace, "dec-01f9" as never, idempotency, seen), 1, 1, 1],
        // Keys are tried, 16 at once.
        "a run": [runs.change(workspace, "run-0007" as never, seen), 1, 16],
        "a story": [stories.change(workspace, "B-7" as never, seen), 1, 16],
        "a team": [teams.change(workspace, "b" as never, seen), 1, 100, 100],
        "teams with room": [teams.withRoom, 300],
        // Reads a team's runs to sum up its spending.
        "a team's workload": [teams.schedule(workspace, "b" as never, seen), 10, 500],
        "the next run": [runs.next(workspace, { teams: [], runner: null }), 30],
        "the next run of a team": [runs.next(workspace, { teams: ["b" as never], runner: null }), 10],
        "the next run of a runner": [
          runs.next(workspace, { teams: [], runner: { id: runner, executors: ["codex"] } }),
          30
        ],
        "a run for a runner": [runs.changeAs(workspace, "run-0007" as never, runner, seen), 1, 1, 16],
        "the run of a lease": [runs.ofLease(workspace, held.lease), 1],
        "a renewed lease": [runs.renew(workspace, held, 0), 1, 1],
        "the run of a credential": [runs.ofCredential(md5(`${id}run-0007`).replaceAll("-", "")), 1],
        "lapsed leases": [runs.lapsed(100), 2],
        "silent runners": [runners.silent, 10],
        "a runner by its name": [runners.change(workspace, { token, name: "tk_00000007" }, seen), 1, 1, 1, 110],
        "a runner that is online": [runners.online(workspace, runner), 1],
        "runners to forget": [runners.purge(7), 1],
        "a runner that is heard": [runners.heard(workspace, runner, token), 1],
        "runners with their runs": [runners.list(workspace), 120],
        "a further part of a log": [
          runners.appendLog(workspace, { ...log, lease: held.lease, seq: 2, text: "x" }),
          1,
          1,
          2
        ],
        "a log": [runners.log(workspace, { ...log, after: 0 }), 2],
        "a token without a count": [tokens.identify(md5("crowd-47").replaceAll("-", "").repeat(2)), 1],
        "one decision": [decisions.get(workspace, "dec-01f9" as never), 1],
        "one run": [runs.get(workspace, "run-0007" as never), 1],
        "one story": [stories.get(workspace, "B-7" as never), 1]
      }
      for (const [name, [use, ...most]] of Object.entries(uses)) {
        const plans = (yield* plansOf(Effect.either(use))).map(ofMany)
        assert.strictEqual(plans.length, most.length, name)
        for (const [place, plan] of plans.entries()) {
          assert.notInclude(typesOf(plan), "Seq Scan", name)
          assert.isAtMost(rowsRead(plan), most[place] ?? 0, name)
        }
      }
      assert.strictEqual(found, 7)
    })
  )
})
