// One stream names what changed; htmx fetches the parts of the page that show it. A browser opens six connections to a
// host, so the pages of a workspace share one stream: the one that has the lock tells the others.
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
  /** True after the page was hidden: it did not listen, and not all that it missed is named afterwards. */
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
  /** Ids of the parts that are fetched, by request: a request names another element once its part was replaced. */
  const fetching = new Map()
  /** Ids of parts that changed while they were fetched: that fetch may have missed the change. */
  const stale = new Set()
  const fetchPart = (part) => {
    if ([...fetching.values()].includes(part.id)) stale.add(part.id)
    else (part.isConnected ? part : document.getElementById(part.id))?.dispatchEvent(new CustomEvent("gh:changed"))
  }
  const fetchWithin = (part, most) =>
    setTimeout(() => {
      waiting.delete(part)
      fetchPart(part)
    }, Math.random() * most)
  document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => fetching.set(ctx, ctx.sourceElement.id))
  document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
    const id = fetching.get(ctx)
    fetching.delete(ctx)
    const part = stale.delete(id) && document.getElementById(id)
    if (part) fetchWithin(part, soon)
  })
  const waitAfter = (failures) => Math.min(longest, 1000 * 2 ** failures) * (0.5 + Math.random())

  /** A part that could not be fetched stays as it is, and is fetched again later. */
  const fetchLater = ({ target }) => {
    if (!target.matches?.("[data-topics]")) return
    const failures = failed.get(target) ?? 0
    if (failed.size === 0) failedAt = Date.now()
    failed.set(target, failures + 1)
    show(true)
    setTimeout(() => fetchPart(target), waitAfter(failures))
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

  /** Fetches every part, for one page that may have missed anything. */
  const lookAgain = () => {
    isBehind = false
    for (const part of document.querySelectorAll("[data-topics]")) fetchWithin(part, soon)
  }

  const handlers = {
    beat: ({ data }) => {
      turn = Number(data) || soon
      hear()
      if (isBehind) lookAgain()
    },
    change: ({ data, id }) => {
      last = id || last
      changedAt = new Date()
      hear()
      fetchParts(data.split(" "))
    },
    // Too much was missed to be named: every part is fetched again.
    reset: ({ id }) => {
      last = id
      hear()
      fetchParts(null)
    },
    /** A page that came later asks what it missed; the answer is how far the page with the stream is. */
    hello: () => source && channel?.postMessage({ type: "position", id: last }),
    position: ({ id }) => {
      const isOlder = BigInt(last || 0) < BigInt(id || 0)
      if (isOlder) last = id
      if (isOlder || isBehind) lookAgain()
    }
  }

  /** The channel to the other pages, and what ends this page's turn with the stream or its wait for it. */
  let channel = null
  let leave = null
  let isOwner = false

  const close = () => {
    source?.close()
    source = null
  }

  const connect = () => {
    if (source || !isOwner) return
    source = new EventSource(`${stream}?after=${encodeURIComponent(last)}`)
    channel?.postMessage({ type: "position", id: last })
    for (const type of ["beat", "change", "reset"])
      source.addEventListener(type, ({ data, lastEventId: id }) => {
        handlers[type]({ data, id })
        channel?.postMessage({ type, data, id })
      })
    source.addEventListener("error", async () => {
      // Closed by the browser: the answer was another one than a stream.
      const isRefused = source?.readyState === 2
      close()
      setTimeout(connect, waitAfter(failures++))
      if (isRefused && (await statusNow()) === 401) document.dispatchEvent(new CustomEvent("gh:signed-out"))
    })
  }

  const own = (stay) => {
    if (stay.signal.aborted) return
    isOwner = true
    connect()
    return new Promise((resume) => stay.signal.addEventListener("abort", resume))
  }

  /** Listens, and takes the stream when no other page has it; without locks (plain HTTP) every page has its own. */
  const join = () => {
    if (leave || isSignedOut || document.hidden) return
    const stay = new AbortController()
    leave = () => {
      leave = null
      isOwner = false
      close()
      channel?.close()
      channel = null
      stay.abort()
    }
    if (!navigator.locks) return void own(stay)
    channel = new BroadcastChannel(stream)
    channel.addEventListener("message", ({ data }) => handlers[data.type]?.(data))
    channel.postMessage({ type: "hello" })
    navigator.locks.request(stream, { signal: stay.signal }, () => own(stay)).catch(() => {})
  }

  document.addEventListener("gh:signed-out", () => {
    isSignedOut = true
    leave?.()
    show(false)
  })
  addEventListener("pagehide", () => leave?.())
  addEventListener("pageshow", (event) => event.persisted && join())
  // A page that nobody sees may sleep: it leaves the stream to another one, and looks again when it is seen.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return join()
    isBehind = true
    leave?.()
  })
  setInterval(() => !document.hidden && Date.now() - heard > silence && show(false), 1000)
  join()
})()
