import { createHmac } from "node:crypto"
import { keyOf, teams, tokenOf } from "./Dataset.ts"
import type { Order } from "./Load.ts"

const head = (method: string, path: string, headers: Readonly<Record<string, string>>, body = "") => {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "host: localhost",
    ...Object.entries(headers).map(([k, v]) => `${k}: ${v}`)
  ]
  if (method === "POST") lines.push("content-type: application/json", `content-length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`)
}

export const alertsInBatch = 100

const sentence = "More than one in twenty requests failed over the last five minutes. "

/** A distinct alert, of about 1 KB when it is posted alone. */
const alert = (kind: "single" | "batch", n: number, about: number) => ({
  fingerprint: `${kind}-${n}`,
  title: `Error rate of endpoint ${n} is over 5 %`,
  severity: "critical",
  status: "firing",
  service: "checkout",
  description: sentence.repeat(about),
  labels: { region: "eu-central-1", cluster: "blue", endpoint: `/v1/orders/${n}` }
})

/** The same for an Alertmanager, which accepts them unsigned. */
const unsigned = (n: number) => {
  const labels = { alertname: `single-${n}`, severity: "critical", service: "checkout", region: "eu-central-1" }
  const annotations = { summary: `Error rate of endpoint ${n} is over 5 %`, description: sentence.repeat(10) }
  return head("POST", "/api/v2/alerts", {}, JSON.stringify([{ labels, annotations }]))
}

const posted = ({ source }: Order, value: object) => {
  if (source === undefined) throw new Error("no source to post to")
  const body = JSON.stringify(value)
  const signature = createHmac("sha256", source.secret).update(body).digest("hex")
  return head("POST", source.path, { "x-service-signature": `sha256=${signature}` }, body)
}

/** A webhook about a check of a commit, signed as GitHub does; those of GitHub have about 10 KB. */
const hooked = ({ hook }: Order, n: number) => {
  if (hook === undefined) throw new Error("no connection to post to")
  const sha = n.toString(16).padStart(40, "0")
  const body = JSON.stringify({
    action: "completed",
    check_run: {
      id: n,
      head_sha: sha,
      name: "ci",
      status: "completed",
      conclusion: "success",
      output: { summary: sentence.repeat(140) }
    },
    repository: { id: 1, full_name: "acme/pay" }
  })
  const signature = createHmac("sha256", hook.secret).update(body).digest("hex")
  const headers = {
    "x-github-event": "check_run",
    "x-github-delivery": `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`,
    "x-hub-signature-256": `sha256=${signature}`
  }
  return head("POST", hook.path, headers, body)
}

const browsed = ({ app }: Order, path: string) => {
  if (app === undefined) throw new Error("no session to browse with")
  return head("GET", `${app.base}/${path}`, { accept: "text/html", cookie: app.cookie })
}

const storyOf = ({ rows }: Order, n: number) => {
  const number = (n * 7919) % rows
  return `T${number % teams}-${number + 1}`
}

const metadata = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}

/** A call of a tool as a client of the newest revision sends it. */
const called = (authorization: string, name: string, given: object) => {
  const headers = {
    authorization,
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": name
  }
  const params = { name, arguments: given, _meta: metadata }
  return head("POST", "/mcp", headers, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }))
}

/** Decisions of the last tenth, which no resolution reaches, so that all of them wait. */
const waiting = ({ rows }: Order, n: number) => keyOf("dec", rows - 1 - ((n * 7919) % Math.floor(rows / 10)))

/** Default paths of the works. */
export const paths = {
  page: "/v1/decisions?limit=25",
  audit: "/v1/audit?limit=25&team=team-3&event=decision_raised",
  export: "/v1/audit/export?format=json"
}

/** The bytes of every request, built before the clock starts. */
export const requestsOf = (order: Order): ReadonlyArray<Buffer> =>
  Array.from({ length: order.requests }, (_, index) => {
    const n = order.from + index
    const authorization = `Bearer ${tokenOf((n * 7919) % order.tokens)}`
    const get = (path: string) => head("GET", path, { authorization })
    switch (order.work) {
      case "page":
      case "audit":
      case "export":
        return get(order.paths?.[n % order.paths.length] ?? paths[order.work])
      case "one":
        return get(`/v1/runs/${keyOf("run", (n * 7919) % order.rows)}`)
      case "teams":
        return get("/v1/teams")
      case "resolve":
        return head(
          "POST",
          `/v1/decisions/${keyOf("dec", n % order.rows)}/resolve`,
          { authorization },
          JSON.stringify({ optionId: n % 2 === 0 ? "yes" : "changes", note: "Go on, but keep it small." })
        )
      case "pending":
        return get("/v1/decisions?status=pending&limit=25")
      case "decision":
        return get(`/v1/decisions/${waiting(order, n)}`)
      case "story":
        return get(`/v1/stories/${storyOf(order, n)}`)
      case "get-story":
        return called(authorization, "get_story", { story: storyOf(order, n) })
      case "decisions-page":
        return browsed(order, "decisions")
      case "decision-page":
        return browsed(order, `decisions/${waiting(order, n)}`)
      case "app-page":
        return browsed(order, order.paths?.[n % order.paths.length] ?? "decisions")
      case "intake":
        return posted(order, alert("single", n, 10))
      case "hook":
        return hooked(order, n)
      case "alertmanager":
        return unsigned(n)
      case "intake-batch":
        return posted(order, {
          alerts: Array.from({ length: alertsInBatch }, (_, k) => alert("batch", n * alertsInBatch + k, 2))
        })
    }
  })
