/** A GitHub for tests: REST, git over HTTP and signed webhooks over real bare repositories. */
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Answer, isRefusal } from "./Answer.ts"
import { graphqlFieldOf } from "./GraphQl.ts"
import { type Hooks, makeHooks } from "./Hooks.ts"
import { isCreation, makeMoods, type Moods, type Seen } from "./Moods.ts"
import * as OpenApi from "./OpenApi.ts"
import { answerPage } from "./Pages.ts"
import { type ContentLimit, makeQuotas, type Quotas } from "./RateLimit.ts"
import { answerApi } from "./Rest.ts"
import { gitRequestOf, serveGit } from "./SmartHttp.ts"
import * as State from "./State.ts"
import { makeWorld, type World } from "./World.ts"

export interface GitHubServer {
  readonly world: World
  /** Address of the pages and of git, such as `http://127.0.0.1:1234`. */
  readonly origin: string
  /** Base of the REST interface, as GitHub Enterprise has it. */
  readonly api: string
  readonly graphql: string
  readonly moods: Moods
  readonly hooks: Hooks
  readonly quotas: Quotas
  /** Every request, in order of arrival. */
  readonly requests: ReadonlyArray<Seen>
  /** Departures of requests and answers from GitHub's description. */
  readonly violations: ReadonlyArray<string>
  readonly count: (operation: string) => number
  /** Requests that create content, which GitHub limits to 80 a minute and 500 an hour. */
  readonly creations: () => ReadonlyArray<Seen>
  readonly close: () => Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const operationOf = (method: string, url: URL, body: Buffer): string | null => {
  const git = gitRequestOf(url)
  if (url.pathname === "/api/graphql") return `graphql:${graphqlFieldOf(body.toString("utf8"))}`
  if (git !== null) return `git:${git.service.slice(4)}`
  return OpenApi.match(method, url.pathname.replace(/^\/api\/v3/, ""))?.operation.id ?? null
}

const write = (world: World, response: ServerResponse, { status, body, headers = {} }: Answer) => {
  response.setHeader("date", State.httpDate(world.clock.now()))
  response.setHeader("x-github-request-id", randomBytes(8).toString("hex").toUpperCase())
  response.setHeader("x-github-media-type", "github.v3; format=json")
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (body === undefined) return void response.writeHead(status).end()
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body))
}

const attemptedPage = (world: World, method: string, url: URL, body: string): Answer | null => {
  try {
    return answerPage(world, method, url, body)
  } catch (problem) {
    if (isRefusal(problem)) return problem.refusal
    throw problem
  }
}

const listen = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

export interface Options {
  readonly clock?: State.Clock
  /** Serves https as `localhost`, with this key and certificate. */
  readonly secured?: { readonly key: string; readonly cert: string }
  /** Requests that a holder has in an hour. */
  readonly limit?: number
  /** GitHub's own is 80 a minute and 500 an hour; null, the default, counts only. */
  readonly contentLimit?: ContentLimit | null
}

export const startGitHub = async ({
  clock = State.makeClock(),
  limit = 5000,
  contentLimit = null,
  secured
}: Options = {}): Promise<GitHubServer> => {
  const root = await mkdtemp(join(tmpdir(), "gatehouse-test-github-"))
  const world = makeWorld(root, clock)
  const hooks = makeHooks(world)
  world.emit = hooks.emit
  world.resend = hooks.resend
  world.ping = hooks.ping
  const moods = makeMoods()
  const quotas = makeQuotas(world, limit, contentLimit)
  const requests: Array<Seen> = []
  const violations: Array<string> = []

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "", "http://127.0.0.1")
    const body = await bodyOf(request)
    const method = request.method ?? "GET"
    const git = gitRequestOf(url)
    const seen: Seen = {
      at: clock.now(),
      method,
      path: `${url.pathname}${url.search}`,
      operation: operationOf(method, url, body),
      headers: request.headers,
      body: git === null ? body.toString("utf8") : "",
      status: null
    }
    requests.push(seen)
    const trouble = moods.take(seen)
    if (trouble?.kind === "cut") return void request.socket.destroy()
    if (trouble?.kind === "slow") await trouble.until
    if (git !== null) {
      if (trouble?.kind === "answer") return void response.writeHead(trouble.status).end(trouble.message)
      await serveGit(world, git, request, response, body, trouble?.kind === "lost")
      seen.status = response.statusCode
      return
    }
    const page = attemptedPage(world, method, url, seen.body)
    if (page !== null) {
      seen.status = page.status
      return write(world, response, page)
    }
    const complain = (problem: string) => void violations.push(problem)
    const answer = await answerApi(world, quotas, { seen, url, trouble }, complain)
    if (trouble?.kind === "lost") return void request.socket.destroy()
    if (trouble?.kind === "late") await trouble.until
    seen.status = answer.status
    write(world, response, answer)
  }

  const answerAll = (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response).catch((problem: unknown) => {
      violations.push(`the server failed: ${problem instanceof Error ? problem.stack : JSON.stringify(problem)}`)
      response.writeHead(500).end()
    })
  }
  const server = secured === undefined ? createServer(answerAll) : createSecureServer(secured, answerAll)
  // A test that computes for seconds must not find its connection closed.
  server.keepAliveTimeout = 300_000
  const bound = await listen(server)
  const origin = secured === undefined ? `http://127.0.0.1:${bound}` : `https://localhost:${bound}`
  world.origin = origin
  return {
    world,
    origin,
    api: `${origin}/api/v3`,
    graphql: `${origin}/api/graphql`,
    moods,
    hooks,
    quotas,
    requests,
    violations,
    count: (operation) => requests.filter((one) => one.operation === operation).length,
    creations: () => requests.filter(isCreation),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await hooks.idle()
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}
