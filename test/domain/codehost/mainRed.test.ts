import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { healthOf } from "../../../domain/codehost/BranchHealth.ts"
import { judge, type MainBranch } from "../../../domain/codehost/MainRed.ts"
import type { DecisionKey } from "../../../domain/work/Decision.ts"
import { byService } from "../../../domain/workspace/Actor.ts"
import { commit, number } from "../../codehost/Pulls.ts"
import { recorded, success } from "../Outcome.ts"
import * as Sample from "../Sample.ts"

const failed = { name: "test", outcome: "failed", at: 1, url: "https://ci.test/1" } as const
const red = healthOf([failed])
const green = healthOf([{ ...failed, outcome: "passed" }])

const ours = { number: number(7), title: "Round the fees", reverts: null, runKey: null }

const culprit = { commit: commit("c"), broken: [failed], merged: ours, isRevert: false }

const main = (more: Partial<MainBranch> = {}): MainBranch => ({
  repository: "acme/pay",
  branch: "main",
  health: red,
  culprit,
  reported: null,
  ...more
})

const team = { run: null, story: null }
const judged = (more: Partial<MainBranch>, pending: ReturnType<typeof Sample.raising>["pending"] = []) =>
  judge(byService, main(more))(Sample.raising({ ...team, pending }))

const kinds = (more: Partial<MainBranch>, pending: ReturnType<typeof Sample.raising>["pending"] = []) =>
  (success(judged(more, pending)).change.added?.decisions ?? []).map(({ kind }) => kind)

const isUnchanged = (of: ReturnType<typeof judged>) => Either.isLeft(of) && of.left._tag === "Unchanged"

describe("a red main branch", () => {
  it("raises an incident and proposes the revert of our merge that broke it, with the evidence", () => {
    const { change, result } = success(judged({}))
    const [incident, revert] = change.added?.decisions ?? []
    assert.strictEqual(result, culprit.commit)
    assert.deepInclude(incident, { kind: "main_red_incident", subject: culprit.commit, runKey: null, story: null })
    assert.deepInclude(revert, { kind: "revert_approval", subject: culprit.commit, recommendation: "open_revert" })
    assert.include(incident?.body, `Checks fail on \`main\` of acme/pay since ${culprit.commit}`)
    for (const one of [incident, revert]) assert.include(one?.body, "- [test](https://ci.test/1) failed")
    assert.include(revert?.body, "Round the fees was merged as")
    assert.strictEqual(revert?.title, "A merge broke the main branch. Revert #7?")
    assert.strictEqual(recorded(change).length, 2)
    assert.deepStrictEqual([incident?.expiresAt ?? null, revert?.expiresAt === null], [null, false])
  })

  it.each<readonly [string, Partial<NonNullable<MainBranch["culprit"]>>]>([
    ["nobody's merge", { merged: null }],
    ["a merge of ours that reverts another", { merged: { ...ours, reverts: number(3) } }],
    ["a commit that reverts another", { isRevert: true }],
    ["a commit whose parent was as red", { broken: [] }]
  ])("raises an incident alone for %s", (_, more) => {
    assert.deepStrictEqual(kinds({ culprit: { ...culprit, ...more } }), ["main_red_incident"])
  })

  it("is reported once", () => {
    assert.isTrue(isUnchanged(judged({ reported: culprit.commit })))
    const incident = Sample.decision("main_red_incident", "open_revert", { subject: culprit.commit, runKey: null })
    assert.deepStrictEqual(kinds({}, [incident]), ["revert_approval"])
    const revert = Sample.decision("revert_approval", "open_revert", { subject: culprit.commit, runKey: null })
    assert.isTrue(isUnchanged(judged({}, [incident, revert])))
  })

  it("is reported again when another commit broke it", () => {
    assert.deepStrictEqual(kinds({ reported: commit("d") }), ["main_red_incident", "revert_approval"])
    const about = { subject: commit("d"), runKey: null }
    const incident = Sample.decision("main_red_incident", "open_revert", about)
    const { change } = success(judged({ reported: commit("d") }, [incident]))
    assert.deepStrictEqual(
      change.changed?.decisions?.map(({ key, status }) => `${key} ${status}`),
      ["dec-aaaa superseded"]
    )
    assert.include(String(change.audit.at(-1)?.details["reason"]), `is red since ${culprit.commit} now`)
  })

  it("waits while checks run or nothing is known", () => {
    for (const outcome of ["pending", "ignored"] as const)
      assert.isTrue(isUnchanged(judged({ health: healthOf([{ ...failed, outcome }]), reported: culprit.commit })))
    assert.isTrue(isUnchanged(judged({ culprit: null })))
  })
})

describe("a main branch that is green again", () => {
  const incident = Sample.decision("main_red_incident", "open_revert", { subject: culprit.commit, runKey: null })
  const revert = Sample.decision("revert_approval", "open_revert", {
    key: "dec-cccc" as DecisionKey,
    subject: culprit.commit,
    runKey: null
  })
  const other = Sample.decision("main_red_incident", "open_revert", { key: "dec-dddd" as DecisionKey, runKey: null })

  it("closes the decisions about its culprit alone", () => {
    const pending = [incident, revert, other, Sample.another]
    const { change, result } = success(judged({ health: green, reported: culprit.commit }, pending))
    assert.isNull(result)
    assert.deepStrictEqual(
      change.changed?.decisions?.map(({ key, status }) => `${key} ${status}`),
      ["dec-aaaa superseded", "dec-cccc superseded"]
    )
    assert.deepStrictEqual(change.audit[0].details["reason"], "`main` of acme/pay is green again")
  })

  it("has nothing to close when nothing was reported, or people answered", () => {
    assert.isTrue(isUnchanged(judged({ health: green }, [incident])))
    assert.isTrue(isUnchanged(judged({ health: green, reported: culprit.commit }, [other])))
  })
})
