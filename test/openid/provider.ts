// @effect-diagnostics processEnv:off
/** An OpenID Connect provider in a process of its own; its page signs anybody in as the account they type. */
import Provider, { type Context } from "oidc-provider"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

const { CLIENT_SECRET = "", NAMES = "later", REDIRECT = "" } = process.env

interface Claims {
  readonly email: string
  readonly email_verified: boolean
}

const accounts = new Map<string, Claims>()

const page = (path: string) => `<!doctype html>
<html lang="en"><head><title>The provider</title></head><body><h1>Who are you?</h1>
<form method="post" action="${path}">
<label>Account <input name="account"></label>
<label>E-mail address <input name="email"></label>
<label>Verified <input type="checkbox" name="verified"></label>
<button>Continue</button><button name="cancel" value="yes">Cancel</button>
</form></body></html>`

const bodyOf = async (request: IncomingMessage) => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return new URLSearchParams(text)
}

const server = createServer().listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  const issuer = `http://localhost:${port}`
  const provider = new Provider(issuer, {
    clients: [{ client_id: "gatehouse", client_secret: CLIENT_SECRET, redirect_uris: [REDIRECT] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    // By default the address is named by the user info alone.
    conformIdTokenClaims: NAMES === "later",
    cookies: { keys: ["of a test"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...accounts.get(accountId) })
    }),
    loadExistingGrant: async ({ oidc }: Context) => {
      const { clientId } = oidc.client
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope("openid email")
      await grant.save()
      return grant
    }
  })
  const answer = provider.callback()
  server.on("request", (request, response) => {
    if (request.url === "/favicon.ico") return void response.writeHead(204).end()
    if (request.url?.startsWith("/interaction/") !== true) return void answer(request, response)
    if (request.method !== "POST") return void response.setHeader("content-type", "text/html").end(page(request.url))
    void bodyOf(request).then((form) => {
      const account = form.get("account") ?? ""
      accounts.set(account, { email: form.get("email") ?? "", email_verified: form.has("verified") })
      const result = form.has("cancel") ? { error: "access_denied" } : { login: { accountId: account } }
      return provider.interactionFinished(request, response, result)
    })
  })
  process.stdout.write(`The provider is at ${issuer}\n`)
})
