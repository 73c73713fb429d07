import { assert, describe, it } from "vitest"
import { mostBody, mostStep, mostSteps, readIssue } from "../../../domain/tracker/ReadIssue.ts"

const criteriaOf = (body: string) => readIssue(body).acceptanceCriteria

describe("headings that name a section", () => {
  it.each([
    "# Acceptance criteria",
    "###### ACCEPTANCE CRITERIA ######",
    "##Acceptance criteria",
    "   ## Acceptance Criteria:",
    "## ✅ Acceptance criteria",
    "## :white_check_mark: Acceptance criteria",
    "## 3. Acceptance criteria (required)",
    "## Acceptance criteria for the API",
    "## Proposed acceptance criteria",
    "## **Acceptance criteria**",
    "## [Acceptance criteria](https://example.com/why)",
    "## Accep\u200Btance criteria",
    "## AC",
    "## A/C",
    "## Definition of Done",
    "## DoD",
    "## Given-When-Then",
    "Acceptance criteria\n===================",
    "Acceptance criteria\n---",
    "**Acceptance criteria**",
    "**Acceptance criteria:**",
    "**Acceptance criteria**:",
    "__Acceptance criteria__",
    "Acceptance criteria:",
    "AC:",
    "<h3>Acceptance criteria</h3>",
    '<h2 align="center">Acceptance criteria</h2>',
    "<summary>Acceptance criteria</summary>"
  ])("%s", (heading) => assert.deepStrictEqual(criteriaOf(`Text\n\n${heading}\n\n- one\n- two`), ["one", "two"]))

  it.each([
    "Acceptance criteria",
    "    ## Acceptance criteria",
    "> ## Acceptance criteria",
    "## Acceptances",
    "## Active directory",
    "####### Acceptance criteria",
    "#acme",
    `## ${"a ".repeat(60)}acceptance criteria`,
    "**Acceptance criteria** are missing",
    "- Acceptance criteria:",
    "`## Acceptance criteria`",
    "Text before\nAcceptance criteria\n---"
  ])("not %s", (heading) => assert.deepStrictEqual(criteriaOf(`Text\n\n${heading}\n\n- one\n- two`), []))

  it("test plan and demonstration", () =>
    assert.deepStrictEqual(readIssue("# Demo\n1. Open it\n2) Close it\n# How to test\nRun it.\n## Later\nAgain."), {
      description: null,
      acceptanceCriteria: [],
      demonstrate: ["Open it", "Close it"],
      testPlan: "Run it.\n## Later\nAgain.",
      notes: []
    }))
})

describe("the end of a section", () => {
  it.each([
    ["a heading of its level", "## AC\n- a\n## Notes\n- b", ["a"]],
    ["a higher heading", "## AC\n- a\n# Notes\n- b", ["a"]],
    ["no lower one", "## AC\n- a\n### Also\n- b", ["a", "b"]],
    ["a lower one that names a section", "## AC\n- a\n### Test plan\n- b\n### More\n- c", ["a", "c"]],
    ["no bold line below a heading", "## AC\n**First**\n- a\n**Second**\n- b", ["a", "b"]],
    ["a bold line after a bold one", "**AC**\n- a\n**Notes**\n- b", ["a"]],
    ["a bold label after a bold one", "**AC:**\n- a\n\n**Priority:** high", ["a"]],
    ["a heading after a bold one", "**AC**\n- a\n###### Notes\n- b", ["a"]],
    ["no heading in a fence", "## AC\n- a\n```\n# Notes\n```\n- b", ["a # Notes", "b"]],
    ["no heading in pre", "## AC\n- a\n\n<pre>\n# Notes\n</pre>\n\n- b", ["a <pre> # Notes </pre>", "b"]],
    ["the same name again adds", "## AC\n- a\n## Notes\n## AC\n- b", ["a", "b"]]
  ])("%s", (_, body, expected) => assert.deepStrictEqual(criteriaOf(body), expected))
})

describe("steps of a section", () => {
  it.each([
    ["boxes", "- [ ] a\n- [x] b\n- [X] c\n* [ ] d\n+ [ ] e\n1. [ ] f", ["a", "b", "c", "d", "e", "f"]],
    ["no box", "- [y] a\n- []b\n- [ ]c", ["[y] a", "[]b", "[ ]c"]],
    ["numbers", "1. a\n2. b\n10) c", ["a", "b", "c"]],
    ["other bullets", "• a\n☐ b\n☑ c", ["a", "b", "c"]],
    ["wrapped lines", "- a\n  goes on\n- b\nlazily", ["a goes on", "b lazily"]],
    ["a paragraph of an item", "- a\n\n  more\n\n- b", ["a more", "b"]],
    ["nested items", "- a\n  - b\n    - c\n- d", ["a - b - c", "d"]],
    ["nested boxes", "- a\n  - [ ] b\n    - c\n  - [x] d\n- e", ["a: b - c", "a: d", "e"]],
    ["boxes two levels below", "- a:\n  - [ ] b\n    - [ ] c\n  - [ ] d", ["a: b: c", "a: d"]],
    ["a long text above boxes", `- ${"a".repeat(300)}\n  - [ ] b`, [`${"a".repeat(199)}…: b`]],
    ["tags alone", "- a\n\n</details>", ["a"]],
    ["tabs", "-\ta\n\t- b\n-\tc", ["a - b", "c"]],
    ["a list that begins further in", "  - a\n  - b", ["a", "b"]],
    ["code of an item", "- a\n  ```sh\n  run\n  ```\n- b", ["a run", "b"]],
    ["paragraphs", "One\nline.\n\nTwo.", ["One line.", "Two."]],
    ["an introduction", "It must:\n\n- a", ["a"]],
    ["nothing", "- [ ]\n- \n- TBD\n- n/a\n- ~~dropped~~\n- ...", []],
    ["no response", "_No response_", []],
    ["a rule", "- a\n\n---\n\n- b\n* * *", ["a", "b"]],
    ["a table", "| # | What |\n|---|:--:|\n| 1 | a |\n| 2 | b", ["1 | a", "2 | b"]],
    ["no table", "a | b", ["a | b"]],
    ["code", "```\na\nb\n```\ntext", ["a b", "text"]],
    [
      "Given, When, Then",
      "Given a\nWhen b\nThen c\nAnd d\n\nGiven e\nwhen f\nthen g",
      ["Given a When b Then c And d", "Given e when f then g"]
    ],
    ["their paragraphs", "Given a\n\nWhen b\n\nThen c", ["Given a When b Then c"]],
    [
      "their items",
      "- **Given** a\n- **When** b\n- **Then** c\n- Other",
      ["**Given** a **When** b **Then** c", "Other"]
    ],
    [
      "scenarios",
      "Scenario: one\nGiven a\nWhen b\nThen c\nScenario: two\nWhen d\nThen e",
      ["Scenario: one Given a When b Then c", "Scenario: two When d Then e"]
    ],
    [
      "gherkin",
      "```gherkin\nFeature: x\n  Scenario: one\n    Given a\n    Then b\n  Scenario: two\n    Then c\n```",
      ["Scenario: one Given a Then b", "Scenario: two Then c"]
    ],
    ["items that begin with When", "- When a, b\n- When c, d\n- And e", ["When a, b", "When c, d", "And e"]],
    ["Whenever and Andrea", "- Given a\n- Whenever b\n- Andrea", ["Given a", "Whenever b", "Andrea"]]
  ])("%s", (_, lines, expected) => assert.deepStrictEqual(criteriaOf(`## AC\n${lines}`), expected))

  it.each([
    ["boxes above the first heading", "Text\n- [ ] a\n- b\n- [x] c\n## Tasks\n- [ ] d", ["a", "c"]],
    ["not those below one", "## Tasks\n- [ ] a", []],
    ["not where a section is", "- [ ] a\n## AC\n", []]
  ])("without a section: %s", (_, body, expected) => assert.deepStrictEqual(criteriaOf(body), expected))

  it("of a demonstration, each line of code is one", () =>
    assert.deepStrictEqual(readIssue("## Demo\nRun this:\n```sh\n./a\n\n./b\n```").demonstrate, ["./a", "./b"]))
})

describe("the description", () => {
  it.each([
    ["nothing", "", null],
    ["blank", " \r\n\t\n", null],
    ["all of it", "a\r\n\r\n# B\rc", "a\n\n# B\nc"],
    ["other sections", "a\n## AC\n- b\n## C\nd", "a\n## C\nd"],
    ["prose beside a list", "## AC\nNot obvious.\n\n- a", "## AC\n\nNot obvious."],
    ["empty fields of forms", "### A\n\n_No response_\n\n### B\n\nc\n\n### D\n\n_No response_", "### B\n\nc"],
    ["no more than one blank line", "a\n\n\n\n\nb", "a\n\nb"],
    ["text behind a bold name once", "**AC:** a\n\n- b", "**AC:**\n\na"],
    ["a bold label once", "**AC:** a\n\n**Priority:** high", "**Priority:** high"],
    ["the boxes above the first heading", "- [ ] a", "- [ ] a"],
    ["indented code", "    code\n\ntext", "    code\n\ntext"]
  ])("%s", (_, body, expected) => assert.strictEqual(readIssue(body).description, expected))
})

describe("text that no reader of the issue sees", () => {
  it.each([
    ["a comment", "a <!-- b --> c", "a  c"],
    ["lines of a comment", "a\n<!-- b\n\n## AC\n- c\n-->\nd", "a\nd"],
    ["text behind a comment", "<!-- b\n--> c", "c".padStart(2)],
    ["a comment that does not end", "a\n<!-- b\n\nc", "a"],
    ["a comment in a paragraph", "a <!-- b\nc --> d", "a\n d"],
    ["no comment", "a <!-- b\n\nc -->", "a <!-- b\n\nc -->"],
    ["a comment in code", "`<!-- a -->` and <!-- b --> ``<!-- c`` -->", "`<!-- a -->` and  ``<!-- c`` -->"],
    ["a comment in a fence", "```\n<!-- a -->\n```", "```\n<!-- a -->\n```"],
    ["a fence in a comment", "<!--\n```\n-->\na", "a"],
    ["an odd backtick", "` <!-- a --> b", "`  b"],
    ["the shortest comment", "a <!--> b", "a  b"],
    [
      "a reference without use",
      "[//]: # (do this)\n[comment]: <> (and this)\n[1]: https://example.com",
      "[1]: https://example.com"
    ],
    ["zero width", "a\u200Bb\u2060c\uFEFFd\u00AD", "abcd"],
    ["tags", "a\u{E0041}\u{E0042}", "a"],
    ["joiners of emoji", "👩\u200D💻 ✔\uFE0F", "👩\u200D💻 ✔\uFE0F"],
    ["changes of direction", "a\u202Eb", "a\uFFFDb"],
    ["controls", "a\u001B[31mb\0", "ab\uFFFD"]
  ])("%s", (_, body, expected) => assert.strictEqual(readIssue(body).description, expected))
})

describe("limits", () => {
  it("a long body is cut", () => {
    const { description, notes } = readIssue("a".repeat(mostBody + 1))
    assert.strictEqual(description?.length, mostBody)
    assert.deepStrictEqual(notes, ["The first 100000 of 100001 characters are read."])
    assert.deepStrictEqual(readIssue("a".repeat(mostBody)).notes, [])
  })

  it("a long criterion is cut", () => {
    const { acceptanceCriteria, notes } = readIssue(`## AC\n- ${"a".repeat(mostStep)}\n- ${"b".repeat(mostStep + 1)}`)
    assert.deepStrictEqual(
      acceptanceCriteria.map(({ length }) => length),
      [mostStep, mostStep]
    )
    assert.deepStrictEqual(notes, ["1 of the acceptance criteria have more than 4000 characters and are cut."])
  })

  it("the first criteria are read", () => {
    const items = Array.from({ length: mostSteps + 1 }, (_, at) => `- step ${at}`).join("\n")
    const { demonstrate, notes } = readIssue(`## Demo\n${items}`)
    assert.strictEqual(demonstrate.at(-1), "step 199")
    assert.deepStrictEqual(notes, ["The first 200 of 201 Demonstrate steps are read."])
  })
})
