// Keeps what was typed into notes and long forms and not sent: in this tab, across other pages and a new sign-in, until
// it is sent.
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

  const formName = (form) => `${document.body.dataset.reader} ${form.getAttribute("action")}`
  const textsOf = (form) => form.querySelectorAll("input.input, textarea")
  /** Texts of a form by field, each with the one that the server had: it is given back only while the server still has it. */
  const kept = (form) => JSON.parse(store.getItem(prefix + formName(form)) ?? "{}")

  const keep = (form) => {
    const before = kept(form)
    const texts = [...textsOf(form)].map(({ defaultValue, name, value }) => {
      // A form that was refused comes back with what was typed.
      const [server, typed] = before[name] ?? []
      return [name, [typed === defaultValue ? server : defaultValue, value]]
    })
    const changed = texts.filter(([, [server, typed]]) => server !== typed)
    if (changed.length === 0) forget(formName(form))
    else store.setItem(prefix + formName(form), JSON.stringify(Object.fromEntries(changed)))
  }

  const giveBack = (form) => {
    const texts = kept(form)
    for (const field of textsOf(form)) {
      const [server, typed] = texts[field.name] ?? []
      if (server === field.defaultValue) field.value = typed
    }
  }

  document.addEventListener("input", ({ target }) => {
    const form = target.closest?.("[data-keeps]")
    if (form) keep(form)
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
    else if (target.matches("[data-keeps]")) store.setItem(sent, formName(target))
  })

  const settle = () => {
    const name = store.getItem(sent)
    store.removeItem(sent)
    if (name && document.querySelector("[data-toast]")) forget(name)
    for (const notice of document.querySelectorAll("[data-kept]"))
      notice.hidden = !name || !store.getItem(prefix + name)
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
  document.querySelectorAll("[data-keeps]").forEach(giveBack)
  document.addEventListener("htmx:after:swap", settle)

  document.addEventListener("gh:signed-out", () => {
    const notice = document.getElementById("signed-out")
    notice.querySelector("a").href = `/sign-in?to=${encodeURIComponent(location.pathname)}`
    notice.hidden = false
  })
})()
