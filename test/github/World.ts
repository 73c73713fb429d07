import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { writeRepository } from "./BareRepository.ts"
import type * as State from "./State.ts"

export type Emit = (
  repository: State.Repository | null,
  sender: State.User,
  event: string,
  action: string | null,
  payload: Readonly<Record<string, unknown>>,
  installation?: State.Installation
) => void

/** Everything that the server knows. */
export interface World {
  readonly root: string
  readonly clock: State.Clock
  readonly users: Map<string, State.User>
  readonly apps: Map<number, State.App>
  readonly installations: Map<number, State.Installation>
  readonly tokens: Map<string, State.Token>
  readonly repositories: Map<string, State.Repository>
  readonly boards: Array<State.Board>
  /** Manifests that wait for the conversion of their code. */
  readonly manifests: Map<string, Manifest>
  readonly nextId: () => number
  /** How often a pull request says that its mergeability is unknown, before it says it. */
  nullsBeforeMergeable: number
  /** The person who looks at the pages. */
  visitor: string
  origin: string
  emit: Emit
  /** Every delivery of a webhook, sent or not. */
  readonly deliveries: Array<State.Delivery>
  resend: (delivery: State.Delivery) => void
  ping: (app: State.App) => void
}

/** An app as somebody describes it to GitHub. */
export interface Manifest {
  readonly name: string
  readonly owner: string
  readonly permissions: State.Permissions
  readonly events: ReadonlyArray<string>
  readonly hookUrl: string | null
  /** Address to which GitHub sends a person who installed the app. */
  readonly setupUrl?: string | null
  readonly createdAt: number
}

export const makeWorld = (root: string, clock: State.Clock): World => {
  let last = 1000
  return {
    root,
    clock,
    users: new Map(),
    apps: new Map(),
    installations: new Map(),
    tokens: new Map(),
    repositories: new Map(),
    boards: [],
    manifests: new Map(),
    nextId: () => ++last,
    nullsBeforeMergeable: 1,
    visitor: "ana",
    origin: "",
    emit: () => {},
    deliveries: [],
    resend: () => {},
    ping: () => {}
  }
}

/** The account of that name, which is made when it is new. */
export const addUser = (world: World, login: string, type: State.User["type"] = "User"): State.User => {
  const known = world.users.get(login.toLowerCase())
  if (known !== undefined) return known
  const user = { id: world.nextId(), login, type }
  world.users.set(login.toLowerCase(), user)
  return user
}

const kept = createPrivateKey(readFileSync(join(import.meta.dirname, "app.key")))
const keys = [{ privateKey: kept, publicKey: createPublicKey(kept) }]

/** Keys of the n-th app of any server, because they take long to make. */
const keysOf = (index: number) => (keys[index] ??= generateKeyPairSync("rsa", { modulusLength: 2048 }))

export const addApp = (world: World, manifest: Omit<Manifest, "createdAt">, secret: string | null): State.App => {
  const { privateKey, publicKey } = keysOf(world.apps.size)
  const id = world.nextId()
  const slug = manifest.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
  const app: State.App = {
    id,
    slug,
    name: manifest.name,
    owner: addUser(world, manifest.owner, "Organization"),
    clientId: `Iv23${randomBytes(8).toString("hex")}`,
    clientSecret: randomBytes(20).toString("hex"),
    pem: privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
    publicKey,
    createdAt: world.clock.now(),
    setupUrl: manifest.setupUrl ?? null,
    permissions: manifest.permissions,
    events: manifest.events,
    hook: { id: world.nextId(), url: manifest.hookUrl, secret, events: null }
  }
  world.apps.set(id, app)
  addUser(world, `${slug}[bot]`, "Bot")
  return app
}

export const botOf = (world: World, app: State.App) => addUser(world, `${app.slug}[bot]`, "Bot")

/** Installs an app; without repositories, on all of the account. */
export const install = (
  world: World,
  app: State.App,
  account: string,
  repositories: ReadonlyArray<State.Repository> | null = null
): State.Installation => {
  const installation: State.Installation = {
    id: world.nextId(),
    app,
    account: addUser(world, account, "Organization"),
    createdAt: world.clock.now(),
    repositories: repositories === null ? null : new Set(repositories.map(({ id }) => id)),
    permissions: app.permissions,
    suspendedAt: null,
    isDeleted: false
  }
  world.installations.set(installation.id, installation)
  return installation
}

export const covers = (installation: State.Installation, repository: State.Repository) =>
  !installation.isDeleted &&
  installation.account.id === repository.owner.id &&
  (installation.repositories?.has(repository.id) ?? true)

/** A token of a person: a classic one, or with permissions a fine-grained one. */
export const addPersonalToken = (
  world: World,
  login: string,
  permissions: State.Permissions | null = null,
  repositories: ReadonlyArray<State.Repository> | null = null
): State.Token => {
  const prefix = permissions === null ? "ghp" : "github_pat"
  const token: State.Token = {
    value: `${prefix}_${randomBytes(41).toString("hex")}`,
    installation: null,
    user: addUser(world, login),
    repositories: repositories === null ? null : new Set(repositories.map(({ id }) => id)),
    permissions,
    expiresAt: null,
    isRevoked: false
  }
  world.tokens.set(token.value, token)
  return token
}

/** Refuses pushes to the branches that the file `protected` names. */
const preReceive = `#!/bin/sh
while read -r old new ref; do
  if grep -qxF "$ref" protected 2>/dev/null; then
    echo "error: GH013: Repository rule violations found for $ref." >&2
    echo "- Changes must be made through a pull request." >&2
    exit 1
  fi
done
`

/** A bare repository with one commit on `main`. */
export const addRepository = async (
  world: World,
  owner: string,
  name: string,
  { isPrivate = true }: { readonly isPrivate?: boolean } = {}
): Promise<State.Repository> => {
  const path = join(world.root, owner, `${name}.git`)
  const commit = await writeRepository(path, {
    readme: `# ${name}\n`,
    seconds: Math.floor(world.clock.now() / 1000),
    config: ["[http] receivepack = true", "[transfer] hideRefs = refs/pull", "[uploadpack] allowAnySHA1InWant = true"],
    preReceive
  })
  const repository: State.Repository = {
    id: world.nextId(),
    owner: addUser(world, owner, "Organization"),
    name,
    path,
    isPrivate,
    createdAt: world.clock.now(),
    collaborators: new Map(),
    hasIssues: true,
    protections: new Map(),
    suites: [],
    checkRuns: [],
    statuses: [],
    issues: [],
    labels: [],
    hooks: [],
    refs: new Map([["refs/heads/main", commit]]),
    mergeMethods: new Set(["merge", "squash", "rebase"]),
    gone: new Map(),
    lastNumber: 0,
    defaultBranch: "main",
    pushedAt: world.clock.now(),
    turn: Promise.resolve()
  }
  world.repositories.set(`${owner}/${name}`.toLowerCase(), repository)
  return repository
}

/** Runs what changes a repository one after another. */
export const inTurn = <A>(repository: State.Repository, change: () => Promise<A>): Promise<A> => {
  const done = repository.turn.then(change, change)
  repository.turn = done.catch(() => {})
  return done
}
