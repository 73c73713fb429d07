import { DateTime } from "effect"
import MarkdownIt from "markdown-it"
import { exact, moment, partsOf } from "../components/Times.ts"
import { type Reader, useReader } from "../Reader.ts"

/** Escapes HTML in the text; only these addresses become links, and a picture becomes a link, so that nothing is loaded. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false })
markdown.validateLink = (url) => /^(https?:\/\/|mailto:|\/(?!\/)|#)/i.test(url.trim())

const { rules } = markdown.renderer
rules["heading_open"] = (tokens, at) => `<h${Math.min(6, Number(tokens[at]?.tag.slice(1)) + 2)}>`
rules["heading_close"] = (tokens, at) => `</h${Math.min(6, Number(tokens[at]?.tag.slice(1)) + 2)}>`
rules["link_open"] = (tokens, at, options, _, self) => {
  tokens[at]?.attrSet("rel", "noopener nofollow")
  return self.renderToken(tokens, at, options)
}
rules["image"] = (tokens, at) => {
  const { escapeHtml } = markdown.utils
  const token = tokens[at]
  const words = token?.content || "Picture"
  return `<a href="${escapeHtml(String(token?.attrGet("src") ?? ""))}" rel="noopener nofollow">${escapeHtml(words)}</a>`
}

const region = (name: string) => `tabindex="0" role="region" aria-label="${name}"`

// A table or code wider than the page scrolls by itself, and the keyboard can focus it.
rules["table_open"] = () => `<div class="scroll" ${region("Table")}><table>`
rules["table_close"] = () => "</table></div>"
const code = (content: string | undefined) =>
  `<pre ${region("Code")}><code>${markdown.utils.escapeHtml(content ?? "")}</code></pre>`
rules["fence"] = (tokens, at) => code(tokens[at]?.content)
rules["code_block"] = (tokens, at) => code(tokens[at]?.content)

rules["text"] = (tokens, at, _, env) => {
  const { reader } = env as { readonly reader: Reader }
  const { escapeHtml } = markdown.utils
  return partsOf(tokens[at]?.content ?? "")
    .map((part) =>
      typeof part === "string"
        ? escapeHtml(part)
        : `<time datetime="${DateTime.formatIso(part)}" title="${exact(part, reader)}">${moment(part, reader)}</time>`
    )
    .join("")
}

/** A text in Markdown, with timestamps as the reader's time; its headings come below the page's. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <div class="body md" dangerouslySetInnerHTML={{ __html: markdown.render(text, { reader: useReader() }) }} />
)

interface Span {
  readonly text: string
  readonly as: "code" | "strong" | null
}

const isCode = (part: string) => part.length > 2 && part.startsWith("`") && part.endsWith("`")

/** Bold text begins and ends with a letter or digit, so that the stars of paths stay. */
const bold = /(?<![^\s(])\*\*([\p{L}\p{N}](?:[^*]*[\p{L}\p{N}])?)\*\*(?![^\s.,:;!?)])/u

/** The parts of a line: text, code between backticks, and bold text. */
const spansOf = (line: string): ReadonlyArray<Span> =>
  line.split(/(`[^`]+`)/).flatMap((part): ReadonlyArray<Span> => {
    if (isCode(part)) return [{ text: part.slice(1, -1), as: "code" }]
    return part.split(bold).map((text, index) => ({ text, as: index % 2 === 1 ? "strong" : null }))
  })

/** One line with its code and bold text marked; everything else is text. */
export const Inline = ({ text }: { readonly text: string }) => (
  <>{spansOf(text).map(({ as: Tag, text: part }) => (Tag === null ? part : <Tag>{part}</Tag>))}</>
)

/** The same line without marks, where there is only text. */
export const plain = (line: string): string =>
  spansOf(line)
    .map(({ text }) => text)
    .join("")
