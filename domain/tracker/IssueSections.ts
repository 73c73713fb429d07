import type { MarkdownLine } from "./IssueMarkdown.ts"

export type SectionKind = "description" | "acceptanceCriteria" | "demonstrate" | "testPlan"

/** A heading with the lines below it, up to the next one. */
export interface Section {
  readonly kind: SectionKind
  readonly heading: ReadonlyArray<MarkdownLine>
  readonly lines: ReadonlyArray<MarkdownLine>
}

const names: Readonly<Record<Exclude<SectionKind, "description">, ReadonlyArray<string>>> = {
  acceptanceCriteria: [
    "acceptance criteria",
    "acceptance criterion",
    "acceptance",
    "acceptance tests",
    "acceptance scenarios",
    "ac",
    "acs",
    "a c",
    "conditions of satisfaction",
    "definition of done",
    "dod",
    "done when",
    "exit criteria",
    "given when then",
    "scenarios",
    "success criteria",
    "what does done look like"
  ],
  demonstrate: [
    "demo",
    "demo script",
    "demo steps",
    "demonstrate",
    "demonstration",
    "how to demo",
    "how to demonstrate"
  ],
  testPlan: [
    "how to test",
    "qa",
    "qa notes",
    "qa plan",
    "test cases",
    "test plan",
    "test steps",
    "test strategy",
    "testing",
    "testing instructions",
    "testing notes",
    "testing plan",
    "tests",
    "verification plan"
  ]
}

const kinds = new Map(
  Object.entries(names).flatMap(([kind, all]) => all.map((name) => [name, kind as SectionKind] as const))
)
const phrases = [...kinds].filter(([name]) => name.includes(" ") && name.length > 5)

/** A longer text is prose. */
const longestName = 120

/** The section that a heading names; null for any other text. */
const kindOf = (heading: string): SectionKind | null => {
  if (heading.length > longestName) return null
  const words = heading
    .toLowerCase()
    .replace(/:[a-z0-9_+-]+:/g, " ")
    .replace(/\]\([^()]*\)/g, " ")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .replace(/^(?:\d+ )+/, "")
  const exact = kinds.get(words)
  if (exact !== undefined) return exact
  const found = phrases.find(([name]) => words.startsWith(`${name} `) || words.endsWith(` ${name}`))
  return found?.[1] ?? null
}

interface Heading {
  /** 1 to 6, and 7 for a line in bold or a name with a colon. */
  readonly level: number
  readonly kind: SectionKind | null
  /** Text behind the name, in the same line. */
  readonly rest: string
  /** Lines of the heading itself. */
  readonly height: 0 | 1 | 2
}

const atx = /^ {0,3}(#{1,6})([^#].*)?$/
const html = /^ {0,3}<(h([1-6])|summary)(?:[ \t][^<>]*)?>([^<>]*)<\/\1>/i
const underline = /^ {0,3}(?:(=+)|-{2,})[ \t]*$/
const bold = /^(\*\*|__)(?=\S)((?:(?!\1).)+)\1(.*)$/
const startsBlock = /^[ \t]*(?:[-+*>|#]|\d{1,9}[.)])/

const isBlank = (line: MarkdownLine | undefined) => line === undefined || line.text.trim() === ""
const isPlain = (line: MarkdownLine | undefined): line is MarkdownLine => line !== undefined && line.code === "no"

const atxOf = (text: string): Heading | null => {
  const found = atx.exec(text)
  if (found === null) return null
  const name = (found[2] ?? "").trimEnd().replace(/[ \t]#+$/, "")
  const kind = kindOf(name)
  const isRight = name === "" || /^[ \t]/.test(name)
  return isRight || kind !== null ? { level: found[1]?.length ?? 1, kind, rest: "", height: 1 } : null
}

const htmlOf = (text: string): Heading | null => {
  const found = html.exec(text)
  return found === null ? null : { level: Number(found[2] ?? 7), kind: kindOf(found[3] ?? ""), rest: "", height: 1 }
}

/** A line in bold heads the lines below. With more text behind it, it names a section or ends one that began so. */
const boldOf = (text: string, isInBold: boolean): Heading | null => {
  const found = bold.exec(text.trim())
  if (found === null) return null
  const [, , name = "", behind = ""] = found
  const kind = kindOf(name)
  const isLabel = name.endsWith(":") || behind.trim().startsWith(":")
  const rest = behind.trim().replace(/^:/, "").trim()
  if (rest !== "" && !(isLabel && (kind !== null || isInBold))) return null
  return { level: 7, kind, rest: kind === null ? "" : rest, height: rest !== "" && kind === null ? 0 : 1 }
}

const labelOf = (text: string): Heading | null => {
  const name = text.trim()
  const kind = name.endsWith(":") && !startsBlock.test(name) ? kindOf(name) : null
  return kind === null ? null : { level: 7, kind, rest: "", height: 1 }
}

const headingAt = (lines: ReadonlyArray<MarkdownLine>, at: number, isInBold: boolean): Heading | null => {
  const line = lines[at]
  if (!isPlain(line) || isBlank(line)) return null
  const one = atxOf(line.text) ?? htmlOf(line.text)
  if (one !== null) return one
  const below = lines[at + 1]
  const under =
    isPlain(below) && isBlank(lines[at - 1]) && !startsBlock.test(line.text) ? underline.exec(below.text) : null
  if (under !== null) return { level: under[1] === undefined ? 2 : 1, kind: kindOf(line.text), rest: "", height: 2 }
  return boldOf(line.text, isInBold) ?? labelOf(line.text)
}

/** The sections of an issue in order. A heading ends those of its level and below; a lower one that names no section belongs to the one above. */
export const sectionsOf = (lines: ReadonlyArray<MarkdownLine>): ReadonlyArray<Section> => {
  const sections: Array<Section> = []
  let above: ReadonlyArray<{ readonly level: number; readonly kind: SectionKind }> = []
  let [heading, content]: [Array<MarkdownLine>, Array<MarkdownLine>] = [[], []]
  const close = () => sections.push({ kind: above.at(-1)?.kind ?? "description", heading, lines: content })
  for (let at = 0; at < lines.length; at++) {
    const found = headingAt(lines, at, above.at(-1)?.level === 7)
    const line = lines[at]
    if (line === undefined) continue
    if (found === null) {
      content.push(line)
      continue
    }
    close()
    above = above.filter(({ level }) => level < found.level)
    if (found.kind !== null) above = [...above, { level: found.level, kind: found.kind }]
    heading =
      found.rest === ""
        ? lines.slice(at, at + found.height)
        : [{ ...line, text: line.text.trimEnd().slice(0, -found.rest.length).trimEnd() }]
    content = found.height === 0 ? [line] : found.rest === "" ? [] : [{ ...line, text: found.rest }]
    at += Math.max(1, found.height) - 1
  }
  close()
  return sections
}
