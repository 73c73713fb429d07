import { assert, describe, it } from "vitest"
import { type Action, actions, type Kind } from "../../../domain/work/Decision.ts"
import { preview, previewExpiry } from "../../../domain/work/ResolveDecision.ts"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import * as Sample from "../Sample.ts"

const offered = Object.entries(actions).flatMap(([kind, all]) => all.map((action) => [kind as Kind, action] as const))

const asked = (kind: Kind, action: Action) => {
  const decision = Sample.decision(kind, action)
  return { ...Sample.matter(decision), pending: [decision], story: Sample.story("ready") }
}

describe("what an option will do", () => {
  it.each(offered)("%s: %s does what it said, step by step", (kind, action) => {
    const at = asked(kind, action)
    const said = preview(Sample.ana, at).find(({ option }) => option.action === action)?.steps ?? []
    const done = Sample.answered(at).effects
    assert.deepStrictEqual(
      said.map(({ ref, status, type }) => [type, status, ref]),
      done.map(({ ref, status, type }) => [type, status, ref])
    )
    const words = done.map(({ summary }) =>
      summary.replace(` as ${at.fresh.storyKey}`, "").replace(at.fresh.run, "a new run")
    )
    assert.deepStrictEqual(
      said.map(({ summary }) => summary),
      words
    )
    for (const { summary } of said) assert.notMatch(summary, new RegExp(`${at.fresh.storyKey}|${at.fresh.run}`))
  })

  it("and what happens if nobody answers", () => {
    const at = asked("plan_approval", "approve_plan")
    assert.deepStrictEqual(previewExpiry(bySystem, at), ["run-aaaa ends as timed out", "PAY-1 stays in Ready"])
    assert.deepStrictEqual(previewExpiry(bySystem, { ...at, run: null, story: null }), [])
  })
})
