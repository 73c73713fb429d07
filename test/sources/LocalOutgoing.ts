import { Effect } from "effect"
import { request as connect } from "node:http"
import { type Outgoing, type Request, type Response, Unreachable } from "../../application/ports/Outgoing.ts"

/** Plain HTTP to this machine. */
export const local: typeof Outgoing.Service = {
  send: ({ body, headers = {}, method, url }) =>
    Effect.async<Response, Unreachable>((resume) => {
      const { host } = new URL(url)
      connect(url, { method, headers, agent: false }, (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () =>
          resume(
            Effect.succeed({ status: response.statusCode ?? 0, headers: {}, body: Buffer.concat(chunks).toString() })
          )
        )
      })
        .on("error", ({ message: problem }) => resume(new Unreachable({ host, problem, isForbidden: false })))
        .end(body)
    })
}

/** Sends nothing; `answer` returns the response to each request, of which there were `count` before. */
export const recorded = (answer: (request: Request, count: number) => Partial<Response> | Unreachable) => {
  const sent: Array<Request> = []
  const outgoing: typeof Outgoing.Service = {
    send: (request) =>
      Effect.suspend(() => {
        const given = answer(request, sent.push(request) - 1)
        return given instanceof Unreachable ? given : Effect.succeed({ status: 200, headers: {}, body: "", ...given })
      })
  }
  return { outgoing, sent }
}
