import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either } from "effect"
import * as Policy from "../../../domain/workspace/Policy.ts"

const updatedAt = DateTime.unsafeMake(0)
const make = (preset: Policy.Preset, change: Partial<Policy.Settings> = {}) =>
  Either.try(
    () => new Policy.Policy({ ...Policy.presets[preset], ...change, preset, custom: false, version: 1, updatedAt })
  )

describe("policies", () => {
  it.each(Policy.Preset.literals)("the preset %s is a sound policy that asks within 72 hours", (preset) => {
    const policy = Either.getOrThrow(make(preset))
    assert.include(policy.deniedPaths, ".kanman/acceptance/**")
    assert.deepStrictEqual([policy.gateFailureBudget, policy.decisionHours], [2, 72])
    assert.isFalse(Policy.departs(preset, Policy.presets[preset]))
  })

  it("the acceptance folder can never leave the denied paths", () =>
    assert.isTrue(Either.isLeft(make("standard", { deniedPaths: ["src/**"] }))))

  it("the acceptance spec can be turned off only on trial", () => {
    for (const preset of Policy.Preset.literals)
      assert.strictEqual(Either.isRight(make(preset, { acceptanceSpecRequired: false })), preset === "trial")
  })

  it("a single setting that departs makes a policy custom", () => {
    const { budgets } = Policy.presets.standard
    const departures: ReadonlyArray<Partial<Policy.Settings>> = [
      { executor: "codex" },
      { maxConcurrency: 9 },
      { budgets: { ...budgets, dayCents: null } },
      { planApproval: "never" },
      { mergePolicy: "manual" },
      { deniedPaths: [Policy.acceptanceFolder, "infra/**"] },
      { gateFailureBudget: 0 },
      { mergeMaxLines: 1 },
      { decisionHours: 1 }
    ]
    for (const departure of departures)
      assert.isTrue(Policy.departs("standard", { ...Policy.presets.standard, ...departure }), JSON.stringify(departure))
  })
})
