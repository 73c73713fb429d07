// One stream names what changed; htmx fetches the parts of the page that show it.
;(() => {
  const { stream } = document.body.dataset
  if (!stream) return

  const silence = 10_000
  const longest = 30_000
  let source
  let last = document.body.dataset.after ?? ""
  let failures = 0
  let heard = Date.now()
  let changedAt = null

  const state = document.querySelector("[data-live-state]")
  const clock = (at) => at.toLocaleTimeString("en-GB")
  const show = (isLive) => {
    if (!state) return
    const since = changedAt ? `. Last change ${clock(changedAt)}` : ""
    state.classList.toggle("s-warn", !isLive)
    state.querySelector("[data-live-words]").textContent = isLive
      ? `Live${since}`
      : `Not live since ${clock(new Date(heard))}. Trying again`
  }

  /** Many pages hear of a change at once, and must not all ask at once: a beat says within how long they take turns. */
  const soon = 300
  let turn = soon
  const waiting = new WeakSet()
  const fetchWithin = (part, most) =>
    setTimeout(() => {
      waiting.delete(part)
      part.dispatchEvent(new CustomEvent("gh:changed"))
    }, Math.random() * most)
  /**
   * Has the parts of the page that show one of the topics fetched; without topics, all of them. What names the very
   * object is fetched soon; lists and counts, which all pages show, in turn and once for all changes until then.
   */
  const fetchParts = (topics) => {
    for (const part of document.querySelectorAll("[data-topics]")) {
      const named = part.dataset.topics.split(" ").filter((topic) => !topics || topics.includes(topic))
      if (topics && named.some((topic) => topic.includes("-"))) fetchWithin(part, soon)
      else if (named.length > 0 && !waiting.has(part)) {
        waiting.add(part)
        fetchWithin(part, turn)
      }
    }
  }

  const hear = () => {
    heard = Date.now()
    failures = 0
    show(true)
  }

  const connect = () => {
    source = new EventSource(`${stream}?after=${encodeURIComponent(last)}`)
    source.addEventListener("beat", (event) => {
      turn = Number(event.data) || soon
      hear()
    })
    source.addEventListener("change", (event) => {
      last = event.lastEventId || last
      changedAt = new Date()
      hear()
      fetchParts(event.data.split(" "))
    })
    // Too much was missed to be named: every part is fetched again.
    source.addEventListener("reset", (event) => {
      last = event.lastEventId
      hear()
      fetchParts(null)
    })
    source.addEventListener("error", () => {
      source.close()
      const wait = Math.min(longest, 1000 * 2 ** failures++)
      setTimeout(connect, wait * (0.5 + Math.random()))
    })
  }

  addEventListener("pagehide", () => source?.close())
  addEventListener("pageshow", (event) => event.persisted && connect())
  setInterval(() => Date.now() - heard > silence && show(false), 1000)
  connect()
})()
