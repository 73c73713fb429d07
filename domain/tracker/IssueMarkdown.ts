import { printable } from "../value/Text.ts"

/** A line that a reader of the issue sees. */
export interface MarkdownLine {
  readonly text: string
  /** Part of a block of code, in which Markdown means nothing; `open` and `close` are its fences. */
  readonly code: "no" | "open" | "code" | "close"
  /** The language of the block, with its first line. */
  readonly language: string
}

/** Characters without a glyph: they carry text past the people who read an issue. Emoji and scripts need the joiners and selectors. */
const invisible = /(?!\u200C|\u200D|[\u{FE00}-\u{FE0F}])\p{Default_Ignorable_Code_Point}/gu

const fence = /^[ \t]*(?:(`{3,})([^`]*)|(~{3,})(.*))$/
const rawHtml = /^ {0,3}<(pre|script|style|textarea)(?=[\s>]|$)/i
const commentBlock = /^ {0,3}<!--/
/** `[//]: # (a comment)`, an idiom that shows nothing. */
const hiddenReference = /^ {0,3}\[[^\][]*\]:[ \t]*(?:#|<>)(?:[ \t]|$)/

/** Places in a line that are in a code span. */
const codeSpans = (text: string): ReadonlyArray<readonly [from: number, to: number]> => {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ from: index, length }))
  const last = new Map(runs.map(({ length }, at) => [length, at]))
  const spans: Array<readonly [number, number]> = []
  let open: { readonly from: number; readonly length: number } | null = null
  runs.forEach((run, at) => {
    if (open === null) {
      if ((last.get(run.length) ?? 0) > at) open = run
    } else if (run.length === open.length) {
      spans.push([open.from, run.from + run.length])
      open = null
    }
  })
  return spans
}

/** A line without its comments; `isOpen` when one goes on in the next line. */
const withoutComments = (text: string, isOpen: boolean, mayGoOn: boolean) => {
  const spans = text.includes("`") ? codeSpans(text) : []
  let [shown, at, inside] = ["", 0, isOpen]
  let span = 0
  for (;;) {
    if (inside) {
      const end = text.indexOf("-->", at)
      if (end < 0) return { shown, isOpen: true }
      ;[at, inside] = [end + 3, false]
    }
    const begin = text.indexOf("<!--", at)
    while (span < spans.length && (spans[span]?.[1] ?? 0) <= begin) span++
    const code = spans[span]
    if (begin >= 0 && code !== undefined && code[0] < begin) {
      shown += text.slice(at, code[1])
      at = code[1]
      continue
    }
    const isClosed = begin >= 0 && text.indexOf("-->", begin + 2) >= 0
    if (begin < 0 || !(isClosed || mayGoOn)) return { shown: shown + text.slice(at), isOpen: false }
    shown += text.slice(at, begin)
    at = begin + 2
    inside = true
  }
}

/** For each line, whether a comment that begins in it ends before its paragraph does. */
const closings = (lines: ReadonlyArray<string>): ReadonlyArray<boolean> => {
  const found = lines.map(() => false)
  let closes = false
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? ""
    found[at] = closes
    closes = line.trim() !== "" && (closes || line.includes("-->"))
  }
  return found
}

/** The lines of a body that its readers see: without comments, controls and invisible characters. */
export const linesOf = (body: string): ReadonlyArray<MarkdownLine> => {
  const all = printable(body).replace(invisible, "").split("\n")
  const closes = closings(all)
  const lines: Array<MarkdownLine> = []
  let open: { readonly mark: string; readonly length: number } | null = null
  let raw: string | null = null
  let isComment = false
  const push = (text: string, code: MarkdownLine["code"] = "no", language = "") => lines.push({ text, code, language })
  all.forEach((text, at) => {
    if (open !== null) {
      const bare = text.trim()
      const isEnd = bare.length >= open.length && bare === open.mark.repeat(bare.length)
      if (isEnd) open = null
      push(text, isEnd ? "close" : "code")
    } else if (raw !== null) {
      push(text, "code")
      if (text.toLowerCase().includes(raw)) raw = null
    } else {
      const fenced = isComment ? null : fence.exec(text)
      if (fenced !== null) {
        const run = fenced[1] ?? fenced[3] ?? ""
        open = { mark: run.charAt(0), length: run.length }
        push(text, "open", (fenced[2] ?? fenced[4] ?? "").trim().toLowerCase())
        return
      }
      const tag = isComment ? null : rawHtml.exec(text)
      if (tag !== null) {
        const end = `</${tag[1]?.toLowerCase()}>`
        if (!text.toLowerCase().includes(end)) raw = end
        push(text, "code")
        return
      }
      if (!isComment && hiddenReference.test(text)) return
      const mayGoOn = commentBlock.test(text) || closes[at] === true
      const left = withoutComments(text, isComment, mayGoOn)
      const hadComment = isComment || left.shown !== text
      isComment = left.isOpen
      if (!hadComment || left.shown.trim() !== "") push(left.shown)
    }
  })
  return lines
}
