import { randomBytes } from "node:crypto"
import { type Call, created, empty, type Handlers, listed, ok, refuse, requireApp, requireToken } from "./Answer.ts"
import { isAtLeast, issueToken } from "./Auth.ts"
import * as Shapes from "./Shapes.ts"
import * as State from "./State.ts"
import { addApp, covers, type World } from "./World.ts"

const installationOf = (call: Call): State.Installation => {
  const app = requireApp(call)
  const found = call.world.installations.get(Number(call.parameters["installation_id"]))
  if (found === undefined || found.isDeleted || found.app !== app) throw refuse(404, "Not Found")
  return found
}

const covered = (world: World, installation: State.Installation) =>
  [...world.repositories.values()].filter((one) => covers(installation, one))

/** Repositories that a token is narrowed to; null for all of the installation. */
const narrowed = ({ world, body }: Call, installation: State.Installation): ReadonlyArray<State.Repository> | null => {
  const names = body["repositories"] as ReadonlyArray<string> | undefined
  const ids = body["repository_ids"] as ReadonlyArray<number> | undefined
  if (names === undefined && ids === undefined) return null
  const all = covered(world, installation)
  const byName = (names ?? []).map((name) => all.find((one) => one.name.toLowerCase() === name.toLowerCase()))
  const byId = (ids ?? []).map((id) => all.find((one) => one.id === id))
  return [...byName, ...byId].map((one) => {
    if (one === undefined)
      throw refuse(
        422,
        "There is at least one repository that does not exist or is not accessible to the parent installation."
      )
    return one
  })
}

const permitted = ({ body }: Call, installation: State.Installation): State.Permissions => {
  const wanted = body["permissions"] as State.Permissions | undefined
  if (wanted === undefined) return installation.permissions
  for (const [name, level] of Object.entries(wanted))
    if (!isAtLeast(installation.permissions[name], level))
      throw refuse(422, "The permissions requested are not granted to this installation.")
  return { metadata: "read", ...wanted }
}

const accessToken = (call: Call) => {
  const { world } = call
  const installation = installationOf(call)
  if (installation.suspendedAt !== null) throw refuse(403, "This installation has been suspended")
  const repositories = narrowed(call, installation)
  const ids = repositories === null ? null : new Set(repositories.map(({ id }) => id))
  const token = issueToken(world, installation, ids, permitted(call, installation))
  return created({
    token: token.value,
    expires_at: State.timestamp(token.expiresAt ?? 0),
    permissions: token.permissions,
    repository_selection: repositories === null && installation.repositories === null ? "all" : "selected",
    ...(repositories === null ? {} : { repositories: repositories.map((one) => Shapes.repositoryShape(world, one)) })
  })
}

const hour = 3_600_000

/** A code is good once, and for an hour. */
const converted = ({ world, parameters }: Call) => {
  const code = parameters["code"] ?? ""
  const manifest = world.manifests.get(code)
  world.manifests.delete(code)
  if (manifest === undefined || world.clock.now() - manifest.createdAt > hour) throw refuse(404, "Not Found")
  const app = addApp(world, manifest, manifest.hookUrl === null ? null : randomBytes(20).toString("hex"))
  world.ping(app)
  return created({
    ...Shapes.appShape(world, app),
    client_id: app.clientId,
    client_secret: app.clientSecret,
    webhook_secret: app.hook.secret,
    pem: app.pem
  })
}

export const appRoutes: Handlers = {
  "apps/create-from-manifest": converted,
  "apps/get-authenticated": (call) => {
    const app = requireApp(call)
    const count = [...call.world.installations.values()].filter((one) => one.app === app && !one.isDeleted).length
    return ok({ ...Shapes.appShape(call.world, app), installations_count: count })
  },
  "apps/list-installations": (call) => {
    const app = requireApp(call)
    const all = [...call.world.installations.values()].filter((one) => one.app === app && !one.isDeleted)
    return listed(call, all, (one) => Shapes.installationShape(call.world, one))
  },
  "apps/get-installation": (call) => ok(Shapes.installationShape(call.world, installationOf(call))),
  "apps/get-repo-installation": (call) => {
    const app = requireApp(call)
    const repository = call.world.repositories.get(
      `${call.parameters["owner"]}/${call.parameters["repo"]}`.toLowerCase()
    )
    const found = [...call.world.installations.values()].find(
      (one) => one.app === app && repository !== undefined && covers(one, repository)
    )
    if (found === undefined) throw refuse(404, "Not Found")
    return ok(Shapes.installationShape(call.world, found))
  },
  "apps/create-installation-access-token": accessToken,
  "apps/revoke-installation-access-token": (call) => {
    requireToken(call).isRevoked = true
    return empty
  },
  "apps/list-repos-accessible-to-installation": (call) => {
    const { installation, repositories } = requireToken(call)
    if (installation === null)
      throw refuse(
        403,
        "You must authenticate with an installation access token in order to list repositories for an installation."
      )
    const all = covered(call.world, installation).filter((one) => repositories?.has(one.id) ?? true)
    return listed(call, all, (one) => Shapes.repositoryShape(call.world, one), "repositories")
  },
  "users/get-authenticated": (call) => {
    const token = requireToken(call)
    if (token.installation !== null) throw refuse(403, "Resource not accessible by integration")
    return ok(Shapes.profileShape(call.world, token.user))
  },
  "users/get-by-username": (call) => {
    const user = call.world.users.get((call.parameters["username"] ?? "").toLowerCase())
    if (user === undefined) throw refuse(404, "Not Found")
    return ok(Shapes.profileShape(call.world, user))
  },
  "meta/get": () => ok({ verifiable_password_authentication: false, installed_version: "3.19.0" })
}
