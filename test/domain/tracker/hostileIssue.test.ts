import { FastCheck, Schema } from "effect"
import { assert, describe, inject, it } from "vitest"
import { type IssueText, readIssue } from "../../../domain/tracker/ReadIssue.ts"
import { titleOf } from "../../../domain/tracker/IssueStory.ts"
import { Name } from "../../../domain/value/Text.ts"
import { Story } from "../../../domain/work/Story.ts"
import { anyText } from "../../support/Random.ts"

const isStorable = Schema.is(
  Schema.Struct({
    description: Story.fields.description,
    demonstrate: Story.fields.demonstrate,
    testPlan: Story.fields.testPlan,
    acceptanceCriteria: Story.fields.demonstrate
  })
)

const wordsOf = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "")

/** True when a text has the words of another one in their order, so that nothing in it is invented. */
const holds = (whole: ReadonlyArray<string>, part: ReadonlyArray<string>) => {
  let at = 0
  for (const word of whole) if (word === part[at]) at++
  return at === part.length
}

const assertText = (body: string): IssueText => {
  const read = readIssue(body)
  assert.isTrue(isStorable(read))
  const words = wordsOf(body)
  const { acceptanceCriteria, demonstrate, description, testPlan } = read
  if (read.notes.length === 0)
    for (const text of [...acceptanceCriteria, ...demonstrate, description ?? "", testPlan ?? ""])
      assert.isTrue(holds(words, wordsOf(text)), text)
  for (const line of [...acceptanceCriteria, ...demonstrate]) assert.notInclude(line, "\n")
  return read
}

it.each([
  ["Fees\r\nand taxes", "Fees and taxes"],
  ["bell\u0007 \u202Enimda", "bell\uFFFD \uFFFDnimda"],
  ["\u200B\u2060", "#7"],
  ["", "#7"]
])("an issue %j becomes a story %j", (title, expected) => {
  assert.strictEqual(titleOf({ key: "#7", title }), expected)
  assert.isTrue(Schema.is(Name(500))(expected))
})

describe("hostile Markdown stays text", () => {
  it.each([
    ["script", "<script>alert(1)</script>", "<script>alert(1)</script>"],
    ["an image with a handler", "<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"],
    ["a link that runs", "[a](javascript:alert(1))", "[a](javascript:alert(1))"],
    ["mentions", "@everyone and @acme/admins, fixes #1", "@everyone and @acme/admins, fixes #1"],
    ["a template", "{{ 7 * 7 }} ${env.TOKEN}", "{{ 7 * 7 }} ${env.TOKEN}"],
    ["a name of a prototype", "__proto__", "__proto__"]
  ])("%s", (_, text, expected) => {
    assert.strictEqual(assertText(text).description, expected)
    assert.deepStrictEqual(assertText(`## AC\n\nIt must:\n\n- do ${text}`).acceptanceCriteria, [`do ${expected}`])
  })

  const many = 10_000
  it.each([
    ["quotes, 10,000 deep", "> ".repeat(many)],
    ["lists, 10,000 deep in one line", `## AC\n${"- ".repeat(many)}a`],
    ["lists, 300 deep", `## AC\n${Array.from({ length: 300 }, (_, at) => `${" ".repeat(at)}- [ ] a${at}`).join("\n")}`],
    ["a huge table", `## AC\n|a|b|\n|-|-|\n${"|c|d|\n".repeat(many)}`],
    ["a wide table", `## AC\n${"|a".repeat(many)}\n${"|-".repeat(many)}\n${"|b".repeat(many)}`],
    ["headings", "# AC\n## AC\n".repeat(4000)],
    ["an unclosed fence", `## AC\n\`\`\`\n${"- a\n".repeat(many)}`],
    ["unclosed comments", "<!-- ".repeat(many)],
    ["unclosed comments in a paragraph", `a ${"<!-- ".repeat(many)}`],
    ["odd backticks", `a ${"` `` ``` ".repeat(many)} <!-- b`],
    ["brackets", `## ${"[".repeat(many)}`],
    ["stars", "*".repeat(many)],
    ["bold", `**${"a**".repeat(many)}`],
    ["bait for backtracking", `## AC\n- ${"a".repeat(many)}!\n${" ".repeat(many)}x\n${"-".repeat(many)}x`],
    ["entities", "&lt;script&gt; &#x41;".repeat(1000)],
    ["a body over the limit", "- [ ] a\n".repeat(20_000)],
    ["half a surrogate pair at the limit", `${"a".repeat(99_998)}\u{1F600}\u{1F600}`]
  ])("%s", (_, body) => void assertText(body))
})

const text = FastCheck.constantFrom(
  "a",
  "it works",
  "Given b",
  "When c",
  "Then d",
  "**e**",
  "`f`",
  "x | y",
  "TBD",
  "~~g~~",
  "é",
  "\u{1F600}",
  "<!-- h -->",
  "<!--",
  "-->",
  "<b>",
  "@ana",
  "\u200B",
  "\u202E",
  "\ud800",
  "\0",
  "_No response_",
  "k:"
)
const start = FastCheck.constantFrom(
  "",
  "",
  "- ",
  "- [ ] ",
  "- [x] ",
  "  - ",
  "    - [ ] ",
  "1. ",
  "> ",
  "# ",
  "### ",
  "    ",
  "\t",
  "| ",
  "**",
  "## AC ",
  "## Demo ",
  "## Test plan ",
  "**AC:** ",
  "```",
  "~~~",
  "<pre>",
  "[//]: # "
)
const whole = FastCheck.constantFrom("", "", "---", "===", "```", "~~~", "|-|-|", "</pre>", "-->", "* * *", "AC:")
const line = FastCheck.oneof(
  FastCheck.tuple(start, FastCheck.array(text, { maxLength: 4 })).map(([head, parts]) => head + parts.join(" ")),
  whole,
  anyText({ maxLength: 12 })
)
const bodies = FastCheck.tuple(
  FastCheck.array(line, { maxLength: 40 }),
  FastCheck.constantFrom("\n", "\r\n", "\r")
).map(([lines, end]) => lines.join(end))

describe("any text", () => {
  const runs = inject("full") ? 50_000 : 1000

  it("is read into text that a story keeps, in the words of the issue", () =>
    FastCheck.assert(
      FastCheck.property(bodies, (body) => {
        // An invisible character divides a word that its reader sees as one.
        if (
          !/[\u200B\u202E\ud800\0]/u.test(body) &&
          !/\p{Default_Ignorable_Code_Point}|\p{Cc}/u.test(body.replace(/[\r\n]/g, ""))
        )
          assertText(body)
        else assert.isTrue(isStorable(readIssue(body)))
      }),
      { numRuns: runs, seed: inject("seed") }
    ))
})
