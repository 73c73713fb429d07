// One stream names what changed; htmx fetches the parts of the page that show it.
;(() => {
  const { stream } = document.body.dataset
  if (!stream) return

  const silence = 10_000
  const longest = 30_000
  let source = null
  let last = document.body.dataset.after ?? ""
  let failures = 0
  let heard = Date.now()
  let changedAt = null
  let isSignedOut = false
  /** True after the page was hidden: its stream was closed, and not all that it missed is named afterwards. */
  let isBehind = document.hidden

  const state = document.querySelector("[data-live-state]")
  const clock = (at) => at.toLocaleTimeString("en-GB")
  /** Parts whose last fetch failed, with the number of failures. */
  const failed = new Map()
  let failedAt = 0
  const show = (isHeard) => {
    if (!state) return
    for (const part of failed.keys()) if (!part.isConnected) failed.delete(part)
    const isLive = isHeard && failed.size === 0
    const last = changedAt ? `. Last change ${clock(changedAt)}` : ""
    const since = `Not live since ${clock(new Date(isHeard ? failedAt : heard))}`
    state.classList.toggle("s-warn", !isLive)
    state.querySelector("[data-live-words]").textContent = isLive
      ? `Live${last}`
      : `${since}. ${isSignedOut ? "Sign in again" : "Trying again"}`
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
  const waitAfter = (failures) => Math.min(longest, 1000 * 2 ** failures) * (0.5 + Math.random())

  /** A part that could not be fetched stays as it is, and is fetched again later. */
  const fetchLater = ({ target }) => {
    if (!target.matches?.("[data-topics]")) return
    const failures = failed.get(target) ?? 0
    if (failed.size === 0) failedAt = Date.now()
    failed.set(target, failures + 1)
    show(true)
    setTimeout(() => target.dispatchEvent(new CustomEvent("gh:changed")), waitAfter(failures))
  }
  document.addEventListener("htmx:error", fetchLater)
  document.addEventListener("gh:refused", (event) => {
    const { status } = event.detail
    if (status >= 500 || status === 429) fetchLater(event)
    else failed.delete(event.target)
  })
  document.addEventListener("htmx:after:swap", ({ target }) => failed.delete(target) && show(true))

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

  /** The stream's own status, which browsers do not tell. */
  const statusNow = async () => {
    const asked = new AbortController()
    try {
      const { status } = await fetch(stream, { signal: asked.signal })
      return status
    } catch {
      return 0
    } finally {
      asked.abort()
    }
  }

  const close = () => {
    source?.close()
    source = null
  }

  const connect = () => {
    if (source || isSignedOut || document.hidden) return
    source = new EventSource(`${stream}?after=${encodeURIComponent(last)}`)
    source.addEventListener("beat", (event) => {
      turn = Number(event.data) || soon
      hear()
      if (!isBehind) return
      isBehind = false
      for (const part of document.querySelectorAll("[data-topics]")) fetchWithin(part, soon)
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
    source.addEventListener("error", async () => {
      // Closed by the browser: the answer was another one than a stream.
      const isRefused = source?.readyState === 2
      close()
      setTimeout(connect, waitAfter(failures++))
      if (isRefused && (await statusNow()) === 401) document.dispatchEvent(new CustomEvent("gh:signed-out"))
    })
  }

  document.addEventListener("gh:signed-out", () => {
    isSignedOut = true
    close()
    show(false)
  })
  addEventListener("pagehide", close)
  addEventListener("pageshow", (event) => event.persisted && connect())
  // A browser opens six connections to a host: a page that nobody sees keeps none, and looks again when it is seen.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return connect()
    isBehind = true
    close()
  })
  setInterval(() => !document.hidden && Date.now() - heard > silence && show(false), 1000)
  connect()
})()
