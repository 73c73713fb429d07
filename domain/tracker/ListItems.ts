import type { MarkdownLine } from "./IssueMarkdown.ts"

/** Criteria or steps of a section, and the lines that are none of them. */
export interface ReadSteps {
  readonly steps: ReadonlyArray<string>
  readonly rest: ReadonlyArray<MarkdownLine>
}

const marker = /^([ \t]*)(?:[-*+\u2022\u25E6\u2610\u2611\u2612]|\d{1,9}[.)])(?:[ \t]+(\S.*)?)?$/
const box = /^\[[ xX]\](?:[ \t]+|$)/
const rule = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
const delimiterRow = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
const gherkin = new Set(["gherkin", "cucumber", "feature"])

/** Words for nothing. */
const nothing = new Set(["", "-", "...", "…", "n/a", "na", "none", "tbd", "todo", "_no response_"])
const isNothing = (text: string) => nothing.has(text.trim().toLowerCase()) || /^~~[^~]*~~$/.test(text.trim())

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
  if (keywordOf(first) !== undefined || gherkin.has(block[0]?.language ?? "")) return byKeyword(lines)
  return isCode && isByLine ? lines : [lines.join(" ")]
}

const isIntroduction = (block: Block) => block.at(-1)?.text.trimEnd().endsWith(":") === true

/**
 * Reads a section as steps. Each item of a list is one; nested items belong to it, unless they have a box.
 * Without a list each paragraph, row of a table or scenario is one, and of a script each line.
 */
export const stepsOf = (lines: ReadonlyArray<MarkdownLine>, isScript: boolean): ReadSteps => {
  const items: Array<Array<string>> = []
  const blocks: Array<Array<MarkdownLine>> = []
  let item: Array<string> | null = null
  let block: Array<MarkdownLine> | null = null
  let outermost: number | null = null
  let isAfterBlank = false
  const text = (line: MarkdownLine) => {
    if (block === null) blocks.push((block = []))
    block.push(line)
  }
  for (const line of lines) {
    const isCode = line.code !== "no"
    if (!isCode && line.text.trim() === "") {
      isAfterBlank = true
      block = null
      continue
    }
    const found = isCode || rule.test(line.text) ? null : marker.exec(line.text)
    if (found !== null) {
      const indent = widthOf(found[1] ?? "")
      const content = found[2] ?? ""
      const isNested: boolean = item !== null && outermost !== null && indent > outermost + 1
      if (!isNested) outermost = indent
      if (isNested && !box.test(content)) item?.push(`- ${content}`)
      else items.push((item = [content.replace(box, "")]))
      block = null
    } else if (!isCode && rule.test(line.text)) [item, block] = [null, null]
    else if (item !== null && (isCode || !isAfterBlank || /^[ \t]{2}/.test(line.text))) {
      if (!isFence(line.code)) item.push(line.text.trim())
    } else {
      item = null
      if (line.code === "open") block = null
      text(line)
      if (line.code === "close") block = null
    }
    isAfterBlank = false
  }
  const isKept = (one: string) => !isNothing(one)
  const listed = items.map((one) => one.join(" ")).filter(isKept)
  if (listed.length === 0) {
    const told = blocks.filter((one, at) => at === blocks.length - 1 || !isIntroduction(one))
    const texts = told.flatMap((one) => textsOf(one, isScript))
    return { steps: joined(texts.filter(isKept)), rest: [] }
  }
  const rest = blocks.filter((one) => !isIntroduction(one) && one.some(({ text }) => isKept(text)))
  return { steps: joined(listed), rest: rest.flatMap((one) => [blank, ...one]) }
}

const blank: MarkdownLine = { text: "", code: "no", language: "" }
