import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** Answers of the provider that a test replaces. */
export interface Lies {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  /** The signature is left out, or by a key that is not published. */
  readonly signature?: "none" | "other key"
  /** Fields of the published description. */
  readonly description?: Readonly<Record<string, unknown>>
  /** Answers of one path instead of its own. */
  readonly answers?: Readonly<Record<string, { readonly status: number; readonly body: string }>>
  /** Paths that never answer. */
  readonly silent?: string
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

const keys = () => generateKeyPairSync("rsa", { modulusLength: 2048 })

const signed = (text: string, key: KeyObject) => createSign("RSA-SHA256").update(text).sign(key).toString("base64url")

/** A provider that does what it is asked for in its lies; every code is good, and the nonce is the code. */
export const hostileProvider = async () => {
  const [own, other] = [keys(), keys()]
  let lies: Lies = {}
  let issuer = ""
  const asked: Array<string> = []

  const token = (code: string) => {
    const seconds = Math.floor(performance.timeOrigin / 1000 + performance.now() / 1000)
    const header = encode({ alg: "RS256", kid: "one", ...lies.header })
    const claims = encode({
      iss: issuer,
      aud: "gatehouse",
      sub: "mallory",
      iat: seconds,
      exp: seconds + 300,
      nonce: code,
      email: "member@acme.test",
      email_verified: true,
      ...lies.claims
    })
    const text = `${header}.${claims}`
    if (lies.signature === "none") return `${text}.`
    return `${text}.${signed(text, lies.signature === "other key" ? other.privateKey : own.privateKey)}`
  }

  const answerOf = (path: string, code: string): unknown => {
    switch (path) {
      case "/.well-known/openid-configuration":
        return {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          id_token_signing_alg_values_supported: ["RS256"],
          ...lies.description
        }
      case "/keys":
        return { keys: [{ ...own.publicKey.export({ format: "jwk" }), kid: "one", use: "sig", alg: "RS256" }] }
      default:
        return { access_token: "access", token_type: "Bearer", id_token: token(code) }
    }
  }

  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += String(chunk)))
    request.on("end", () => {
      const path = request.url ?? ""
      asked.push(path)
      if (path === lies.silent) return
      const code = new URLSearchParams(body).get("code") ?? ""
      const { body: text, status } = lies.answers?.[path] ?? { status: 200, body: JSON.stringify(answerOf(path, code)) }
      response.writeHead(status, { "content-type": "application/json" }).end(text)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    asked,
    lie: (all: Lies) => (lies = all),
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => void server.close(() => resolve()))
    }
  }
}
