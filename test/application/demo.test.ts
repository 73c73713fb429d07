import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import demo from "../../adapters/cli/demo.json" with { type: "json" }
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Demo from "../../application/work/Demo.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import type { IncidentHistory, IncidentView } from "../../domain/oncall/Incident.ts"
import * as Equipment from "../support/Equipment.ts"
import { incidentsOf } from "../support/OnCall.ts"

it.layer(Equipment.layer.pipe(Layer.provideMerge(Memory.layer)))("the demo", (it) => {
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
