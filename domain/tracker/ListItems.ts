import { cut } from "../value/Text.ts"
import type { MarkdownLine } from "./IssueMarkdown.ts"

/** Criteria or steps of a section, and the lines that are none of them. */
export interface ReadSteps {
  readonly steps: ReadonlyArray<string>
  readonly rest: ReadonlyArray<MarkdownLine>
}

const marker = /^([ \t]*)(?:[-*+\u2022\u25E6\u2610\u2611\u2612]|\d{1,9}[.)])(?:[ \t]+(\S.*)?)?$/
const box = /^\[[ xX]\](?:[ \t]+|$)/
const rule = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
const delimiterRow = /^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/
const gherkin = new Set(["gherkin", "cucumber", "feature"])

/** Words for nothing. */
const nothing = new Set(["", "-", "...", "…", "n/a", "na", "none", "tbd", "todo", "_no response_"])
const struck = /^~~[^~]*~~$/
const tags = /^(?:<[^<>]*>\s*)+$/
const isNothing = (text: string) => {
  const words = text.trim()
  return nothing.has(words.toLowerCase()) || struck.test(words) || tags.test(words)
}

const widthOf = (indent: string) => [...indent].reduce((width, one) => width + (one === "\t" ? 4 - (width % 4) : 1), 0)

type Keyword = "scenario" | "given" | "when" | "then" | "and" | "but"

const keyword = /^[*_`]{0,3}(scenario|given|when|then|and|but)(?=[\s*_`:,])/i
const keywordOf = (text: string) => keyword.exec(text.trim())?.[1]?.toLowerCase() as Keyword | undefined

/** True when a keyword continues a scenario whose keywords are `seen`. */
const continues = (seen: ReadonlySet<Keyword>, next: Keyword | undefined): boolean => {
  if (next === undefined || seen.size === 0 || next === "scenario") return false
  if (next === "given") return seen.has("scenario") && !seen.has("given")
  if (next === "when") return (seen.has("scenario") || seen.has("given")) && !seen.has("when")
  return next === "then" || seen.has("given") || seen.has("then")
}

/** Joins the steps of Given, When and Then to one text for each scenario. */
const joined = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const groups: Array<Array<string>> = []
  let seen = new Set<Keyword>()
  for (const text of texts) {
    const next = keywordOf(text)
    const group = groups.at(-1)
    if (group !== undefined && continues(seen, next)) group.push(text)
    else {
      groups.push([text])
      seen = new Set()
    }
    if (next !== undefined) seen.add(next)
  }
  return groups.map((group) => group.join(" "))
}

const isFence = (code: MarkdownLine["code"]) => code === "open" || code === "close"

/** Lines of a paragraph, a table or a block of code outside of a list. */
type Block = ReadonlyArray<MarkdownLine>

const cells = (row: string) => row.trim().replace(/^\|/, "").replace(/\|$/, "").trim()

/** Lines with a keyword begin a text of their own. */
const byKeyword = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const texts: Array<Array<string>> = []
  for (const line of lines) {
    const open = texts.at(-1)
    if (open === undefined || keywordOf(line) !== undefined) texts.push([line])
    else open.push(line)
  }
  return texts.map((one) => one.join(" "))
}

const textsOf = (block: Block, isByLine: boolean): ReadonlyArray<string> => {
  const lines = block.filter(({ code }) => !isFence(code)).map(({ text }) => text)
  const [first = "", second = ""] = lines
  if (first.includes("|") && delimiterRow.test(second)) return lines.slice(2).map(cells)
  const isCode = block[0]?.code !== "no"
  if (gherkin.has(block[0]?.language ?? "")) return byKeyword(lines.filter((line) => !/^\s*feature:/i.test(line)))
  if (keywordOf(first) !== undefined) return byKeyword(lines)
  return isCode && isByLine ? lines : [lines.join(" ")]
}

const isIntroduction = (block: Block) => block.at(-1)?.text.trimEnd().endsWith(":") === true

interface Item {
  readonly indent: number
  readonly hasBox: boolean
  /** Text of the items above it. */
  readonly prefix: string
  readonly lines: Array<string>
  /** Its own text with that of the items above, once another item needs it. */
  label: string | null
}

/** A text above many items is repeated in each of them, so it is kept short. */
const longestLabel = 200

const labelOf = (item: Item): string =>
  (item.label ??= `${cut(`${item.prefix}${item.lines.join(" ").replace(/:\s*$/, "")}`, longestLabel)}: `)

interface Outline {
  readonly items: ReadonlyArray<Item>
  readonly blocks: ReadonlyArray<Block>
}

/** Splits lines into the items of lists and everything else. A nested item is part of the one above, unless it has a box. */
const outlineOf = (lines: ReadonlyArray<MarkdownLine>): Outline => {
  const items: Array<Item> = []
  const blocks: Array<Array<MarkdownLine>> = []
  let above: Array<Item> = []
  let block: Array<MarkdownLine> | null = null
  let isAfterBlank = false
  for (const line of lines) {
    const isCode = line.code !== "no"
    const item = above.at(-1)
    const isRule: boolean = !isCode && rule.test(line.text)
    const found = isCode || isRule ? null : marker.exec(line.text)
    if (!isCode && line.text.trim() === "") {
      isAfterBlank = true
      block = null
      continue
    }
    if (found !== null) {
      const indent = widthOf(found[1] ?? "")
      const content = found[2] ?? ""
      const hasBox = box.test(content)
      const isNested: boolean = above[0] !== undefined && indent > above[0].indent + 1
      if (isNested && !hasBox) item?.lines.push(`- ${content}`)
      else {
        above = isNested ? above.filter((one, at) => at === 0 || one.indent + 1 < indent) : []
        const parent = above.at(-1)
        const prefix = parent === undefined ? "" : labelOf(parent)
        const next = { indent, hasBox, prefix, lines: [content.replace(box, "")], label: null }
        above.push(next)
        items.push(next)
      }
      block = null
    } else if (isRule) [above, block] = [[], null]
    else if (item !== undefined && (isCode || !isAfterBlank || /^[ \t]{2}/.test(line.text))) {
      if (!isFence(line.code)) item.lines.push(line.text.trim())
    } else {
      above = []
      if (line.code === "open") block = null
      if (block === null) blocks.push((block = []))
      block.push(line)
      if (line.code === "close") block = null
    }
    isAfterBlank = false
  }
  return { items, blocks }
}

const kept = (texts: ReadonlyArray<string>) => texts.filter((text) => !isNothing(text))

/** Texts of items; one that only heads others is part of theirs. */
const itemTexts = (items: ReadonlyArray<Item>) =>
  items.flatMap(({ label, lines, prefix }) => {
    const text = lines.join(" ")
    return label !== null || isNothing(text) ? [] : [`${prefix}${text}`]
  })

/** The items with a box. */
export const tasksOf = (lines: ReadonlyArray<MarkdownLine>): ReadonlyArray<string> =>
  itemTexts(outlineOf(lines).items.filter(({ hasBox }) => hasBox))

const blank: MarkdownLine = { text: "", code: "no", language: "" }

/**
 * Reads a section as steps: each item of a list is one.
 * Without a list each paragraph, row of a table or scenario is one, and of a script each line.
 */
export const stepsOf = (lines: ReadonlyArray<MarkdownLine>, isScript: boolean): ReadSteps => {
  const { blocks, items } = outlineOf(lines)
  const listed = itemTexts(items)
  if (listed.length === 0) {
    const told = blocks.filter((one, at) => at === blocks.length - 1 || !isIntroduction(one))
    return { steps: joined(kept(told.flatMap((one) => textsOf(one, isScript)))), rest: [] }
  }
  const rest = blocks.filter((one) => !isIntroduction(one) && kept(one.map(({ text }) => text)).length > 0)
  return { steps: joined(listed), rest: rest.flatMap((one) => [blank, ...one, blank]) }
}
