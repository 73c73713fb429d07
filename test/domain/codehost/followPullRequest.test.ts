import { assert, describe, it } from "@effect/vitest"
import { ask, blockedAsk, closed, merged, movedAsk } from "../../../domain/codehost/FollowPullRequest.ts"
import { CommitId, type PullRequestNumber, type PullRequestRecord } from "../../../domain/codehost/PullRequestRecord.ts"
import type { RunContext } from "../../../domain/work/RunContext.ts"
import type { Run } from "../../../domain/work/Run.ts"
import { recorded, refusal, success } from "../Outcome.ts"
import * as Sample from "../Sample.ts"

const { ana, now } = Sample
const hostUrl = "https://github.com/acme/pay/pull/12"
const commit = (digit: string) => CommitId.make(digit.repeat(40))
const record = { number: 3, hostNumber: 12, hostUrl, head: commit("a") } as unknown as PullRequestRecord

/** A run whose pull request waits for a person. */
const at = (run: Run = Sample.run("waiting", "handing_off"), more: Partial<RunContext> = {}): RunContext => ({
  ...Sample.raising({ story: Sample.story("review"), pending: [Sample.another] }),
  run,
  story: Sample.story("review"),
  mergeHold: null,
  freshJob: Sample.fresh.job,
  undelivered: [],
  ...more
})

describe("a pull request that somebody ends on its host", () => {
  it("by a merge makes its run a success and its questions moot", () => {
    const { change, result } = success(merged(ana)(at()))
    assert.deepInclude(result.run.latest, { status: "succeeded", stage: "done", completedAt: now })
    assert.deepStrictEqual([result.run.mergedAt, result.story.column.role], [now, "done"])
    assert.deepStrictEqual([change.changed?.runs, change.changed?.stories], [[result.run], [result.story]])
    assert.deepStrictEqual([result.raised, result.mergeHold], [[], null])
    assert.deepStrictEqual(
      change.changed?.decisions?.map(({ key, status }) => [key, status]),
      [[Sample.another.key, "cancelled"]]
    )
    assert.deepStrictEqual(recorded(change), [
      "run_state_changed run run-aaaa",
      "story_moved story Refund in part",
      "decision_cancelled decision Which way?"
    ])
  })

  it("by closing it stops its run and returns its story with the reason", () => {
    const { change, result } = success(closed(ana, record)(at()))
    const reason = `${hostUrl} was closed without a merge.`
    assert.deepInclude(result.run.latest, { status: "stopped", failureClass: "policy", error: reason })
    assert.deepInclude<object>(result.story, { returnNote: reason, updatedAt: now })
    assert.strictEqual(result.story.column.role, "backlog")
    assert.strictEqual(change.changed?.decisions?.[0]?.status, "cancelled")
  })
})

describe("a run", () => {
  const decisions = [merged(ana), closed(ana, record), ask(ana, blockedAsk(record, "Two reviews."))] as const
  it.each([
    ["waiting", "handing_off", null],
    ["running", "handing_off", null],
    ["waiting", "done", null],
    ["waiting", "verifying", "RunOver"],
    ["running", "implementing", "RunOver"],
    ["succeeded", "done", "RunOver"],
    ["stopped", "handing_off", "RunOver"]
  ] as const)("that is %s at %s follows its pull request, unless refused: %s", (status, stage, expected) => {
    for (const decide of decisions)
      assert.strictEqual(refusal<unknown, never, { _tag: string }>(decide(at(Sample.run(status, stage)))), expected)
  })
})

describe("a question about a merge", () => {
  it("after a push names both commits, and asks for changes", () => {
    const asked = movedAsk(record, commit("b"))
    assert.deepInclude(asked, { kind: "merge_approval", recommendation: "request_changes", subject: null })
    assert.include(asked.title, "#12 at a commit that was not verified")
    for (const part of [hostUrl, commit("a"), commit("b")]) assert.include(asked.body, part)
    assert.include(movedAsk({ ...record, hostNumber: null } as PullRequestRecord, commit("b")).title, "#3")
  })

  it("that a rule refused names the rule, and is raised", () => {
    const asked = blockedAsk(record, "Two reviews are needed.")
    assert.include(blockedAsk({ ...record, hostNumber: null as PullRequestNumber | null } as never, "").title, "#3")
    const { change, result } = success(ask(ana, asked)(at(Sample.run("running", "handing_off"), { pending: [] })))
    assert.deepInclude(result, { kind: "merge_approval", recommendation: "merge", authority: "member" })
    assert.include(result.title, "A rule keeps pull request #12")
    for (const part of [hostUrl, "Two reviews are needed."]) assert.include(result.body, part)
    assert.deepStrictEqual(change.added?.decisions, [result])
  })
})
