import { cut, oneLine } from "../value/Text.ts"
import { linesOf, type MarkdownLine } from "./IssueMarkdown.ts"
import { type Section, type SectionKind, sectionsOf } from "./IssueSections.ts"
import { stepsOf, tasksOf } from "./ListItems.ts"

/** The parts of a story that the text of an issue states. */
export interface IssueText {
  readonly description: string | null
  readonly acceptanceCriteria: ReadonlyArray<string>
  readonly demonstrate: ReadonlyArray<string>
  readonly testPlan: string | null
  /** Parts that were left out because they are too long. */
  readonly notes: ReadonlyArray<string>
}

/** Characters of a body that are read, and of one criterion or step that are kept. */
export const mostBody = 100_000
export const mostStep = 4000
/** Criteria, and steps of a demonstration, that are kept. */
export const mostSteps = 200

/** The words of issue forms for a field that was left empty. */
const noResponse = /^_no response_$/i

const textOf = (lines: ReadonlyArray<MarkdownLine>): string | null => {
  const text = lines
    .map(({ text }) => text.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^\n+/, "")
    .trimEnd()
  return text === "" ? null : text
}

const isEmpty = ({ heading, lines }: Section) =>
  heading.length > 0 &&
  lines.some(({ text }) => noResponse.test(text.trim())) &&
  lines.every(({ text }) => text.trim() === "" || noResponse.test(text.trim()))

const whole = ({ heading, lines }: Section) => [...heading, ...lines]

interface Steps {
  readonly steps: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
}

const bounded = (texts: ReadonlyArray<string>, what: string): Steps => {
  const lines = texts.map((text) => oneLine(text).trim())
  const long = lines.filter((line) => line.length > mostStep).length
  return {
    steps: lines.slice(0, mostSteps).map((line) => cut(line, mostStep)),
    notes: [
      ...(long > 0 ? [`${long} of the ${what} have more than ${mostStep} characters and are cut.`] : []),
      ...(lines.length > mostSteps ? [`The first ${mostSteps} of ${lines.length} ${what} are read.`] : [])
    ]
  }
}

/** Reads the Markdown of an issue. Everything in it stays text; nothing in it is an error. */
export const readIssue = (body: string): IssueText => {
  const sections = sectionsOf(linesOf(cut(body, mostBody))).filter((section) => !isEmpty(section))
  const texts: Record<"acceptanceCriteria" | "demonstrate", Array<string>> = { acceptanceCriteria: [], demonstrate: [] }
  const description: Array<MarkdownLine> = []
  const plan: Array<MarkdownLine> = []
  let last: SectionKind = "description"
  for (const section of sections) {
    const { kind } = section
    if (kind === "description") description.push(...whole(section))
    // The heading of the section itself says no more than the name of the field.
    else if (kind === "testPlan") plan.push(...(last === kind ? whole(section) : section.lines))
    else {
      const { rest, steps } = stepsOf(section.lines, kind === "demonstrate")
      texts[kind].push(...steps)
      if (rest.length > 0) description.push(...section.heading, ...rest)
    }
    last = kind
  }
  // Boxes above the first heading are criteria where no section is; those below one are tasks and forms.
  const [first] = sections
  if (first?.heading.length === 0 && sections.every(({ kind }) => kind !== "acceptanceCriteria"))
    texts.acceptanceCriteria.push(...tasksOf(first.lines))
  const criteria = bounded(texts.acceptanceCriteria, "acceptance criteria")
  const demonstrate = bounded(texts.demonstrate, "Demonstrate steps")
  return {
    description: textOf(description),
    acceptanceCriteria: criteria.steps,
    demonstrate: demonstrate.steps,
    testPlan: textOf(plan),
    notes: [
      ...(body.length > mostBody ? [`The first ${mostBody} of ${body.length} characters are read.`] : []),
      ...criteria.notes,
      ...demonstrate.notes
    ]
  }
}
