/** The REST interface, and GraphQL behind the same limits: finds the operation, checks it against GitHub's description, and answers. */
import { createHash } from "node:crypto"
import { type Answer, type Handlers, isRefusal, refuse } from "./Answer.ts"
import { appRoutes } from "./AppRoutes.ts"
import { type Caller, callerOf } from "./Auth.ts"
import { checkRoutes } from "./CheckRoutes.ts"
import { answerGraphQl } from "./GraphQl.ts"
import { hookRoutes } from "./HookRoutes.ts"
import { issueRoutes } from "./IssueRoutes.ts"
import { isCreation, type Seen, type Trouble } from "./Moods.ts"
import * as OpenApi from "./OpenApi.ts"
import { objectRoutes } from "./ObjectRoutes.ts"
import { pullRoutes } from "./PullRoutes.ts"
import { holderOf, type Quotas } from "./RateLimit.ts"
import { repositoryRoutes } from "./RepositoryRoutes.ts"
import { timestamp } from "./State.ts"
import { statusRoutes } from "./StatusRoutes.ts"
import type { World } from "./World.ts"

export const handlers: Handlers = {
  ...appRoutes,
  ...repositoryRoutes,
  ...objectRoutes,
  ...pullRoutes,
  ...checkRoutes,
  ...issueRoutes,
  ...hookRoutes,
  ...statusRoutes
}

const versions = new Set(["2022-11-28", "2026-03-10"])

export interface Request {
  readonly seen: Seen
  readonly url: URL
  readonly trouble: Trouble | null
}

const header = ({ seen }: Request, name: string) => {
  const value = seen.headers[name]
  return typeof value === "string" ? value : undefined
}

const parsed = (text: string): unknown => {
  if (text === "") return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw refuse(400, "Problems parsing JSON")
  }
}

const secondary = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."

/** The answer of a trouble that has no effect; null for the others. */
const troubled = (trouble: Trouble | null, quota: { used: number; readonly limit: number }): Answer | null => {
  if (trouble?.kind === "answer") return refuse(trouble.status, trouble.message, trouble.headers).refusal
  if (trouble?.kind === "secondary") {
    const headers: Record<string, string> =
      trouble.retryAfter === null ? {} : { "retry-after": String(trouble.retryAfter) }
    return refuse(trouble.status, secondary, headers).refusal
  }
  if (trouble?.kind === "primary") quota.used = quota.limit
  return null
}

const etagOf = (body: unknown) => `W/"${createHash("sha256").update(JSON.stringify(body)).digest("hex")}"`

/** A list of what a request or an answer has against GitHub's description. */
export type Complain = (problem: string) => void

const handled = async (
  world: World,
  request: Request,
  matched: OpenApi.Matched,
  complain: Complain,
  quotas: Quotas
) => {
  const caller = callerOf(world, header(request, "authorization"))
  const body = parsed(request.seen.body)
  const problems = OpenApi.checkRequest(matched, request.url.searchParams, body)
  for (const problem of problems) complain(`request of ${matched.operation.id}: ${problem}`)
  if (problems.length > 0) throw refuse(422, `Invalid request.\n\n${problems.join("\n")}`)
  if (matched.operation.id === "rate-limit/get") return { status: 200, body: quotas.shape(quotas.of(caller)) }
  const handler = handlers[matched.operation.id]
  if (handler === undefined) throw refuse(501, `This server does not do ${matched.operation.id}`)
  const path = request.url.pathname.replace(/^\/api\/v3/, "")
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>
  return handler({ world, caller, path, parameters: matched.parameters, query: request.url.searchParams, body: fields })
}

const attempted = async (work: () => Promise<Answer>): Promise<Answer> => {
  try {
    return await work()
  } catch (problem) {
    if (isRefusal(problem)) return problem.refusal
    throw problem
  }
}

const callerOrNull = (world: World, request: Request) => {
  try {
    return callerOf(world, header(request, "authorization"))
  } catch {
    return null
  }
}

/** Headers about a personal token: the scopes of a classic one, the end of one that ends. */
const tokenHeaders = (caller: Caller | null): Readonly<Record<string, string>> => {
  if (caller?.kind !== "token" || caller.token.installation !== null) return {}
  const { permissions, expiresAt } = caller.token
  return {
    ...(permissions === null ? { "x-oauth-scopes": "read:org, repo" } : {}),
    ...(expiresAt === null ? {} : { "github-authentication-token-expiration": timestamp(expiresAt) })
  }
}

/** Answers one request of either interface. */
export const answerApi = async (
  world: World,
  quotas: Quotas,
  request: Request,
  complain: Complain
): Promise<Answer> => {
  const isGraphQl = request.url.pathname === "/api/graphql"
  const matched = OpenApi.match(request.seen.method, request.url.pathname.replace(/^\/api\/v3/, ""))
  const caller = callerOrNull(world, request)
  const quota = quotas.of(caller)
  const answer = await attempted(async () => {
    if (header(request, "user-agent") === undefined)
      throw refuse(
        403,
        "Request forbidden by administrative rules. Please make sure your request has a User-Agent header"
      )
    const version = header(request, "x-github-api-version")
    if (version !== undefined && !versions.has(version))
      throw refuse(400, `The API version ${version} is not supported.`)
    const early = troubled(request.trouble, quota)
    if (early !== null) return early
    const isCounted = matched?.operation.id !== "rate-limit/get"
    if (isCounted && quota.used >= quota.limit) throw refuse(403, `API rate limit exceeded for ${holderOf(caller)}.`)
    if (isCounted) quota.used++
    if (isCreation(request.seen) && !quotas.mayCreate(caller)) throw refuse(403, secondary, { "retry-after": "60" })
    if (isGraphQl)
      return answerGraphQl(world, callerOf(world, header(request, "authorization")), quota, request.seen.body, complain)
    if (matched === null) {
      complain(`${request.seen.method} ${request.url.pathname} is no operation of the extract`)
      throw refuse(404, "Not Found")
    }
    return handled(world, request, matched, complain, quotas)
  })
  if (matched !== null)
    for (const problem of OpenApi.checkResponse(matched.operation, answer.status, plain(answer.body)))
      complain(`answer ${answer.status} of ${matched.operation.id}: ${problem}`)
  return conditional(request, answer, quota, caller !== null)
    ? { status: 304, headers: { ...answer.headers, etag: etagOf(answer.body), ...quotas.headers(quota) } }
    : {
        ...answer,
        headers: {
          ...answer.headers,
          ...(request.seen.method === "GET" && answer.status === 200 ? { etag: etagOf(answer.body) } : {}),
          ...tokenHeaders(caller),
          ...quotas.headers(quota)
        }
      }
}

/** An answer as its receiver reads it. */
const plain = (body: unknown): unknown => (body === undefined ? undefined : JSON.parse(JSON.stringify(body)))

/** True when the asker has this very answer; for holders of a token it is free. */
const conditional = (request: Request, answer: Answer, quota: { used: number }, isKnown: boolean) => {
  if (request.seen.method !== "GET" || answer.status !== 200) return false
  const bare = (tag: string) => tag.trim().replace(/^W\//, "")
  const wanted = (header(request, "if-none-match") ?? "").split(",").map(bare)
  if (!wanted.includes(bare(etagOf(answer.body)))) return false
  if (isKnown) quota.used--
  return true
}
