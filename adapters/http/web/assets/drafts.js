// Keeps a note that was typed and not sent: in this tab, across other pages and a new sign-in, until it is sent.
;(() => {
  // Browsers that block storage throw when it is read.
  const open = () => {
    try {
      return window.sessionStorage
    } catch {
      return null
    }
  }
  const store = open()
  if (!store) return

  const prefix = "draft "
  const sent = "sent draft"
  const forget = (name) => store.removeItem(prefix + name)

  document.addEventListener("input", ({ target }) => {
    const name = target.dataset?.draft
    if (!name) return
    if (target.value === "") forget(name)
    else store.setItem(prefix + name, target.value)
  })

  document.addEventListener("submit", ({ target }) => {
    // The next person at this browser must not find the notes of this one.
    if (target.getAttribute("action") === "/sign-out") return store.clear()
    const field = target.querySelector("[data-draft]")
    if (field) store.setItem(sent, field.dataset.draft)
  })

  const settle = () => {
    const name = store.getItem(sent)
    store.removeItem(sent)
    if (name && document.querySelector("[data-toast]")) forget(name)
    for (const { dataset } of document.querySelectorAll("[data-answered]")) forget(dataset.answered)
    for (const field of document.querySelectorAll("textarea[data-draft]"))
      if (field.value === "") field.value = store.getItem(prefix + field.dataset.draft) ?? ""
    for (const unsent of document.querySelectorAll("[data-unsent][hidden]")) {
      const draft = store.getItem(prefix + unsent.dataset.unsent)
      if (!draft) continue
      unsent.querySelector("[data-copy-text]").textContent = draft
      unsent.hidden = false
    }
  }
  settle()
  document.addEventListener("htmx:after:swap", settle)

  document.addEventListener("gh:signed-out", () => {
    const notice = document.getElementById("signed-out")
    notice.querySelector("a").href = `/sign-in?to=${encodeURIComponent(location.pathname)}`
    notice.hidden = false
  })
})()
