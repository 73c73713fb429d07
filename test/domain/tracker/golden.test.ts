import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, expect, it } from "vitest"
import { readIssue } from "../../../domain/tracker/ReadIssue.ts"
import { readLabels } from "../../../domain/tracker/ReadLabels.ts"

const folder = resolve(import.meta.dirname, "../../tracker/golden")
const names = readdirSync(folder).flatMap((name) => (name.endsWith(".issue.txt") ? [name.slice(0, -10)] : []))

/** An issue is its labels, a rule and its body. */
const issueOf = (name: string) => {
  const text = readFileSync(join(folder, `${name}.issue.txt`), "utf8")
  const [labels = "", ...body] = text.split("\n---\n")
  return { labels: labels.replace(/^labels:/, "").split(","), body: body.join("\n---\n") }
}

const numbered = (lines: ReadonlyArray<string>) => lines.map((line, at) => `${at + 1}. ${line}`).join("\n")

/** The story as people compare it with the issue. */
const storyOf = (name: string) => {
  const { body, labels } = issueOf(name)
  const { acceptanceCriteria, demonstrate, description, notes, testPlan } = readIssue(body)
  const { classOfService, size } = readLabels(labels)
  const parts = [
    ["SIZE AND CLASS OF SERVICE", `${size ?? "none"}, ${classOfService}`],
    ["ACCEPTANCE CRITERIA", numbered(acceptanceCriteria)],
    ["DEMONSTRATE", numbered(demonstrate)],
    ["TEST PLAN", testPlan ?? ""],
    ["DESCRIPTION", description ?? ""],
    ["NOTES", notes.join("\n")]
  ]
  return parts.flatMap(([title, text]) => (text === "" ? [] : [`${title}\n${text}\n`])).join("\n")
}

describe("issues as teams write them", () => {
  it("are forty", () => assert.strictEqual(names.length, 40))

  it.each(names)("%s", (name) => expect(storyOf(name)).toMatchFileSnapshot(join(folder, `${name}.story.txt`)))

  it.each(names)("%s with the line ends of Windows", (name) => {
    const { body } = issueOf(name)
    assert.deepStrictEqual(readIssue(body.replaceAll("\n", "\r\n")), readIssue(body))
  })
})
