import MarkdownIt from "markdown-it"

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

/** A text in Markdown; its headings come below the page's. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <div class="body md" dangerouslySetInnerHTML={{ __html: markdown.render(text) }} />
)

/** One line in which only code between backticks is marked. */
export const Inline = ({ text }: { readonly text: string }) => (
  <>
    {text
      .split(/(`[^`]+`)/)
      .map((part) =>
        part.length > 2 && part.startsWith("`") && part.endsWith("`") ? <code>{part.slice(1, -1)}</code> : part
      )}
  </>
)
