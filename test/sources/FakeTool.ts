import { createServer, type IncomingHttpHeaders } from "node:http"
import { ownPort } from "../support/Port.ts"

export interface Asked {
  readonly method: string
  /** As sent, with the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** A tool's API on this machine, which keeps its requests and can be set to fail. */
export const fakeTool = (answer: (asked: Asked) => Answer) => {
  const asked: Array<Asked> = []
  let failing = { status: 0, after: 0, times: 0, body: {} as unknown }

  const respond = (one: Asked): Answer => {
    asked.push(one)
    if (failing.after > 0) failing = { ...failing, after: failing.after - 1 }
    else if (failing.times > 0) {
      failing = { ...failing, times: failing.times - 1 }
      return failing
    }
    return answer(one)
  }

  let port: number | undefined
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers, method = "", url: path = "" } = request
      const { body, status } = respond({ method, path, headers, body: Buffer.concat(chunks).toString("utf8") })
      response.writeHead(status, { "content-type": "application/json" })
      response.end(typeof body === "string" ? body : JSON.stringify(body))
    })
  })

  return {
    asked,
    /** Requests that would change something. */
    written: () => asked.filter(({ method }) => method !== "GET"),
    /** Its data and its address survive a stop. */
    start: async () => {
      const own = (port ??= await ownPort())
      await new Promise<void>((done, refuse) => server.once("error", refuse).listen(own, "127.0.0.1", done))
      return `http://127.0.0.1:${own}`
    },
    stop: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
    /** Answers with this status from the next request on, or from a later one, until reset or that many times. */
    fail: (status: number, { after = 0, body = {} as unknown, times = Infinity } = {}) => {
      failing = { status, after, times, body }
    },
    heal: () => {
      failing = { ...failing, times: 0 }
    }
  }
}
