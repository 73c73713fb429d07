// Signing in with a passkey and adding one: the browser's answers travel as one field of a form.
;(() => {
  if (!window.PublicKeyCredential) return

  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0))
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, "-")
      .replace(/\//g, "_")
      .replace(/=+$/, "")

  const send = async (address, fields) => {
    // Only what accepts a page is answered by the app.
    const headers = { accept: "application/json, text/html;q=0.9" }
    const response = await fetch(address, { method: "POST", headers, body: new URLSearchParams(fields) })
    const answer = await response.json()
    if (!response.ok) throw new Error(answer.message)
    return answer
  }

  const known = (list = []) => list.map((one) => ({ ...one, id: bytes(one.id) }))

  const answerOf = (credential) => {
    const { authenticatorAttachment, id, response, type } = credential
    return {
      id,
      rawId: id,
      type,
      authenticatorAttachment,
      clientExtensionResults: credential.getClientExtensionResults(),
      response: {
        clientDataJSON: text(response.clientDataJSON),
        ...(response.attestationObject && {
          attestationObject: text(response.attestationObject),
          transports: response.getTransports?.() ?? []
        }),
        ...(response.signature && {
          authenticatorData: text(response.authenticatorData),
          signature: text(response.signature),
          ...(response.userHandle && { userHandle: text(response.userHandle) })
        })
      }
    }
  }

  const signIn = async ({ to }) => {
    const options = await send("/sign-in/passkey/options", {})
    const publicKey = {
      ...options,
      challenge: bytes(options.challenge),
      allowCredentials: known(options.allowCredentials)
    }
    const credential = await navigator.credentials.get({ publicKey })
    return send("/sign-in/passkey", { response: JSON.stringify(answerOf(credential)), to: to ?? "" })
  }

  const add = async (address, label) => {
    const options = await send(`${address}/options`, {})
    const publicKey = {
      ...options,
      challenge: bytes(options.challenge),
      user: { ...options.user, id: bytes(options.user.id) },
      excludeCredentials: known(options.excludeCredentials)
    }
    const credential = await navigator.credentials.create({ publicKey })
    return send(address, { response: JSON.stringify(answerOf(credential)), label })
  }

  /** Errors of the service say what to do; those of browsers are made for developers. */
  const wordsOf = (error) => {
    if (error.name === "Error") return error.message
    if (error.name === "InvalidStateError") return "This device already has a passkey here."
    if (error.name === "TypeError") return "The service did not answer. Try again."
    return "This browser could not use a passkey here. Sign in with a link, or try another browser."
  }

  /** A person who closes the browser's dialog has done nothing wrong. */
  const attempt = async (part, act) => {
    const problem = part.querySelector("[role=alert]")
    problem.hidden = true
    try {
      const { to } = await act()
      location.assign(to)
    } catch (error) {
      if (error.name === "NotAllowedError" || error.name === "AbortError") return
      problem.textContent = wordsOf(error)
      problem.hidden = false
    }
  }

  for (const part of document.querySelectorAll("[data-passkey-sign-in]")) {
    part.hidden = false
    part.querySelector("button").addEventListener("click", () => attempt(part, () => signIn(part.dataset)))
  }
  for (const form of document.querySelectorAll("[data-passkey-add]")) {
    form.hidden = false
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      attempt(form, () => add(form.dataset.passkeyAdd, form.elements.label.value))
    })
  }
})()
