import {
  askedBefore,
  concluded,
  findings,
  type Given,
  has,
  incident,
  key,
  pullRequest,
  suspect
} from "./FindingScene.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { type Decision, proposals } from "../../../domain/work/Decision.ts"
import type { Finding } from "../../../domain/oncall/Investigation.ts"
import * as Sample from "../Sample.ts"

describe("what people are asked", () => {
  const decisionOf = (finding: Finding, more: Given = {}): Decision => {
    const [decision, ...others] = concluded(finding, more).added?.decisions ?? []
    assert.deepStrictEqual(others, [])
    return decision ?? assert.fail("nothing is asked")
  }

  it("is whether to take the merge back, which nobody but a person may say", () => {
    const decision = decisionOf(findings.suspect, { settings: { startFixes: true } })
    has(decision, {
      kind: "revert_approval",
      status: "pending",
      authority: "member",
      title: "inc-aaaa likely comes from a merge. Revert it?",
      body: findings.suspect.summary,
      team: "payments",
      story: null,
      runKey: null,
      recommendation: "open_revert",
      createdAt: Sample.now
    })
    assert.isTrue(DateTime.greaterThan(decision.expiresAt ?? Sample.before, Sample.now))
  })

  it("names the run when the merge had no pull request", () => {
    const bare = { ...findings.suspect, suspect: { ...suspect, pullRequest: null } }
    assert.strictEqual(decisionOf(bare).subject, "run-bbbb of PAY-3")
  })

  it("is whether to start a fix, or to leave it", () => {
    const decision = decisionOf(findings.code)
    assert.include(proposals, decision.kind)
    has(decision, { title: "Fix inc-aaaa: cpu is wrong", subject: key, authority: "member" })
    assert.deepStrictEqual(
      decision.options.map(({ action, id, recommended }) => [id, action, recommended]),
      [
        ["accept_proposal", "accept_proposal", true],
        ["decline_proposal", "decline_proposal", false]
      ]
    )
  })

  it("is asked anew when another kind or another merge is pending", () => {
    const others = [
      Sample.decision("revert_approval", "open_revert", { subject: "https://git.acme.test/pull/6" }),
      Sample.decision("merge_approval", "merge", { subject: pullRequest.url }),
      Sample.decision("revert_approval", "open_revert", { subject: null })
    ]
    const decision = decisionOf(findings.suspect, { pending: others })
    assert.strictEqual(decision.key, "dec-0001")
  })

  it("takes the place of nothing that people were asked before", () => {
    const { changed } = concluded(findings.suspect, { pending: [Sample.another, askedBefore] })
    assert.deepStrictEqual(Object.keys(changed ?? {}).toSorted(), ["incidents", "jobs"])
  })

  it.each([
    ["long", "x".repeat(500)],
    ["long and of characters that take two places", `x${"🔥".repeat(499)}`],
    ["long and of other such characters", `xx${"🔥".repeat(498)}`]
  ])("and the fix it is about have a title, though that of the incident is %s", (_, title) => {
    const long = incident({ title })
    assert.isAtMost(decisionOf(findings.code, { incident: long }).title.length, 500)
    const [story] = concluded(findings.code, { incident: long, settings: { startFixes: true } }).added?.stories ?? []
    assert.isAtMost(story?.title.length ?? Infinity, 500)
    assert.notMatch(story?.title ?? "", /\p{Surrogate}/u)
  })

  it("names a merge whatever the length of its address", () => {
    const url = `https://git.acme.test/pull/${"7".repeat(1900)}`
    const long = { ...findings.suspect, suspect: { ...suspect, pullRequest: { url, number: 7 } } }
    assert.strictEqual(decisionOf(long).kind, "revert_approval")
  })
})

describe("a fix that is started", () => {
  it("is a story that says what was found, and a run of the team's kind", () => {
    const { added } = concluded(findings.code, { settings: { startFixes: true } })
    has(added?.stories?.[0], {
      key: "PAY-77",
      title: "Fix inc-aaaa: cpu is wrong",
      description: findings.code.summary,
      team: "payments",
      draft: false,
      classOfService: "expedite",
      returnNote: null,
      createdAt: Sample.now
    })
    const [run] = added?.runs ?? []
    has(run, { key: "run-7777", story: "PAY-77", team: "payments", mergedAt: null })
    assert.strictEqual(run?.latest.status, "queued")
  })
})
