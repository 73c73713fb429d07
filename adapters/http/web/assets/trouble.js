// An error as the answer replaces a part of the page only if it has that part; else its words are shown, and all stays.
;(() => {
  const gone = {
    title: "This is gone.",
    words: "It was deleted or moved, or you may no longer see it. What you typed is still on this page."
  }

  /** Where to go from a page whose object is gone: up, or to the start page. */
  const wayOn = () => document.querySelector(".crumbs li:nth-last-child(2) a") ?? document.querySelector(".brand")

  const said = (html) => {
    const answer = new DOMParser().parseFromString(html, "text/html")
    const [title, words] = ["h1", "[data-error]"].map((part) => answer.querySelector(part)?.textContent)
    return { title: `${title || "That did not work"}.`, words: words || "Try again in a moment." }
  }

  const notice = document.getElementById("trouble")
  const show = (status, html) => {
    if (!notice) return
    const { title, words } = status === 404 ? gone : said(html)
    notice.querySelector("p > strong").textContent = title
    notice.querySelector("p > span").textContent = words
    const way = notice.querySelector("p > a")
    const to = wayOn()
    way.hidden = status !== 404 || !to
    if (to) {
      way.href = to.href
      way.textContent = to.matches(".brand") ? "Go to the start page" : `Back to ${to.textContent}`
    }
    notice.hidden = false
  }

  /** A part that fetches itself does so again later; only what will not pass is worth a word. */
  const passes = (source, status) => source.matches("[data-topics]") && (status >= 500 || status === 429)

  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx, tasks } = event.detail
    const status = ctx.response?.status ?? 200
    const hasPart = ctx.select && tasks.some(({ fragment, type }) => type === "main" && fragment.childElementCount > 0)
    if (status < 400 || hasPart) return
    event.preventDefault()
    const source = ctx.sourceElement
    if (!passes(source, status)) show(status, ctx.text)
    source.dispatchEvent(new CustomEvent("gh:refused", { bubbles: true, detail: { status } }))
  })
  document.addEventListener("htmx:before:request", ({ target }) => {
    if (notice && !target.matches?.("[data-topics]")) notice.hidden = true
  })
})()
