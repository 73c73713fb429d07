// @effect-diagnostics processEnv:off
/** Git's own protocol over HTTP, served by git's program for servers. */
import { spawn } from "node:child_process"
import { writeFile } from "node:fs/promises"
import type { IncomingMessage, ServerResponse } from "node:http"
import { join } from "node:path"
import { isRefusal } from "./Answer.ts"
import { callerOf, reach } from "./Auth.ts"
import { refreshRefs } from "./Refs.ts"
import type * as State from "./State.ts"
import { inTurn, type World } from "./World.ts"

export interface GitRequest {
  readonly owner: string
  readonly name: string
  readonly service: "git-upload-pack" | "git-receive-pack"
  readonly rest: string
  readonly search: string
}

/** The git request of a URL; null when it is none. */
export const gitRequestOf = (url: URL): GitRequest | null => {
  const found = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(url.pathname)
  const [, owner = "", name = "", rest = ""] = found ?? []
  const service = rest === "info/refs" ? url.searchParams.get("service") : rest
  if (service !== "git-upload-pack" && service !== "git-receive-pack") return null
  return { owner, name, service, rest, search: url.search.slice(1) }
}

const env = (
  world: World,
  asked: GitRequest,
  repository: State.Repository,
  request: IncomingMessage,
  user: string
) => ({
  PATH: process.env["PATH"] ?? "",
  GIT_PROJECT_ROOT: world.root,
  GIT_HTTP_EXPORT_ALL: "1",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: "*",
  REMOTE_USER: user,
  REQUEST_METHOD: request.method ?? "GET",
  PATH_INFO: `/${repository.owner.login}/${repository.name}.git/${asked.rest}`,
  QUERY_STRING: asked.search,
  CONTENT_TYPE: request.headers["content-type"] ?? "",
  HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
  HTTP_GIT_PROTOCOL: String(request.headers["git-protocol"] ?? "")
})

const backend = (variables: Readonly<Record<string, string>>, body: Buffer) =>
  new Promise<Buffer>((resolve) => {
    const child = spawn("git", ["http-backend"], { env: variables, stdio: ["pipe", "pipe", "ignore"] })
    const chunks: Array<Buffer> = []
    child.stdin.on("error", () => {})
    child.stdin.end(body)
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.on("close", () => resolve(Buffer.concat(chunks)))
  })

const write = (response: ServerResponse, output: Buffer) => {
  const end = output.indexOf("\r\n\r\n")
  for (const line of output.subarray(0, end).toString("latin1").split("\r\n")) {
    const [name = "", value = ""] = line.split(": ")
    if (name === "Status") response.statusCode = Number.parseInt(value, 10)
    else if (name !== "") response.setHeader(name, value)
  }
  response.end(output.subarray(end + 4))
}

const plain = (response: ServerResponse, status: number, text: string) => {
  if (status === 401) response.setHeader("www-authenticate", 'Basic realm="GitHub"')
  response.writeHead(status, { "content-type": "text/plain" }).end(text)
}

/** Answers a git request; a push is followed by its events before it is answered. */
export const serveGit = async (
  world: World,
  asked: GitRequest,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  isLost: boolean
) => {
  try {
    const caller = callerOf(world, request.headers.authorization)
    if (caller?.kind !== "token") return plain(response, 401, "No anonymous access.")
    const isPush = asked.service === "git-receive-pack"
    const repository = reach(world, caller.token, asked.owner, asked.name, "contents", isPush ? "write" : "read")
    const variables = env(world, asked, repository, request, caller.token.user.login)
    const run = () => backend(variables, body)
    const pushed = async () => {
      const refs = [...repository.protections.keys()].map((branch) => `refs/heads/${branch}\n`)
      await writeFile(join(repository.path, "protected"), refs.join(""))
      const output = await run()
      await refreshRefs(world, repository, caller.token.user)
      return output
    }
    const output = isPush && asked.rest !== "info/refs" ? await inTurn(repository, pushed) : await run()
    if (isLost) request.socket.destroy()
    else write(response, output)
  } catch (problem) {
    if (!isRefusal(problem)) throw problem
    const { status, body: told } = problem.refusal
    plain(response, status, String((told as { readonly message: string }).message))
  }
}
