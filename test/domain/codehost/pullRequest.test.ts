import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either, Schema } from "effect"
import * as ChangePullRequest from "../../../domain/codehost/ChangePullRequest.ts"
import {
  BranchName,
  CommitId,
  PullRequestNotFound,
  PullRequestNumber,
  type PullRequestRecord
} from "../../../domain/codehost/PullRequestRecord.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { StoryKey } from "../../../domain/work/Story.ts"
import { byService } from "../../../domain/workspace/Actor.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import type { WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"

const isBranch = Schema.is(BranchName)

describe("names", () => {
  it.each(["main", "gatehouse/PAY-1-run-7f3k", "release/1.0", "revert-7", "a", "ünder"])("%s is a branch", (name) => {
    assert.isTrue(isBranch(name))
  })

  it.each([
    "",
    "-main",
    "--force",
    "/main",
    "main/",
    ".main",
    "a/.b",
    "a/-b",
    "a..b",
    "a//b",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "a?",
    "a*",
    "a[b",
    "a\\b",
    "@",
    "@{-1}",
    "a@{1}",
    "main.",
    "main.lock",
    "a.lock/b",
    "a\nb",
    "a\0b",
    "a\u007fb",
    "x".repeat(251)
  ])("%j is none", (name) => {
    assert.isFalse(isBranch(name))
  })

  it.each([
    ["0123456789".repeat(4), true],
    ["0123456789abcdef".repeat(4), true],
    ["0123456789".repeat(3), false],
    ["ABCDEF0123".repeat(4), false],
    [`-${"0".repeat(39)}`, false],
    ["main", false]
  ])("%s is a commit: %s", (id, expected) => {
    assert.strictEqual(Schema.is(CommitId)(id), expected)
  })
})

const commit = (digit: string) => CommitId.make(digit.repeat(40))
const now = DateTime.unsafeMake("2026-02-03T04:05:06.000Z")
const slug = "acme" as WorkspaceSlug
const next = PullRequestNumber.make(5)

const proposal: ChangePullRequest.Proposal = {
  team: "payments" as TeamSlug,
  repository: "/srv/git/pay.git",
  branch: BranchName.make("gatehouse/PAY-1-run-7f3k"),
  base: BranchName.make("main"),
  head: commit("a"),
  title: "Round the fees",
  runKey: "run-7f3k" as RunKey,
  story: "PAY-1" as StoryKey,
  reverts: null
}

const opened = (newest: PullRequestRecord | null, more: Partial<ChangePullRequest.Proposal> = {}) =>
  ChangePullRequest.open(byService, { ...proposal, ...more })({ now, slug, newest, next })

const made = (newest: PullRequestRecord | null = null, more: Partial<ChangePullRequest.Proposal> = {}) => {
  const { answer, change } = Either.getOrThrow(opened(newest, more))
  return { change, record: Either.getOrThrow(answer).record }
}

/** The pull request after that, in another state. */
const inState = (record: PullRequestRecord, state: "merged" | "closed") => {
  const decide =
    state === "merged" ? ChangePullRequest.merge(byService, commit("f")) : ChangePullRequest.close(byService)
  const { answer, change } = Either.getOrThrow(decide({ now, record }))
  return { change, record: Either.getOrThrow(answer) }
}

describe("a pull request", () => {
  it("is opened with the next number, and recorded with its run", () => {
    const { change, record } = made()
    assert.deepInclude<object>(record, { ...proposal, number: next, state: "open", mergeCommit: null, mergedAt: null })
    assert.deepStrictEqual([change.added?.pullRequests, change.changed], [[record], undefined])
    const [fact] = change.audit
    assert.deepInclude<object>(fact, { event: "run_state_changed", runKey: "run-7f3k", team: "payments" })
    assert.deepStrictEqual(fact.entity, { type: "run", id: "run-7f3k", name: "run-7f3k" })
    const { base, branch, head, repository } = proposal
    const details = { number: 5, state: "open", repository, branch, base, head }
    assert.deepStrictEqual(fact.details["pullRequest"], details)
  })

  it("is found again, and moves with its branch", () => {
    const { record } = made()
    assert.deepStrictEqual(Either.getOrThrow(Either.flip(opened(record))), { record, slug })
    const moved = made(record, { head: commit("b"), title: "Round all fees" })
    assert.deepStrictEqual(moved.change.changed?.pullRequests, [moved.record])
    assert.deepInclude<object>(moved.record, { number: 5, head: commit("b"), title: "Round all fees" })
    assert.deepInclude<object>(made(record, { base: BranchName.make("next") }).record, { number: 5, base: "next" })
    assert.deepInclude<object>(made(record, { title: "Other" }).record, { number: 5, title: "Other" })
  })

  it("of a branch whose last one was merged or closed is a new one, unless it is the merged one again", () => {
    const before = { ...made().record, number: PullRequestNumber.make(2) } as PullRequestRecord
    const merged = inState(before, "merged").record
    assert.strictEqual(Either.getOrThrow(Either.flip(opened(merged, { title: "Other" }))).record, merged)
    assert.strictEqual(made(merged, { head: commit("b") }).record.number, 5)
    assert.strictEqual(made(inState(before, "closed").record).record.number, 5)
  })

  it("is merged or closed once", () => {
    const { record } = made()
    const merged = inState(record, "merged")
    assert.deepInclude<object>(merged.record, {
      state: "merged",
      mergeCommit: commit("f"),
      mergedAt: now,
      updatedAt: now
    })
    assert.deepInclude(Object(merged.change.audit[0].details["pullRequest"]), {
      state: "merged",
      mergeCommit: commit("f")
    })
    const closed = inState(record, "closed")
    assert.deepInclude<object>(closed.record, { state: "closed", mergeCommit: null, mergedAt: null })
    for (const { record: over } of [merged, closed])
      for (const decide of [ChangePullRequest.merge(byService, commit("e")), ChangePullRequest.close(byService)])
        assert.strictEqual(Either.getOrThrow(Either.flip(decide({ now, record: over }))), over)
  })

  it("without a run is recorded with its team; a revert names what it reverts", () => {
    const { change } = made(null, { runKey: null, reverts: PullRequestNumber.make(3) })
    const [fact] = change.audit
    assert.deepInclude<object>(fact, { event: "team_changed", runKey: null, team: "payments" })
    assert.deepInclude(Object(fact.details["pullRequest"]), { reverts: 3 })
  })

  it("that is not there is named", () => {
    assert.include(new PullRequestNotFound({ number: "9" }).message, "'9'")
  })
})
