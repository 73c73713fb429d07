import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import demo from "../../adapters/cli/demo.json" with { type: "json" }
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Json from "../../application/ports/Json.ts"
import { Board, StoryStore } from "../../application/ports/StoryStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import * as Demo from "../../application/work/Demo.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import type { IncidentHistory, IncidentView } from "../../domain/oncall/Incident.ts"
import { Team, type TeamSlug } from "../../domain/workspace/Team.ts"
import * as Equipment from "../support/Equipment.ts"
import { incidentsOf } from "../support/OnCall.ts"

const boardOf = Json.decoder(Board)
const teamOf = Json.decoder(Team)

it.layer(Equipment.layer.pipe(Layer.provideMerge(Memory.layer)))("the demo", (it) => {
  it.effect("has no more unfinished runs in a team than its policy lets work at once", () =>
    Effect.gen(function* () {
      const { workspace } = yield* Demo.recreate(demo)
      const id = yield* Workspaces.idOf(workspace)
      const [stories, teams] = [yield* StoryStore, yield* TeamStore]
      for (const { slug } of demo.teams) {
        const { policy } = teamOf(yield* teams.whole(id, slug as TeamSlug))
        const { unfinishedRuns } = boardOf(yield* stories.board(id, slug as TeamSlug, 1))
        if (policy !== null) assert.isAtMost(unfinishedRuns, policy.maxConcurrency, slug)
      }
    })
  )

  it.effect("has an open incident and one that is over, each with what people did", () =>
    Effect.gen(function* () {
      const { incidents, workspace } = yield* Demo.recreate(demo)
      assert.strictEqual(incidents, 2)
      const id = yield* Workspaces.idOf(workspace)
      const all = (yield* incidentsOf(id)).map((json) => JSON.parse(json) as typeof IncidentView.Encoded)
      assert.deepStrictEqual(
        all.map(({ acknowledgedBy, alerts, severity, status }) => [status, severity, alerts, acknowledgedBy]),
        [
          ["open", "critical", 3, "Ada Admin"],
          ["resolved", "high", 1, "Mika Member"]
        ]
      )
      const store = yield* OnCallStore
      for (const { key } of all) {
        const history = JSON.parse(yield* store.history(id, key as never)) as typeof IncidentHistory.Encoded
        assert.lengthOf(JSON.stringify(history).match(/ I restarted it| I compare the plans/g) ?? [], 1)
      }
    })
  )
})
