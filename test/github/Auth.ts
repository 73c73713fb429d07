import { createVerify, randomBytes } from "node:crypto"
import { refuse } from "./Answer.ts"
import type * as State from "./State.ts"
import { addUser, botOf, covers, type World } from "./World.ts"

/** The holder of a credential. */
export type Caller =
  | { readonly kind: "app"; readonly app: State.App }
  | { readonly kind: "token"; readonly token: State.Token }

const bad = () => refuse(401, "Bad credentials")

const decoded = (part: string): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as Record<string, unknown>
  } catch {
    throw refuse(401, "A JSON web token could not be decoded")
  }
}

/** The app that signed a JSON web token. */
const appOf = (world: World, jwt: string): State.App => {
  const [head = "", claims = "", signature = ""] = jwt.split(".")
  const { alg } = decoded(head)
  const { iss, iat, exp } = decoded(claims)
  if (alg !== "RS256") throw refuse(401, "A JSON web token could not be decoded")
  const app = [...world.apps.values()].find(({ id, clientId }) => String(iss) === String(id) || iss === clientId)
  if (app === undefined) throw refuse(404, "Integration not found")
  const now = Math.floor(world.clock.now() / 1000)
  if (typeof iat !== "number" || iat > now)
    throw refuse(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
    )
  if (typeof exp !== "number" || exp <= now)
    throw refuse(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
    )
  if (exp > now + 600) throw refuse(401, "'Expiration time' claim ('exp') is too far in the future")
  const verify = createVerify("RSA-SHA256").update(`${head}.${claims}`)
  if (!verify.verify(app.publicKey, signature, "base64url")) throw refuse(401, "A JSON web token could not be decoded")
  return app
}

export const tokenOf = (world: World, value: string): State.Token => {
  const token = world.tokens.get(value)
  if (token === undefined || token.isRevoked) throw bad()
  if (token.expiresAt !== null && token.expiresAt <= world.clock.now()) throw bad()
  if (token.installation?.isDeleted === true) throw bad()
  if (token.installation !== null && token.installation.suspendedAt !== null)
    throw refuse(403, "This installation has been suspended")
  return token
}

/** The holder of an `Authorization` header; null without one. */
export const callerOf = (world: World, authorization: string | undefined): Caller | null => {
  if (authorization === undefined) return null
  const [scheme = "", value = ""] = authorization.split(" ")
  if (scheme.toLowerCase() === "basic") {
    const password = Buffer.from(value, "base64").toString("utf8").split(":").slice(1).join(":")
    return { kind: "token", token: tokenOf(world, password) }
  }
  if (!["bearer", "token"].includes(scheme.toLowerCase())) throw bad()
  return value.startsWith("ey") && value.split(".").length === 3
    ? { kind: "app", app: appOf(world, value) }
    : { kind: "token", token: tokenOf(world, value) }
}

const ranks: Readonly<Record<State.Level, number>> = { none: 0, read: 1, write: 2, admin: 3 }

export const isAtLeast = (given: State.Level | undefined, wanted: State.Level) =>
  ranks[given ?? "none"] >= ranks[wanted]

/** Role of a person in a repository. */
export const roleNameOf = (repository: State.Repository, user: State.User): State.Role =>
  user.id === repository.owner.id
    ? "admin"
    : (repository.collaborators.get(user.login.toLowerCase()) ?? (repository.isPrivate ? "none" : "read"))

const levels: Readonly<Record<State.Role, State.Level>> = {
  none: "none",
  read: "read",
  triage: "read",
  write: "write",
  maintain: "write",
  admin: "admin"
}

/** Rights of a person in a repository. */
export const roleOf = (repository: State.Repository, user: State.User): State.Level =>
  levels[roleNameOf(repository, user)]

const seesRepository = (token: State.Token, repository: State.Repository) => {
  if (token.repositories !== null && !token.repositories.has(repository.id)) return false
  return token.installation === null
    ? isAtLeast(roleOf(repository, token.user), "read")
    : covers(token.installation, repository)
}

/** The repository of a request, if the holder of the token may use it so. */
export const reach = (
  world: World,
  token: State.Token,
  owner: string,
  name: string,
  permission: string,
  level: State.Level
): State.Repository => {
  const repository = world.repositories.get(`${owner}/${name}`.toLowerCase())
  if (repository === undefined || !seesRepository(token, repository)) throw refuse(404, "Not Found")
  const granted = token.permissions ?? {}
  const isGranted = permission === "metadata" || token.permissions === null || isAtLeast(granted[permission], level)
  const isInRole = token.installation !== null || isAtLeast(roleOf(repository, token.user), level)
  if (isGranted && isInRole) return repository
  const holder = token.installation === null ? "personal access token" : "integration"
  if (!isGranted)
    throw refuse(403, `Resource not accessible by ${holder}`, {
      "x-accepted-github-permissions": `${permission}=${level}`
    })
  throw level === "read" || repository.isPrivate === false
    ? refuse(403, "Must have push access")
    : refuse(403, "Forbidden")
}

/** A token of an installation, narrowed to some of its repositories and permissions. */
export const issueToken = (
  world: World,
  installation: State.Installation,
  repositories: ReadonlySet<number> | null,
  permissions: State.Permissions
): State.Token => {
  const token: State.Token = {
    value: `ghs_${installation.app.id}_${randomBytes(150).toString("base64url")}`,
    installation,
    user: addUser(world, botOf(world, installation.app).login, "Bot"),
    repositories,
    permissions,
    expiresAt: world.clock.now() + 3_600_000,
    isRevoked: false
  }
  world.tokens.set(token.value, token)
  return token
}
