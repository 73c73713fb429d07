// Logs that follow their agent, and boards: a card that is dragged to a column presses the button of its own menu.
;(() => {
  const log = () => document.querySelector("[data-follow]")
  const atEnd = (element) => element.scrollHeight - element.scrollTop - element.clientHeight < 40
  let follows = true
  const toEnd = () => {
    const element = log()
    if (element && follows) element.scrollTop = element.scrollHeight
  }
  toEnd()
  document.addEventListener("htmx:before:swap", () => (follows = !log() || atEnd(log())))
  document.addEventListener("htmx:after:swap", toEnd)

  const page = () => document.getElementById("board-page")
  if (!page()) return

  const announce = (text) => {
    const words = document.createElement("p")
    words.className = "vh"
    words.textContent = text
    document.getElementById("toasts")?.append(words)
    setTimeout(() => words.remove(), 4000)
  }

  // On a phone one column is shown at a time: the first one where work is.
  const open = page().querySelector("[data-work]")
  const board = page().querySelector(".board")
  if (open && matchMedia("(max-width: 63.99rem)").matches) board.scrollLeft = open.offsetLeft - board.offsetLeft

  let dragged = null
  /** A board that is in use is not replaced; it fetches what it missed afterwards. */
  let missed = false
  const isBusy = () => dragged !== null || page().querySelector("details[open]") !== null
  const keep = (event) => {
    if (event.target !== page() || !isBusy()) return
    event.stopImmediatePropagation()
    event.preventDefault()
    missed = true
  }
  for (const type of ["gh:changed", "htmx:before:swap"]) document.addEventListener(type, keep, true)
  const catchUp = () => {
    if (!missed || isBusy()) return
    missed = false
    page().dispatchEvent(new CustomEvent("gh:changed"))
  }

  const buttonOf = (card, column) => card.querySelector(`button[value="${column.dataset.column}"]`)
  const columnAt = (event) => event.target.closest?.("[data-column]")
  const leave = () => document.querySelectorAll(".over").forEach((one) => one.classList.remove("over"))

  document.addEventListener("dragstart", (event) => {
    const card = event.target.closest?.("[data-card]")
    if (!card) return
    dragged = card
    event.dataTransfer.effectAllowed = "move"
    event.dataTransfer.setData("text/plain", card.dataset.card)
    card.classList.add("dragged")
  })
  document.addEventListener("dragover", (event) => {
    const column = columnAt(event)
    leave()
    if (!dragged || !column || !buttonOf(dragged, column)) return
    event.preventDefault()
    column.classList.add("over")
  })
  document.addEventListener("drop", (event) => {
    const column = columnAt(event)
    const button = dragged && column && buttonOf(dragged, column)
    if (!button) return
    event.preventDefault()
    button.form.requestSubmit(button)
  })
  document.addEventListener("dragend", () => {
    leave()
    dragged?.classList.remove("dragged")
    dragged = null
    catchUp()
  })

  // One menu at a time; Escape closes it.
  document.addEventListener(
    "toggle",
    (event) => {
      if (event.target.matches?.(".move") && event.target.open)
        for (const other of page().querySelectorAll(".move[open]")) if (other !== event.target) other.open = false
      catchUp()
    },
    true
  )
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest?.(".move[open]")
    if (!menu) return
    menu.open = false
    menu.querySelector("summary").focus()
  })
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.(".move")) for (const menu of page().querySelectorAll(".move[open]")) menu.open = false
  })

  /** The card that was moved last, which gets the focus back in its new column. */
  let moved = null
  document.addEventListener("submit", (event) => {
    const card = event.target.closest?.("[data-card]")
    if (!card) return
    moved = { key: card.dataset.card, to: event.submitter?.value }
    card.querySelector(".move").open = false
  })
  document.addEventListener("gh:refused", ({ target }) => {
    const card = target.closest?.("[data-card]")
    if (!card) return
    moved = null
    card.querySelector("summary").focus()
  })
  document.addEventListener("htmx:after:swap", () => {
    if (moved === null) return
    const card = document.getElementById(`card-${moved.key}`)
    const column = card?.closest("[data-column]")
    const refusal = page().querySelector("[role=alert] p")?.textContent
    // Another part of the page may have been replaced before the answer came.
    if (!refusal && column?.dataset.column !== moved.to) return
    announce(refusal ?? `${moved.key} is in ${column.querySelector("h2").textContent}`)
    card?.querySelector("summary")?.focus()
    moved = null
  })
})()
