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
    const since = changedAt ? ` Last change ${clock(changedAt)}` : ""
    state.classList.toggle("s-warn", !isLive)
    state.querySelector("[data-live-words]").textContent = isLive
      ? `Live.${since}`
      : `Not live since ${clock(new Date(heard))}. Trying again`
  }

  /** Many pages hear of a change at once, and must not all ask at once. */
  const jitter = () => Math.random() * 300
  /** Has the parts of the page that show one of the topics fetched; without topics, all of them. */
  const fetchParts = (topics) => {
    for (const part of document.querySelectorAll("[data-topics]"))
      if (!topics || part.dataset.topics.split(" ").some((topic) => topics.includes(topic)))
        part.dispatchEvent(new CustomEvent("gh:changed"))
  }

  const hear = () => {
    heard = Date.now()
    failures = 0
    show(true)
  }

  const connect = () => {
    source = new EventSource(`${stream}?after=${encodeURIComponent(last)}`)
    source.addEventListener("beat", hear)
    source.addEventListener("change", (event) => {
      last = event.lastEventId || last
      changedAt = new Date()
      hear()
      const topics = event.data.split(" ")
      setTimeout(() => fetchParts(topics), jitter())
    })
    // Too much was missed to be named: every part is fetched again.
    source.addEventListener("reset", (event) => {
      last = event.lastEventId
      hear()
      setTimeout(() => fetchParts(null), jitter())
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
