/** A server with an organisation, a repository, an app that is installed on it, and clients of it. */
import { createAppAuth } from "@octokit/auth-app"
import { Octokit } from "@octokit/rest"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { git } from "./Git.ts"
import { type GitHubServer, type Options, startGitHub } from "./GitHubServer.ts"
import type * as State from "./State.ts"
import { addApp, addPersonalToken, addRepository, install } from "./World.ts"

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

export const personOf = (server: GitHubServer, login: string) =>
  new Octokit({ baseUrl: server.api, auth: addPersonalToken(server.world, login).value, log: quiet })

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
