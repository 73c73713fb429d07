import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as crypto from "node:crypto"

const policy = (directives: Readonly<Record<string, string>>) =>
  Object.entries(directives)
    .map(([name, values]) => `${name} ${values}`)
    .join("; ")

const common = { "connect-src": "'self'", "base-uri": "'none'", "frame-ancestors": "'none'" }

/** Header of a page with a form that is sent to another site; it names the origin. */
export const formTarget = "x-form-target"

/** Pages have no inline script or style, load nothing from elsewhere, and send forms to this site alone. */
const pagesTo = (target: string | undefined) =>
  policy({
    "default-src": "'none'",
    "style-src": "'self'",
    "script-src": "'self'",
    "img-src": "'self'",
    "form-action": target === undefined ? "'self'" : `'self' ${target}`,
    ...common
  })

const hashes = (html: string) =>
  [...html.matchAll(/<script>([^]*?)<\/script/g)].map(
    ([, text = ""]) => `'sha256-${crypto.createHash("sha256").update(text).digest("base64")}'`
  )

/** The API reference styles itself at run time, and hashes with WebAssembly; neither lets other scripts run. */
const reference = (html: string) =>
  policy({
    "default-src": "'none'",
    "style-src": "'unsafe-inline'",
    "script-src": [...hashes(html), "'wasm-unsafe-eval'"].join(" "),
    "img-src": "'self' data:",
    "form-action": "'none'",
    ...common
  })

const known = new WeakMap<Uint8Array, string>()

const referencePolicy = (body: Uint8Array) => {
  const policy = known.get(body) ?? reference(new TextDecoder().decode(body))
  known.set(body, policy)
  return policy
}

/** Lets an HTML page run only its own scripts, call only this service, and be framed by no page. */
export const secured = (
  response: HttpServerResponse.HttpServerResponse,
  path: string
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Uint8Array" || !body.contentType.startsWith("text/html")) return response
  return HttpServerResponse.setHeaders(response, {
    "content-security-policy": path === "/docs" ? referencePolicy(body.body) : pagesTo(response.headers[formTarget]),
    // With `no-referrer`, browsers do not say where a form comes from; other sites never learn an address of a page.
    "referrer-policy": path === "/docs" ? "no-referrer" : "same-origin"
  })
}
