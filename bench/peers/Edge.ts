// @effect-diagnostics globalDate:off
import type { FastifyError, FastifyInstance, FastifyReply } from "fastify"
import { Refusal } from "./Refusal.ts"

export const requestsPerMinute = 120
export const windowSeconds = 60

export const showWindow = (reply: FastifyReply, requests: number, resetAt: number) => {
  reply.header("x-ratelimit-remaining", String(Math.max(0, requestsPerMinute - requests)))
  reply.header("x-ratelimit-reset", String(Math.ceil(resetAt / 1000)))
}

const refusalOf = (error: FastifyError | Refusal, requestId: string): Refusal => {
  if (error instanceof Refusal) return error
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new Refusal(413, "payload_too_large", "The request body is over the limit.", { connection: "close" })
  if (error.statusCode !== undefined && error.statusCode < 500)
    return new Refusal(error.statusCode, "invalid_request", error.message)
  process.stderr.write(`${requestId} ${error.stack ?? error.message}\n`)
  return new Refusal(500, "internal_error", `Something broke on our side, request id ${requestId}.`)
}

/** Headers of every response, and one shape for every refusal. */
export const edge = (app: FastifyInstance) => {
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers({
      "x-request-id": request.id,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-ratelimit-limit": String(requestsPerMinute)
    })
    showWindow(reply, 0, Date.now() + windowSeconds * 1000)
    done()
  })
  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    const { code, headers, message, status } = refusalOf(error, request.id)
    reply.code(status).headers(headers)
    if (status === 401) reply.header("www-authenticate", "Bearer")
    return reply.send({ error: { code, message } })
  })
  app.setNotFoundHandler((request) => {
    throw new Refusal(404, "route_not_found", `There is no route ${request.method} here.`)
  })
}
