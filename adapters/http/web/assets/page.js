// Small helps of every page: copying, dialogs, toasts, and what a form shows while it is sent.
;(() => {
  const root = document.documentElement
  root.classList.add("js")

  const year = 31_536_000
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (zone) document.cookie = `gatehouse-zone=${zone}; path=/; samesite=lax; max-age=${year}`

  const announce = (text) => {
    const toasts = document.getElementById("toasts")
    if (!toasts) return
    const words = document.createElement("p")
    words.className = "vh"
    words.textContent = text
    toasts.append(words)
    setTimeout(() => words.remove(), 2000)
  }

  const copy = async (button) => {
    const source = button.parentElement.querySelector("[data-copy-text]")
    await navigator.clipboard.writeText(source.value ?? source.textContent)
    const words = button.querySelector("span")
    words.textContent = "Copied"
    announce("Copied")
    setTimeout(() => (words.textContent = "Copy"), 2000)
  }

  /** The element that opened each dialog, to which the focus returns. */
  const openers = new WeakMap()

  const openDialog = (event, opener) => {
    const dialog = document.getElementById(opener.dataset.dialog)
    if (!dialog) return
    event.preventDefault()
    openers.set(dialog, opener)
    dialog.addEventListener("close", () => openers.get(dialog)?.focus(), { once: true })
    dialog.showModal()
  }

  document.addEventListener("click", (event) => {
    const at = (selector) => event.target.closest?.(selector)
    const [copier, opener, closer, dismisser] = ["[data-copy]", "[data-dialog]", "[data-close]", "[data-dismiss]"].map(
      at
    )
    if (copier) copy(copier)
    if (opener) openDialog(event, opener)
    if (closer) closer.closest("dialog").close()
    const toast = dismisser?.closest(".toast")
    if (toast?.id) toast.hidden = true
    else toast?.remove()
  })

  /** A toast leaves after six seconds, unless it is hovered or has the focus. */
  const leave = (toast) =>
    setTimeout(() => (toast.matches(":hover, :focus-within") ? leave(toast) : toast.remove()), 6000)

  const arrived = (element) => {
    for (const toast of element.querySelectorAll("[data-toast]:not([data-seen])")) {
      toast.dataset.seen = ""
      document.getElementById("toasts")?.append(toast)
      leave(toast)
    }
  }
  arrived(document)

  // On a phone the tab of this page may be out of sight.
  for (const tab of document.querySelectorAll(".tabs [aria-current]"))
    tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 16

  // Filters are sent when they change; without script a button sends them.
  document.addEventListener("change", (event) => event.target.closest?.("[data-autosubmit]")?.requestSubmit())

  /** The form that a swap may replace, the text that was typed into it, and the text that somebody else's answer made obsolete. */
  let form = null
  let typed = ""
  let lost = ""

  /** Gives the pressed button its words back. */
  let unpress = () => {}

  document.addEventListener("htmx:before:request", ({ target }) => {
    if (!target.matches?.("[data-sending]")) return
    const pressed = document.activeElement
    target.setAttribute("aria-busy", "true")
    for (const button of target.querySelectorAll("button")) {
      const words = button.firstElementChild
      if (button !== pressed) button.inert = true
      else if (words) {
        const before = [...words.childNodes]
        unpress = () => words.replaceChildren(...before)
        words.textContent = "Sending…"
      }
    }
  })
  document.addEventListener("htmx:before:swap", () => {
    form = document.querySelector("[data-sending]")
    typed = document.getElementById("note")?.value ?? ""
  })
  document.addEventListener("htmx:after:swap", () => {
    arrived(document)
    // The focus moves only when the form became its outcome.
    const outcome = document.querySelector("[data-focus]")
    if (!outcome) return
    if (form !== null) {
      if (form.getAttribute("aria-busy") !== "true") lost = typed
      form = null
      outcome.focus()
    }
    const unsent = document.querySelector("[data-unsent]")
    if (!unsent || lost === "") return
    unsent.querySelector("[data-copy-text]").textContent = lost
    unsent.hidden = false
  })
  /** Opens a form again that was not accepted; null if it is not one that is sent so. */
  const reopened = ({ target }) => {
    const sent = target.closest?.("[data-sending]")
    if (!sent) return null
    sent.removeAttribute("aria-busy")
    for (const button of sent.querySelectorAll("button")) button.inert = false
    unpress()
    return sent
  }
  document.addEventListener("gh:refused", reopened)
  document.addEventListener("htmx:error", (event) => {
    const unsure = reopened(event)?.querySelector("[data-unsure]")
    if (unsure) unsure.hidden = false
  })

  const minutes = (until) => Math.floor((Date.parse(until) - Date.now()) / 60_000)
  const words = (left) => {
    const [days, hours] = [Math.floor(left / 1440), Math.floor(left / 60)]
    if (left < 1) return left < 0 ? "Expired" : "under 1 min left"
    if (hours === 0) return `${left} min left`
    const [unit, rest] = days > 0 ? [`${days} day${days > 1 ? "s" : ""}`, hours % 24] : [`${hours} h`, left % 60]
    return `${unit}${rest === 0 ? "" : ` ${rest} ${days > 0 ? "h" : "min"}`} left`
  }
  setInterval(() => {
    for (const time of document.querySelectorAll("[data-left]"))
      time.querySelector("span").textContent = words(minutes(time.dateTime))
  }, 20_000)
})()
