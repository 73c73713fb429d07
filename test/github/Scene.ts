/** A server with an organisation, a repository, an app that is installed on it, and clients of it. */
import { createAppAuth } from "@octokit/auth-app"
import { Octokit } from "@octokit/rest"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { commitOf, git } from "./Git.ts"
import { type GitHubServer, type Options, startGitHub } from "./GitHubServer.ts"
import { refreshRefs } from "./Refs.ts"
import type * as State from "./State.ts"
import { addApp, addPersonalToken, addRepository, addUser, inTurn, install } from "./World.ts"

export const permissions: State.Permissions = {
  metadata: "read",
  contents: "write",
  pull_requests: "write",
  checks: "write",
  statuses: "write",
  issues: "write"
}

const events = ["push", "pull_request", "check_run", "check_suite", "status", "issues", "issue_comment", "label"]

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

export interface Scene {
  readonly server: GitHubServer
  readonly repository: State.Repository
  readonly app: State.App
  readonly installation: State.Installation
  /** Acts as the app's installation. */
  readonly bot: Octokit
  /** Acts as the app itself. */
  readonly jwt: Octokit
  /** Acts as a person who may write. */
  readonly ana: Octokit
  readonly close: () => Promise<void>
}

/** Acts with a token. */
export const clientOf = (server: GitHubServer, token: string) =>
  new Octokit({ baseUrl: server.api, auth: token, log: quiet })

export const personOf = (server: GitHubServer, login: string) =>
  clientOf(server, addPersonalToken(server.world, login).value)

/** Clients of octokit, which know nothing of this server but its address. */
export const makeScene = async (hookUrl: string | null = null, options: Options = {}): Promise<Scene> => {
  const server = await startGitHub(options)
  const { world } = server
  const repository = await addRepository(world, "acme", "pay")
  repository.collaborators.set("ana", "write")
  const manifest = { name: "Gatehouse of Acme", owner: "acme", permissions, events, hookUrl }
  const app = addApp(world, manifest, "s3cret of the hook")
  const installation = install(world, app, "acme", [repository])
  const auth = { appId: app.id, privateKey: app.pem }
  const shared = { baseUrl: server.api, log: quiet, authStrategy: createAppAuth }
  return {
    server,
    repository,
    app,
    installation,
    jwt: new Octokit({ ...shared, auth }),
    bot: new Octokit({ ...shared, auth: { ...auth, installationId: installation.id } }),
    ana: personOf(server, "ana"),
    close: server.close
  }
}

export const acme = { owner: "acme", repo: "pay" }

/** Status and message of a call; 200 when it worked. */
export const outcome = async (call: Promise<unknown>): Promise<readonly [number, string]> => {
  try {
    await call
    return [200, ""]
  } catch (error) {
    const { status, response } = error as {
      readonly status: number
      readonly response?: { readonly data: { readonly message?: string } }
    }
    return [status, response?.data.message ?? ""]
  }
}

/** Puts files on a branch from another one, as somebody's push does; null deletes a file. */
export const commit = async (
  { server, repository }: Scene,
  branch: string,
  files: Readonly<Record<string, string | null>>,
  from = "main"
): Promise<string> => {
  const { path } = repository
  const parent = (await commitOf(path, `refs/heads/${branch}`)) ?? (await commitOf(path, `refs/heads/${from}`))
  const lines = [
    `commit refs/heads/${branch}`,
    `committer Ana <ana@acme.test> ${Math.floor(server.world.clock.now() / 1000)} +0000`,
    "data 8\nA change",
    `from ${parent}`,
    ...Object.entries(files).map(([name, text]) =>
      text === null ? `D ${name}` : `M 100644 inline ${name}\ndata ${Buffer.byteLength(text)}\n${text}`
    ),
    ""
  ]
  await git(path, ["fast-import", "--quiet", "--force"], { input: lines.join("\n") })
  const ana = addUser(server.world, "ana")
  await inTurn(repository, () => refreshRefs(server.world, repository, ana))
  return git(path, ["rev-parse", `refs/heads/${branch}`])
}

/** Address of a repository with the credential that git sends. */
export const remoteOf = (server: GitHubServer, repository: State.Repository, token: string) =>
  `${server.origin.replace("://", `://x-access-token:${token}@`)}/${repository.owner.login}/${repository.name}.git`

/** Runs in a clone that git itself makes over HTTP. */
export const inClone = async <A>(remote: string, work: (folder: string) => Promise<A>): Promise<A> => {
  const parent = await mkdtemp(join(tmpdir(), "gatehouse-test-clone-"))
  try {
    await git(parent, ["clone", "--quiet", remote, "clone"])
    const folder = join(parent, "clone")
    await git(folder, ["config", "user.name", "Ana"])
    await git(folder, ["config", "user.email", "ana@acme.test"])
    return await work(folder)
  } finally {
    await rm(parent, { recursive: true, force: true })
  }
}

/** Commits files on a branch of a clone and pushes it; returns the commit. */
export const push = async (
  folder: string,
  branch: string,
  files: Readonly<Record<string, string>>,
  message = "A change"
) => {
  await git(folder, ["switch", "--quiet", "--force-create", branch, ...(branch === "main" ? ["origin/main"] : [])])
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  await git(folder, ["add", "--all"])
  await git(folder, ["commit", "--quiet", "--message", message])
  await git(folder, ["push", "--quiet", "origin", branch])
  return git(folder, ["rev-parse", "HEAD"])
}
