import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { pause, resume, setPolicy } from "../../../domain/workspace/ChangeTeam.ts"
import { Policy } from "../../../domain/workspace/Policy.ts"
import { recorded, refusal, success } from "../Outcome.ts"
import * as Sample from "../Sample.ts"

const { ana, before, now } = Sample
const active = { now, team: Sample.team() }
const paused = { now, team: Sample.team(null, { pausedAt: before }) }

describe("a team", () => {
  it("is paused and resumed once", () => {
    assert.strictEqual(refusal(pause(ana)(paused)), "TeamAlreadyPaused")
    assert.strictEqual(refusal(resume(ana)(active)), "TeamNotPaused")
    assert.strictEqual(success(pause(ana)(active)).result.pausedAt, now)
    assert.isNull(success(resume(ana)(paused)).result.pausedAt)
    assert.deepStrictEqual(recorded(success(pause(ana)(active)).change), ["team_paused team Payments"])
  })

  it("gets a new version of its policy only when a setting changes", () => {
    const { change, result } = success(setPolicy(ana, { settings: { maxConcurrency: 9 } })(active))
    assert.deepStrictEqual([result.version, result.maxConcurrency], [2, 9])
    assert.deepStrictEqual(recorded(change), ["policy_changed policy Payments"])
    const same = setPolicy(ana, { settings: { maxConcurrency: result.maxConcurrency } })({
      now,
      team: Sample.team(result)
    })
    assert.instanceOf(Either.getOrThrow(Either.flip(same)), Policy)
    const invalid = setPolicy(ana, { settings: { maxConcurrency: -1 } })(active)
    assert.strictEqual(Either.getOrThrow(Either.flip(invalid)).constructor.name, "InvalidPolicy")
    const late = setPolicy(ana, { settings: { maxConcurrency: 9 } }, 7)(active)
    assert.strictEqual(Either.getOrThrow(Either.flip(late)).constructor.name, "PolicyChangedMeanwhile")
    assert.strictEqual(success(setPolicy(ana, { settings: { maxConcurrency: 9 } }, 1)(active)).result.version, 2)
  })
})
