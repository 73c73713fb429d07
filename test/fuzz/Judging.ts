import { type Operation, responsesOf, violations } from "../openapi/Published.ts"
import type { Answer } from "./Answers.ts"
import { believed } from "./Believing.ts"
import { isOfAgents, isOfRunners, pathOf, placeOf } from "./Routing.ts"
import type { Outcome } from "./Sending.ts"
import { isWellFormed, type Request } from "./Wire.ts"

/** Texts that no response may contain. */
export interface Secrets {
  /** A word that only rows of others hold. */
  readonly marker: string
  readonly secrets: ReadonlyArray<string>
}

const unixNow = () => (performance.timeOrigin + performance.now()) / 1000

/** Expected form of the headers of every response, by the limit of requests that applies. */
const common = (limit: number): Readonly<Record<string, (value: string) => boolean>> => ({
  "x-ratelimit-limit": (value) => value === String(limit),
  "x-ratelimit-remaining": (value) => /^\d{1,3}$/.test(value) && Number(value) <= limit,
  "x-ratelimit-reset": (value) => /^\d{10}$/.test(value) && Math.abs(Number(value) - unixNow()) < 70,
  "x-request-id": (value) => /^[\w.:-]{1,128}$/.test(value),
  "cache-control": (value) => value === "no-store",
  "x-content-type-options": (value) => value === "nosniff"
})

const headerProblems = (request: Request, answer: Answer) => {
  const { headers } = answer
  // The parser's refusals do not know a path.
  const isUnknown = isParsers(answer) && headers.get("x-ratelimit-limit") === "120"
  const path = pathOf(request.target)
  const limit = isUnknown ? 120 : isOfRunners(path) ? 600 : isOfAgents(path) ? 300 : 120
  return Object.entries(common(limit)).flatMap(([name, isGood]) => {
    const value = headers.get(name)
    if (value === undefined) return [`lacks ${name}`]
    return isGood(value) ? [] : [`says ${name}: ${value}`]
  })
}

const leaks = ({ body, head }: Answer, { marker, secrets }: Secrets) => {
  const text = `${head}\n${body.toString("utf8")}`
  return [
    ...(text.toLowerCase().includes(marker.toLowerCase()) ? ["tells of the neighbour"] : []),
    ...(/tk_[A-Za-z0-9]{32}/.test(text) ? ["tells a token"] : []),
    ...(secrets.some((secret) => text.includes(secret)) ? ["tells a secret"] : [])
  ]
}

const parsed = ({ body }: Answer): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

const errorSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { type: "string", pattern: "^[a-z_]+$" }, message: { type: "string", minLength: 20 } },
      additionalProperties: false
    }
  },
  additionalProperties: false
}

const codeOf = (json: unknown) => (json as { readonly error?: { readonly code?: string } } | undefined)?.error?.code

/** The shape of an error of the protocol that agents speak. */
const rpcErrorSchema = {
  type: "object",
  required: ["jsonrpc", "error"],
  properties: {
    jsonrpc: { const: "2.0" },
    error: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { type: "integer", not: { const: -32_603 } }, message: { type: "string", minLength: 5 } }
    }
  }
}

const isOfProtocol = (request: Request, answer: Answer) =>
  placeOf(request).type === "agents" && violations(rpcErrorSchema, parsed(answer) ?? null).length === 0

const errorProblems = (request: Request, answer: Answer) => {
  if (isOfProtocol(request, answer)) return []
  const shape = violations(errorSchema, parsed(answer) ?? null)
  return shape.length === 0 ? [] : [`does not have the shape of an error: ${shape.join(", ")}`]
}

const onlyWhenTrue = new Set(["x-service-export-truncated", "idempotent-replayed"])

const documentProblems = (operation: Operation, answer: Answer, isBare: boolean): ReadonlyArray<string> => {
  const documented = responsesOf(operation).get(String(answer.status))
  if (documented === undefined) return [`answers ${answer.status}, which ${operation.operationId} does not document`]
  const missing = Object.keys(documented.headers)
    .map((name) => name.toLowerCase())
    .filter((name) => !onlyWhenTrue.has(name) && !answer.headers.has(name))
    .map((name) => `lacks the documented ${name}`)
  if (isBare) return missing
  const { content } = documented
  if (content === undefined)
    return answer.body.length === 0 ? missing : [...missing, "has a body that is not documented"]
  const [type = ""] = (answer.headers.get("content-type") ?? "").split(";")
  const schema = content[type]?.schema
  if (schema === undefined) return [...missing, `has the content type '${type}', which is not documented`]
  const wrong = type === "application/json" ? violations(schema, parsed(answer)) : []
  return [...missing, ...wrong.slice(0, 5).map((violation) => `is not as documented: ${violation}`)]
}

/** The HTTP parser's own refusals, of malformed or slow requests. */
const malformed = new Set([400, 408, 431])

const isParsers = (answer: Answer) =>
  malformed.has(answer.status) &&
  codeOf(parsed(answer)) === "invalid_request" &&
  answer.headers.get("connection") === "close"

const wireStatuses = new Set([200, 204, 400, 401, 404, 409, 413, 415, 429])

const agentStatuses = new Set([200, 202, 400, 401, 403, 404, 406, 413, 415, 429])

/** Messages of the protocol in an answer, as a body or as events. */
const messagesIn = (answer: Answer): ReadonlyArray<string> => {
  const text = answer.body.toString("utf8")
  return (answer.headers.get("content-type") ?? "").startsWith("text/event-stream")
    ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => data)
    : [text]
}

const agentProblems = (answer: Answer): ReadonlyArray<string> => {
  if (!agentStatuses.has(answer.status)) return [`answers ${answer.status} to an agent`]
  if (answer.status === 202) return answer.body.length === 0 ? [] : ["has a body for a notification"]
  if (answer.status !== 200) return []
  const wrong = messagesIn(answer).filter(
    (text) => !/^[[{].*"jsonrpc":"2\.0"/s.test(text) || /internal_error|-32603/.test(text)
  )
  return wrong.map((text) => `says to an agent ${text.slice(0, 200)}`)
}

/** First segments that belong to the API, whatever a client accepts. */
const ofApi = /^\/*(v1|signals|boards|projects|tasks|healthz|readyz|metrics|docs|runner|mcp)(\/|$)/

const isRedirect = ({ headers, status }: Answer) => status === 303 && (headers.get("location") ?? "").startsWith("/")

/** A page, or the way to one, for a client that accepts pages. */
const isForBrowsers = (request: Request, answer: Answer) =>
  request.headers.some(([name, value]) => name.toLowerCase() === "accept" && value.includes("text/html")) &&
  !ofApi.test(pathOf(request.target)) &&
  (isRedirect(answer) || (answer.status < 500 && (answer.headers.get("content-type") ?? "").startsWith("text/html")))

const placeProblems = (request: Request, answer: Answer): ReadonlyArray<string> => {
  if (isParsers(answer) && !isWellFormed(request)) return []
  const place = placeOf(request)
  const isBare = request.method === "HEAD" && answer.body.length === 0
  if (place.type === "operation")
    return [
      ...documentProblems(place.operation, answer, isBare),
      ...(answer.status < 300 ? believed(place.operation, request.target) : [])
    ]
  if (place.type === "wire")
    return wireStatuses.has(answer.status) && (answer.status !== 200 || parsed(answer) !== undefined)
      ? []
      : [`answers ${answer.status} to a runner`]
  if (place.type === "agents") return agentProblems(answer)
  if (place.type === "page")
    return answer.status === 200 || isRedirect(answer) ? [] : [`answers ${answer.status} for a page`]
  if (answer.status !== place.status) return [`answers ${answer.status} in place of ${place.status}`]
  const code = codeOf(parsed(answer))
  if (!isBare && code !== place.code) return [`says '${code}' in place of '${place.code}'`]
  return answer.status === 405 && !answer.headers.has("allow") ? ["lacks allow"] : []
}

const answerProblems = (request: Request, answer: Answer, secrets: Secrets): ReadonlyArray<string> => {
  const isExpected = answer.status === 503 && request.mayBeUnavailable
  const isBare = request.method === "HEAD" && answer.body.length === 0
  if (isForBrowsers(request, answer)) return [...headerProblems(request, answer), ...leaks(answer, secrets)]
  return [
    ...(answer.status >= 500 && !isExpected ? [`answers ${answer.status}`] : []),
    ...(answer.status >= 400 && !isBare ? errorProblems(request, answer) : []),
    ...headerProblems(request, answer),
    ...leaks(answer, secrets),
    ...placeProblems(request, answer)
  ]
}

const behind = { method: "GET", target: "/healthz" }

/** All problems of the response to a request. */
export const problemsOf = (
  request: Request,
  { answers, trouble }: Outcome,
  secrets: Secrets
): ReadonlyArray<string> => {
  const [first, ...rest] = answers
  return [
    ...(trouble === null ? [] : [trouble]),
    ...(first === undefined ? [] : answerProblems(request, first, secrets)),
    ...rest.flatMap((answer) =>
      answerProblems({ ...request, ...behind }, answer, secrets).map((problem) => `the request behind it ${problem}`)
    )
  ]
}
