import { assert, describe, it } from "@effect/vitest"
import { judgeMergeability, type Mergeability, readMergeAnswer } from "../../../domain/codehost/MergeAnswer.ts"

const commit = "0123456789".repeat(4)

describe("the answer to a merge", () => {
  const rows: ReadonlyArray<readonly [status: number, message: string, type: string, wait?: number]> = [
    [200, "Pull Request successfully merged", "merged"],
    [409, "Head branch was modified. Review and try the merge again.", "moved"],
    [409, "Conflict", "again"],
    [405, "Base branch was modified. Review and try the merge again.", "again"],
    [405, "Merge already in progress", "again"],
    [405, 'Required status check "ci" is expected.', "again"],
    [405, "2 of 3 required status checks are pending.", "again"],
    [405, "Pull Request is not mergeable", "look"],
    [405, "Head branch is out of date", "look"],
    [405, "This branch is out-of-date with the base branch.", "look"],
    [405, "Head branch was modified. Review and try the merge again.", "look"],
    [405, "", "look"],
    [405, 'Required status check "ci" is failing.', "blocked"],
    [405, "At least 1 approving review is required by reviewers with write access.", "blocked"],
    [405, "Repository rule violations found\n\nChanges must be made through the merge queue", "queue"],
    [403, "Changes must be made through the merge queue", "queue"],
    [403, "Repository was archived so is read-only.", "blocked"],
    [301, "Moved Permanently", "again"],
    [307, "Temporary Redirect", "again"],
    [405, 'Changes must be made through the merge queue. Required status check "ci" is expected.', "again"],
    [405, "Merge commits are not allowed on this repository.", "blocked"],
    [405, "Commits must have valid signatures.", "blocked"],
    [405, "Pull Request is still a draft", "blocked"],
    [403, "You're not authorized to push to this branch.", "blocked"],
    [403, "Resource not accessible by integration", "again"],
    [403, "You have exceeded a secondary rate limit.", "again"],
    [403, "Wait", "again", 60],
    [429, "Too many requests", "again", 7],
    [401, "Bad credentials", "again"],
    [404, "Not Found", "again"],
    [408, "", "again"],
    [500, "Server Error", "again"],
    [502, "<html>", "again"],
    [503, "", "again"],
    [0, "", "again"],
    [422, "Validation Failed", "refused"],
    [422, "The head sha was not found", "moved"],
    [410, "Gone", "refused"]
  ]

  it.each(rows.map(([status, message, type, wait = null]) => ({ status, message, type, wait })))(
    "$status $message is $type",
    ({ message, status, type, wait: waitSeconds }) => {
      const verdict = readMergeAnswer({
        status,
        message,
        commit: status === 200 ? commit : null,
        waitSeconds
      })
      assert.strictEqual(verdict.type, type)
      if (verdict.type === "merged") assert.strictEqual(verdict.commit, commit)
      if (verdict.type === "again") assert.strictEqual(verdict.waitSeconds, waitSeconds)
      if (verdict.type === "blocked") assert.strictEqual(verdict.rule, message.replace(/\s+/g, " "))
      if (verdict.type === "look" || verdict.type === "refused" || verdict.type === "again")
        assert.include([message, `The answer was ${status}.`], verdict.reason)
    }
  )

  it("without a commit is looked at", () => {
    const answer = { status: 200, message: "", commit: null, waitSeconds: null }
    assert.deepStrictEqual(readMergeAnswer(answer), { type: "look", reason: "The answer names no commit." })
  })
})

describe("a pull request that was looked at", () => {
  const open: Mergeability = {
    isMerged: false,
    mergeCommit: commit,
    isClosed: false,
    isHeadVerified: true,
    mergeable: true,
    word: "clean"
  }

  it.each<readonly [seen: Partial<Mergeability>, type: string]>([
    [{}, "again"],
    [{ isMerged: true, isClosed: true, isHeadVerified: false }, "merged"],
    [{ isMerged: true, mergeCommit: null }, "again"],
    [{ isClosed: true }, "refused"],
    [{ isHeadVerified: false, word: "dirty" }, "moved"],
    [{ mergeable: null, word: "unknown" }, "again"],
    [{ mergeable: false, word: "dirty" }, "conflict"],
    [{ mergeable: false, word: "unknown" }, "conflict"],
    [{ word: "draft" }, "blocked"],
    [{ word: "behind" }, "blocked"],
    [{ word: "blocked" }, "blocked"],
    [{ word: "unstable" }, "again"],
    [{ word: "has_hooks" }, "again"]
  ])("%j is %s", (seen, type) => {
    const verdict = judgeMergeability({ ...open, ...seen }, "It said no.")
    assert.strictEqual(verdict.type, type)
    if (verdict.type === "again")
      assert.deepStrictEqual(verdict, { type: "again", reason: "It said no.", waitSeconds: null })
    if (verdict.type === "blocked")
      assert.strictEqual(
        verdict.rule,
        {
          draft: "The pull request is a draft.",
          behind: "The branch must contain the newest commit of its base before it is merged."
        }[seen.word ?? ""] ?? "It said no."
      )
    if (verdict.type === "refused") assert.strictEqual(verdict.reason, "The pull request is closed.")
  })
})
