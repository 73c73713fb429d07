import { Effect, Layer } from "effect"
import type { ClientRequest, IncomingMessage } from "node:http"
import * as https from "node:https"
import { CloudPages, PageUnreachable } from "../../../application/ports/CloudPages.ts"

const most = 65_536

/** Node's own request function, which follows no redirect. */
type Request = (
  address: string,
  options: { readonly signal: AbortSignal },
  answer: (response: IncomingMessage) => void
) => ClientRequest

/** Fetches one page, within limits for a foreign server. */
export const getBy =
  (request: Request) =>
  (address: string): Effect.Effect<string, PageUnreachable> => {
    const unreachable = (problem: string) => new PageUnreachable({ host: new URL(address).host, problem })
    return Effect.async<string, PageUnreachable>((resume, signal) => {
      const fail = (problem: string) => resume(unreachable(problem))
      request(address, { signal }, (response) => {
        const chunks: Array<Buffer> = []
        let size = 0
        const stop = (problem: string) => {
          fail(problem)
          response.destroy()
        }
        response.on("error", ({ message }) => fail(message))
        if (response.statusCode !== 200) return stop(`it answered ${response.statusCode}`)
        response.on("data", (chunk: Buffer) => {
          size += chunk.length
          if (size > most) return stop("its answer is over 64 KB")
          chunks.push(chunk)
        })
        response.on("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString("utf8"))))
      }).on("error", ({ message }) => fail(message))
    }).pipe(Effect.timeoutFail({ duration: "3 seconds", onTimeout: () => unreachable("it did not answer within 3 s") }))
  }

export const layer = Layer.succeed(CloudPages, { get: getBy(https.get) })
