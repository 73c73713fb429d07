import { DateTime } from "effect"
import { assert, describe, it } from "vitest"
import type { DecisionKey, DecisionStatus } from "../../../domain/work/Decision.ts"
import * as MergeHold from "../../../domain/work/MergeHold.ts"
import * as Sample from "../Sample.ts"

const red = (status: DecisionStatus, place = 0) =>
  Sample.decision("main_red_incident", "open_revert", {
    key: `dec-000${place}` as DecisionKey,
    status,
    createdAt: DateTime.add(Sample.before, { minutes: place })
  })

const holds = (...statuses: ReadonlyArray<DecisionStatus>) => MergeHold.mergeHold(statuses.map(red))?.decision ?? null

describe("the merges of a team", () => {
  it.each([
    ["go on when nothing says that main is red", [], null],
    ["wait while it is pending", ["pending"], "dec-0000"],
    ["go on when it is resolved", ["resolved"], null],
    ["wait on when it expired: nobody answered", ["expired"], "dec-0000"],
    ["wait on when it was cancelled: its run is over, main is still red", ["cancelled"], "dec-0000"],
    ["wait for the one that replaced it", ["superseded", "pending"], "dec-0001"],
    ["go on when the one that replaced it is resolved", ["superseded", "resolved"], null],
    ["go on when a newer one than the expired is resolved", ["expired", "resolved"], null],
    ["go on when a newer one than the cancelled is resolved", ["cancelled", "resolved"], null],
    ["wait when an older one than the expired was resolved", ["resolved", "expired"], "dec-0001"],
    ["wait when an older one than the cancelled was resolved", ["resolved", "cancelled"], "dec-0001"],
    ["wait for every pending one, whichever was answered", ["pending", "resolved"], "dec-0000"],
    ["wait for the pending one first: that can be answered", ["expired", "pending"], "dec-0001"],
    ["wait for the first that was not answered", ["resolved", "expired", "cancelled"], "dec-0001"]
  ] as const)("%s", (_, statuses, holding) => assert.strictEqual<string | null>(holds(...statuses), holding))

  it("are held by decisions of no other kind", () =>
    assert.isNull(MergeHold.mergeHold([Sample.decision("revert_approval", "open_revert"), Sample.another])))

  it("are held since the decision was raised, and the words name the way out", () => {
    const hold = MergeHold.mergeHold([red("pending")])
    assert.deepStrictEqual(hold, { decision: "dec-0000", status: "pending", since: Sample.before } as never)
    const since = DateTime.formatIso(Sample.before)
    assert.strictEqual(
      hold && MergeHold.describe(hold),
      `held by dec-0000 (pending) since ${since}, when the main branch was reported red; it continues when dec-0000 is resolved`
    )
    const late = MergeHold.mergeHold([red("expired")])
    assert.match(
      late ? MergeHold.describe(late) : "",
      /\(expired\).*a newer main_red_incident of the team is raised and resolved$/
    )
  })
})
