import { assert, it } from "vitest"
import type { BindingId } from "../../../domain/tracker/Binding.ts"
import { bodyOf, runComment } from "../../../domain/tracker/IssueTexts.ts"
import { withoutMarker } from "../../../domain/tracker/MirroredIssue.ts"
import { readIssue } from "../../../domain/tracker/ReadIssue.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { StoryId } from "../../../domain/work/Story.ts"

const id = "00000000-0000-4000-8000-000000000001"

const commentWith = (url: string) =>
  runComment(
    { key: "RUN-1" as RunKey, status: "running", attempts: 1, pullRequest: { url, number: 1 }, decisions: [] },
    { binding: id as BindingId, plan: null, pages: "https://gatehouse.test/acme" }
  )

it.each([
  ["https://x.test/acme/pay/pull/1", "https://x.test/acme/pay/pull/1"],
  [
    "https://x.test/1) @acme/all ![p](https://evil.test/p",
    "https://x.test/1%29%20@acme/all%20![p]%28https://evil.test/p"
  ],
  ["https://x.test/1?a=<b>`c`\\", "https://x.test/1?a=%3Cb%3E%60c%60%5C"]
])("the address %s stays one link", (url, shown) => {
  assert.include(commentWith(url), `\n\nPull request: [#1](${shown})\n\n`)
})

const draft = { id: id as StoryId, description: "", acceptanceCriteria: [], demonstrate: [], testPlan: null }

it("a draft mentions nobody, and is read back as it was", () => {
  const description = "Ask @acme/everyone, (@ceo) or me@acme.test."
  const body = bodyOf({ ...draft, description, acceptanceCriteria: [{ text: "@ceo agrees" }] })
  assert.deepStrictEqual(body.match(/@\w+/g), ["@acme"])
  const read = readIssue(withoutMarker(body))
  assert.deepStrictEqual([read.description, read.acceptanceCriteria], [description, ["@ceo agrees"]])
})

it("a body is no longer than GitHub takes, and ends with its marker", () => {
  const body = bodyOf({ ...draft, description: "x".repeat(100_000) })
  assert.isAtMost(body.length, 65_536)
  assert.match(body, /…\n\n<!-- gatehouse:story:[-0-9a-f]{36} -->$/)
})
