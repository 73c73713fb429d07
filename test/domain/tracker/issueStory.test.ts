import { DateTime } from "effect"
import { assert, describe, it } from "vitest"
import { fingerprintOf, textOf, titleOf, writtenText } from "../../../domain/tracker/IssueStory.ts"
import { usualMapping } from "../../../domain/tracker/Mapping.ts"
import { markedStory, storyMarker, withoutMarker } from "../../../domain/tracker/MirroredIssue.ts"
import * as Sample from "../Sample.ts"
import { issue } from "./MirrorScene.ts"

const full = "Why\n\n## Acceptance criteria\n\n- Fees\n- Taxes\n\n## Demonstrate\n\n1. Pay\n\n## Test plan\n\nBy hand"
const known = {
  acceptanceCriteria: [
    { id: "ac-1", text: "Old", status: "failed" },
    { id: "ac-2", text: "Taxes", status: "passed" }
  ],
  demonstrate: ["Show"],
  testPlan: "None"
} as const
const all = ["acceptanceCriteria", "demonstrate", "testPlan"] as const

const written = (body: string, before: ReadonlyArray<(typeof all)[number]> = []) => {
  const { stated, text } = writtenText({ ...issue, body }, known, before)
  const { acceptanceCriteria, demonstrate, readinessScore, testPlan } = text
  const criteria = acceptanceCriteria.map(({ id, status, text }) => `${id} ${text} ${status}`)
  return { parts: [criteria, demonstrate, testPlan], stated, readinessScore }
}

describe("the parts of a story", () => {
  const kept = [["ac-1 Old failed", "ac-2 Taxes passed"], ["Show"], "None"]
  const read = [["ac-1 Fees pending", "ac-2 Taxes passed"], ["Pay"], "By hand"]
  it.each([
    ["that an issue states are taken, and criteria keep their state", full, [], read, all, 100],
    ["that an issue never stated stay", "Why", [], kept, [], 100],
    ["that an issue states no more are empty", "Why", all, [[], [], null], [], 40],
    [
      "are taken one by one: criteria",
      "## Acceptance criteria\n\n- Taxes",
      [],
      [["ac-1 Taxes passed"], ["Show"], "None"],
      ["acceptanceCriteria"],
      60
    ],
    [
      "are taken one by one: steps",
      "## Demonstrate\n\n1. Pay",
      ["testPlan"],
      [kept[0], ["Pay"], null],
      ["demonstrate"],
      60
    ],
    [
      "are taken one by one: the plan",
      "## Test plan\n\nBy hand",
      ["demonstrate"],
      [kept[0], [], "By hand"],
      ["testPlan"],
      30
    ]
  ] as const)("%s", (_, body, before, parts, stated, readinessScore) => {
    assert.deepStrictEqual<unknown>(written(body, before), { parts, stated, readinessScore })
  })

  it("leave the marker of the service out", () => {
    const body = `Why\n\n${storyMarker(Sample.story().id)}`
    assert.strictEqual(writtenText({ ...issue, body }, known, []).text.description, "Why")
    assert.deepStrictEqual([titleOf(issue), titleOf({ ...issue, title: " " })], [issue.title, issue.key])
  })
})

describe("a snapshot with another", () => {
  const first = { ...issue, labels: ["a", "b"], status: "Ready", statusSince: Sample.before }
  const nameOf = (more: object) => fingerprintOf(usualMapping, { ...first, ...more })
  it.each([
    ["title", { title: "Taxes" }, true, true],
    ["body", { body: "How" }, true, true],
    ["key", { key: "acme/pay#8" }, true, false],
    ["address", { url: "https://github.com/acme/pay/issues/8" }, true, false],
    ["state", { closed: "completed" }, true, false],
    ["set of labels", { labels: ["a"] }, true, false],
    ["status", { status: "Done" }, true, false],
    ["time of its status", { statusSince: Sample.now }, true, false],
    ["unknown time of its status", { statusSince: null }, true, false],
    ["order of labels", { labels: ["b", "a"] }, false, false],
    ["time", { updatedAt: DateTime.add(Sample.now, { days: 1 }) }, false, false]
  ])("%s is another one or the same, and so is its text", (_, more, isOther, isOtherText) => {
    assert.strictEqual(nameOf(more) !== nameOf({}), isOther)
    assert.strictEqual(textOf({ ...first, ...more }) !== textOf(first), isOtherText)
  })

  it("mapping is another", () =>
    assert.notStrictEqual(fingerprintOf({ ...usualMapping, only: "x" }, first), nameOf({})))
})

describe("the marker of a story", () => {
  const [one, other] = ["1", "2"].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`) as [string, string]
  it.each([
    ["an issue of a person", "Why", null, "Why"],
    ["an issue that the service wrote", `Why\n\n${storyMarker(one)}\n`, one, "Why"],
    ["two markers: the last one counts", `${storyMarker(one)} Why ${storyMarker(other)}`, other, " Why"],
    ["a marker with other spaces", `Why <!--gatehouse:story:${one}-->`, one, "Why"],
    ["a marker of no story", "Why <!-- gatehouse:story:7 -->", null, "Why <!-- gatehouse:story:7 -->"]
  ])("%s", (_, body, story, text) => {
    assert.deepStrictEqual([markedStory(body), withoutMarker(body)], [story, text])
  })
})
