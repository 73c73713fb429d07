import { DateTime, Either } from "effect"
import { assert, describe, it } from "vitest"
import { acceptanceFolder, type Policy, Preset, presets, settings } from "../../../domain/workspace/Policy.ts"
import { isSame, type PolicyChange, setPolicy } from "../../../domain/workspace/SetPolicy.ts"

const now = DateTime.unsafeMake("2026-09-14T12:00:00Z")
const set = (policy: Policy | null, change: Partial<PolicyChange>) =>
  Either.getOrThrow(setPolicy(policy, { settings: {}, ...change }, now))

describe("setting a policy", () => {
  it("of a team without one departs from guarded in what is stated, and in nothing else", () => {
    const first = set(null, { settings: { budgets: { dayCents: 5 } } })
    const { budgets } = presets.guarded
    assert.deepStrictEqual(settings(first), { ...presets.guarded, budgets: { ...budgets, dayCents: 5 } })
    assert.deepStrictEqual([first.preset, first.custom, first.version], ["guarded", true, 1])
  })

  it.each(Preset.literals)("to the preset %s takes its settings and keeps the denied paths", (preset) => {
    const before = set(null, { settings: { deniedPaths: ["infra/**"], maxConcurrency: 9 } })
    const after = set(before, { preset })
    const deniedPaths = ["infra/**", acceptanceFolder]
    assert.deepStrictEqual(settings(after), { ...presets[preset], deniedPaths })
    assert.deepStrictEqual(settings(set(before, { preset, settings: { deniedPaths: [] } })), presets[preset])
  })

  it("refuses a coding agent that is not on one line, unless it has that name already", () => {
    const executor = "co\ndex"
    const refused = Either.getOrThrow(Either.flip(setPolicy(null, { settings: { executor } }, now)))
    assert.match(refused.message, /^executor: must be on one line.*got "co\\ndex"\. The policy is unchanged\.$/)
    const before = { ...set(null, {}), executor }
    assert.strictEqual(set(before, { settings: { executor, maxConcurrency: 2 } }).executor, executor)
  })

  it("is a change when the preset or a setting differs, whatever the version and the order of paths", () => {
    const before = set(null, { preset: "trial", settings: { deniedPaths: ["a", "b"] } })
    assert.isTrue(isSame(before, set(before, {})))
    assert.isTrue(isSame(before, set(before, { settings: { deniedPaths: ["b", "a"] } })))
    assert.isFalse(isSame(before, set(before, { settings: { deniedPaths: ["a"] } })))
    assert.isFalse(isSame(before, set(before, { settings: { decisionHours: 1 } })))
    const { trial } = presets
    assert.isFalse(isSame(before, set(before, { preset: "guarded", settings: { ...trial, deniedPaths: ["a", "b"] } })))
  })
})
