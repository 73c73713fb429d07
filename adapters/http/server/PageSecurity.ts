import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as crypto from "node:crypto"

const hashes = (html: string, tag: "script" | "style") =>
  [...html.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}`, "g"))].map(
    ([, text = ""]) => `'sha256-${crypto.createHash("sha256").update(text).digest("base64")}'`
  )

const directive = (name: string, ...values: ReadonlyArray<string>) =>
  `${name} ${values.length === 0 ? "'none'" : values.join(" ")}`

/** The API reference styles itself at run time, and hashes with WebAssembly; neither lets other scripts run. */
const reference = { scripts: ["'wasm-unsafe-eval'"], styles: ["'unsafe-inline'"] }

const headersOf = (html: string, isReference: boolean): Record<string, string> => ({
  "content-security-policy": [
    directive("default-src"),
    directive("script-src", ...hashes(html, "script"), ...(isReference ? reference.scripts : [])),
    directive("style-src", ...(isReference ? reference.styles : hashes(html, "style"))),
    directive("img-src", "'self'", "data:"),
    directive("connect-src", "'self'"),
    directive("base-uri"),
    directive("form-action"),
    directive("frame-ancestors")
  ].join("; "),
  "referrer-policy": "no-referrer"
})

const known = new WeakMap<Uint8Array, Record<string, string>>()

/** Lets an HTML page run only its own inline scripts and styles, call only this service, and be framed by no page. */
export const secured = (
  response: HttpServerResponse.HttpServerResponse,
  path: string
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Uint8Array" || !body.contentType.startsWith("text/html")) return response
  const headers = known.get(body.body) ?? headersOf(new TextDecoder().decode(body.body), path === "/docs")
  known.set(body.body, headers)
  return HttpServerResponse.setHeaders(response, headers)
}
