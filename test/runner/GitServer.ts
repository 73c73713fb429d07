// @effect-diagnostics processEnv:off
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import { join } from "node:path"

const file = (name: string) => join(import.meta.dirname, "fixtures", name)

/** The certificate of the servers, which vouches for itself. */
export const certificate = file("localhost.pem")

/** Answers a request by git's own program for servers, over CGI. */
const serve = (root: string, request: IncomingMessage, response: ServerResponse) => {
  const { pathname, search } = new URL(request.url ?? "", "https://localhost")
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
      REMOTE_USER: "runner",
      REQUEST_METHOD: request.method ?? "GET",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      HTTP_GIT_PROTOCOL: String(request.headers["git-protocol"] ?? "")
    },
    stdio: ["pipe", "pipe", "ignore"]
  })
  const chunks: Array<Buffer> = []
  child.stdin.on("error", () => {})
  request.pipe(child.stdin)
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
  child.on("close", () => {
    const output = Buffer.concat(chunks)
    const end = output.indexOf("\r\n\r\n")
    for (const line of output.subarray(0, end).toString("latin1").split("\r\n")) {
      const [name = "", value = ""] = line.split(": ")
      if (name === "Status") response.statusCode = Number.parseInt(value, 10)
      else response.setHeader(name, value)
    }
    response.end(output.subarray(end + 4))
  })
}

export interface Asked {
  readonly path: string
  readonly authorization: string | undefined
}

/** A git server over https on this machine; `look` answers a request itself, or returns false. */
export const gitServer = (
  root: string,
  look: (request: IncomingMessage, response: ServerResponse) => boolean = () => false
) =>
  Effect.gen(function* () {
    const asked: Array<Asked> = []
    const server = yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const key = { key: readFileSync(file("localhost.key")), cert: readFileSync(certificate) }
        const made = createServer(key, (request, response) => {
          asked.push({ path: request.url ?? "", authorization: request.headers.authorization })
          if (!look(request, response)) serve(root, request, response)
        })
        made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (made) => Effect.sync(() => void made.close().closeAllConnections())
    )
    const address = server.address()
    const host = `localhost:${typeof address === "object" ? address?.port : ""}`
    return { host, url: `https://${host}`, asked }
  })
