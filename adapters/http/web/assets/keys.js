// Single-key shortcuts, off while a field has the focus and when the person switched them off.
;(() => {
  const rows = () => [...document.querySelectorAll("[data-row]")]

  const step = (by) => {
    const way = document.querySelector(by > 0 ? "[data-next]" : "[data-previous]")
    if (way) return way.click()
    const all = rows()
    const here = all.indexOf(document.activeElement)
    const next = here < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, here + by))
    all[next]?.focus()
  }

  const keys = {
    j: () => step(1),
    k: () => step(-1),
    n: () => document.getElementById("note")?.focus(),
    "/": () =>
      (document.getElementById("q") ?? { focus: () => document.querySelector("[data-search]")?.click() }).focus(),
    "?": () => document.getElementById("keys")?.showModal()
  }

  document.addEventListener("keydown", (event) => {
    if (!("keys" in document.body.dataset) || event.ctrlKey || event.metaKey || event.altKey) return
    const { target } = event
    if (target.matches("input, textarea, select, [contenteditable]")) {
      if (event.key === "Escape") target.blur()
      return
    }
    if (document.querySelector("dialog:modal")) return
    const option = /^[1-4]$/.test(event.key) && document.querySelector(`[data-option="${event.key}"]`)
    const act = option ? () => option.focus() : Object.hasOwn(keys, event.key) ? keys[event.key] : null
    if (!act) return
    event.preventDefault()
    act()
  })
})()
