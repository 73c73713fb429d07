import { Effect } from "effect"
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

/** An HTTP server on its own port, with the number of its connections. */
export const listening = (listener: RequestListener, host = "127.0.0.1") =>
  Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly connections: () => number; readonly stop: Effect.Effect<void> }>(
      (resume) => {
        let count = 0
        const server = createServer(listener).on("connection", () => void count++)
        const stop = Effect.async<void>((done) => {
          server.close(() => done(Effect.void))
          server.closeAllConnections()
        })
        server.listen(0, host, () =>
          resume(Effect.succeed({ port: (server.address() as AddressInfo).port, connections: () => count, stop }))
        )
      }
    ),
    ({ stop }) => stop
  )

export interface Post {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly answered: number | null
}

/** Keeps posts and returns the set answer; null is none. */
export const mailbox = Effect.gen(function* () {
  const posts: Array<Post> = []
  const today: { status: number | null } = { status: 200 }
  const server = yield* listening((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers, method, url: path } = request
      const body = Buffer.concat(chunks).toString("utf8")
      posts.push({ method, path, headers, body, answered: today.status })
      if (today.status !== null) response.writeHead(today.status, { location: "/elsewhere" }).end("s3cret")
    })
  })
  return { ...server, posts, today }
})
