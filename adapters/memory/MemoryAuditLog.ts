import { DateTime, Effect, Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { Origin } from "../../application/workspace/RequestOrigin.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { RecordedEntry } from "../../domain/workspace/Audit.ts"
import { TeamNotFound } from "../../domain/workspace/Team.ts"
import { newest } from "./MemoryPages.ts"
import { record, State } from "./MemoryState.ts"

const encode = Json.encoder(RecordedEntry)

export const layer = Layer.effect(
  AuditLog,
  Effect.map(State, (state) =>
    AuditLog.of({
      page: (workspace, { actor, event, from, run, team, to }, request) =>
        Effect.suspend(() => {
          const tenant = state.get(workspace)
          if (team !== null && !tenant?.teams.has(team)) return new TeamNotFound({ team })
          const matches = (entry: RecordedEntry) =>
            (team === null || entry.team === team) &&
            (actor === null || entry.actor.type === actor) &&
            (event === null || entry.event === event) &&
            (run === null || entry.runKey === run) &&
            (from === null || DateTime.greaterThanOrEqualTo(entry.timestamp, from)) &&
            (to === null || DateTime.lessThanOrEqualTo(entry.timestamp, to))
          return Effect.succeed(newest(tenant?.audit ?? [], matches, encode, request))
        }),
      append: (workspace, { audit }) =>
        Effect.map(Effect.zip(DateTime.now, Origin), ([now, origin]) => {
          const tenant = state.get(workspace)
          if (tenant !== undefined) record(tenant, now, audit, origin)
        }),
      // No other process can reach this state, so it needs no hashes; only its numbers can be wrong.
      verify: (workspace) =>
        Effect.sync(() => {
          const audit = state.get(workspace)?.audit ?? []
          const holding = audit.findIndex((row, index) => row.seq !== BigInt(index + 1))
          return holding < 0
            ? { entries: audit.length, firstBad: null }
            : { entries: holding, firstBad: BigInt(holding + 1) }
        })
    })
  )
)
