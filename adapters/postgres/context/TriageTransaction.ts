import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import type { Judged } from "../../../application/ports/SignalStore.ts"
import { Unavailable } from "../../../application/ports/Health.ts"
import { type Arrival, DeliveryId, Verdict } from "../../../domain/oncall/Delivery.ts"
import { Signal } from "../../../domain/oncall/Signal.ts"
import { SourceId } from "../../../domain/oncall/SignalSource.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import type { TriageSnapshot } from "../../../domain/oncall/TriageBoard.ts"
import { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { commit } from "../rows/Commit.ts"
import { tryLock } from "./OnCallLock.ts"
import { isTrouble, transaction } from "../connection/Transactions.ts"
import { snapshotOf, withLoose } from "./TriageContext.ts"

/** The next workspace after $1 with waiting deliveries that no other caller holds, so that each gets its turn. */
const pick = `
  SELECT o.workspace FROM (
    SELECT d.workspace_id AS workspace FROM deliveries d
    WHERE d.status IN ('waiting', 'replayed') GROUP BY d.workspace_id
    ORDER BY d.workspace_id <= $1, d.workspace_id OFFSET 0) o
  WHERE ${tryLock("o.workspace::text")} LIMIT 1`

/** The workspace whose turn was last. */
export interface Turns {
  last: string
}

export const firstTurn = (): Turns => ({ last: "00000000-0000-0000-0000-000000000000" })

/** Signals triaged in one batch; a single delivery may hold more. */
const mostSignals = 500

const take = `
  SELECT w.id, w.source, iso8601(w.received_at) AS "receivedAt", w.status = 'replayed' AS "isReplay", w.signals, w.known
  FROM (
    SELECT d.id, d.seq, d.source_id AS source, d.received_at, d.status, d.signals, d.verdicts AS known,
      sum(json_array_length(d.signals)) OVER (ORDER BY d.seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM deliveries d WHERE d.workspace_id = $1 AND d.status IN ('waiting', 'replayed') ORDER BY d.seq LIMIT $2) w
  WHERE coalesce(w.before, 0) < ${mostSignals} ORDER BY w.seq`

const Taken = Schema.Struct({
  id: DeliveryId,
  source: SourceId,
  receivedAt: Timestamp,
  isReplay: Schema.Boolean,
  signals: Schema.Unknown,
  known: Schema.Array(Verdict)
})
const decodeTaken = Schema.decodeUnknownSync(Schema.Array(Taken))
const decodeSignals = Schema.decodeUnknownOption(Schema.Array(Signal))
const decodeWorkspace = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ workspace: WorkspaceId })))

const unreadable: Verdict = {
  verdict: "rejected",
  explanation: "It was stored in a form that can no longer be read.",
  fingerprint: null,
  alert: null,
  incident: null
}

const arrivalOf = ({ known, signals, ...rest }: typeof Taken.Type): Arrival =>
  Option.match(decodeSignals(signals), {
    onNone: () => ({
      ...rest,
      signals: [],
      known: [...known.filter(({ explanation }) => explanation !== unreadable.explanation), unreadable]
    }),
    onSome: (decoded) => ({ ...rest, signals: decoded, known })
  })

const finish = `
  UPDATE deliveries d SET status = 'done', verdicts = r.verdicts
  FROM json_to_recordset($2::json) AS r(id uuid, verdicts json) WHERE d.workspace_id = $1 AND d.id = r.id`

/** Sets a delivery aside, unless another caller has triaged it meanwhile. */
const park = `
  UPDATE deliveries SET status = 'failed' WHERE workspace_id = $1 AND id = $2 AND status IN ('waiting', 'replayed')`

/** One transaction: take, read, judge, write. Sets aside a delivery that cannot be triaged, so that others go on. */
export const drain = (
  turns: Turns,
  most: number,
  judge: (snapshot: TriageSnapshot) => Judged
): Effect.Effect<number, never, SqlClient.SqlClient> =>
  Effect.suspend(() => {
    let first: { readonly workspace: WorkspaceId; readonly id: DeliveryId } | undefined
    const attempt = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [picked] = decodeWorkspace(yield* sql.unsafe(pick, [turns.last]))
      if (picked === undefined) return 0
      const { workspace } = picked
      turns.last = workspace
      const arrivals = decodeTaken(yield* sql.unsafe(take, [workspace, most])).map(arrivalOf)
      const [oldest] = arrivals
      // Another caller triaged them between the two reads.
      if (oldest === undefined) return null
      first = { workspace, id: oldest.id }
      const snapshot = yield* snapshotOf(workspace, arrivals)
      const looked = judge(snapshot)
      const opened = looked.change.added?.incidents ?? []
      const { change, verdicts } = opened.length === 0 ? looked : judge(yield* withLoose(workspace, snapshot, opened))
      yield* commit(workspace, snapshot.now, change)
      const judged = [...verdicts].map(([id, own]) => ({ id, verdicts: own }))
      yield* sql.unsafe(finish, [workspace, JSON.stringify(judged)])
      return arrivals.length
    }).pipe(transaction)
    const again = Effect.flatMap(attempt, (judged) =>
      judged === null ? drain(turns, most, judge) : Effect.succeed(judged)
    )
    return Effect.catchAllDefect(again, (defect) => {
      if (defect instanceof Unavailable || first === undefined) return Effect.die(defect)
      if (most > 1)
        return Effect.zipRight(Effect.logWarning("deliveries are judged one by one", defect), drain(turns, 1, judge))
      if (isTrouble(defect)) return Effect.die(defect)
      const { id, workspace } = first
      return Effect.gen(function* () {
        yield* Effect.logError("a delivery cannot be judged and was set aside", defect).pipe(
          Effect.annotateLogs({ delivery: id })
        )
        const sql = yield* SqlClient.SqlClient
        yield* Effect.orDie(sql.unsafe(park, [workspace, id]))
        return 1
      })
    })
  })
