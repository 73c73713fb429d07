import { assert, it } from "vitest"
import type { BindingId } from "../../../domain/tracker/Binding.ts"
import { bodyOf, runComment } from "../../../domain/tracker/IssueTexts.ts"
import { withoutMarker } from "../../../domain/tracker/MirroredIssue.ts"
import { readIssue } from "../../../domain/tracker/ReadIssue.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { DecisionKey } from "../../../domain/work/Decision.ts"
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

const parts = {
  acceptanceCriteria: [{ text: "Fees" }, { text: "Taxes" }],
  demonstrate: ["Pay", "Refund"],
  testPlan: "By hand"
}

it.each([
  [
    "all parts",
    parts,
    "## Acceptance criteria\n\n- [ ] Fees\n- [ ] Taxes\n\n## Demonstrate\n\n1. Pay\n2. Refund\n\n## Test plan\n\nBy hand\n\n"
  ],
  ["a description alone", { description: "Why" }, "Why\n\n"],
  ["steps alone", { description: null, demonstrate: ["Pay"] }, "## Demonstrate\n\n1. Pay\n\n"],
  ["nothing", {}, ""]
])("a body with %s has one section for each", (_, more, text) => {
  assert.strictEqual(bodyOf({ ...draft, ...more }), `${text}<!-- gatehouse:story:${id} -->`)
})

const comment = (more: Partial<Parameters<typeof runComment>[0]>, plan: string | null = null) =>
  runComment(
    { key: "run-7f3k" as RunKey, status: "running", attempts: 1, pullRequest: null, decisions: [], ...more },
    { binding: id as BindingId, plan, pages: "https://x.test/acme" }
  )
const link = "[run-7f3k](https://x.test/acme/runs/run-7f3k)"
const decisions = [
  { key: "dec-2" as DecisionKey, kind: "merge_approval", status: "pending" },
  { key: "dec-1" as DecisionKey, kind: "budget_stop", status: "resolved" }
] as const
const listed = [
  "Decisions:\n\n- [dec-1](https://x.test/acme/decisions/dec-1) budget stop: resolved",
  "- [dec-2](https://x.test/acme/decisions/dec-2) merge approval: pending"
].join("\n")
const plan = (fence: string, text: string) =>
  `<details><summary>Plan</summary>\n\n${fence}\n${text}\n${fence}\n\n</details>`

it.each([
  ["of the first attempt", {}, null, [`${link} works on this issue.`]],
  ["of a later attempt", { attempts: 2, status: "failed" }, null, [`${link}, attempt 2 failed.`]],
  ["with decisions, the oldest first", { decisions }, null, [`${link} works on this issue.`, listed]],
  ["with a plan as code", {}, " Ask @ceo\n", [`${link} works on this issue.`, plan("```", "Ask @ceo")]],
  [
    "with a plan that holds code",
    {},
    "a `` b ```` c `",
    [`${link} works on this issue.`, plan("`````", "a `` b ```` c `")]
  ],
  ["with an empty plan", {}, " \n", [`${link} works on this issue.`]],
  [
    "with an address that is none",
    { pullRequest: { url: "x", number: 1 } },
    null,
    [`${link} works on this issue.`, "Pull request: [#1]()"]
  ]
] as const)("the comment on a run %s", (_, more, planned, expected) => {
  assert.strictEqual(comment(more, planned), [...expected, `<!-- gatehouse:run:${id}:run-7f3k -->`].join("\n\n"))
})
