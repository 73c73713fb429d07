/** Changes of installations, which people make on GitHub's pages, with their events. */
import { installationShape } from "./Shapes.ts"
import * as State from "./State.ts"
import { addUser, covers, install, type World } from "./World.ts"

const repositoryShape = (one: State.Repository) => ({
  id: one.id,
  node_id: State.nodeId("R", one.id),
  name: one.name,
  full_name: State.fullName(one),
  private: one.isPrivate
})

const covered = (world: World, installation: State.Installation) =>
  [...world.repositories.values()].filter((one) => covers(installation, one)).map(repositoryShape)

const emit = (world: World, one: State.Installation, login: string, event: string, action: string, more: object) =>
  world.emit(null, addUser(world, login), event, action, { installation: installationShape(world, one), ...more }, one)

/** Installs an app and says so to it. */
export const installApp = (
  world: World,
  app: State.App,
  account: string,
  repositories: ReadonlyArray<State.Repository> | null,
  by = account
): State.Installation => {
  const one = install(world, app, account, repositories)
  emit(world, one, by, "installation", "created", { repositories: covered(world, one) })
  return one
}

export const uninstall = (world: World, one: State.Installation, by: string) => {
  const repositories = covered(world, one)
  one.isDeleted = true
  emit(world, one, by, "installation", "deleted", { repositories })
}

export const suspend = (world: World, one: State.Installation, by: string) => {
  const repositories = covered(world, one)
  one.suspendedAt = world.clock.now()
  emit(world, one, by, "installation", "suspend", { repositories })
}

export const unsuspend = (world: World, one: State.Installation, by: string) => {
  one.suspendedAt = null
  emit(world, one, by, "installation", "unsuspend", { repositories: covered(world, one) })
}

/** Gives an installation the permissions that its app asks for by now. */
export const acceptPermissions = (world: World, one: State.Installation, by: string) => {
  one.permissions = one.app.permissions
  emit(world, one, by, "installation", "new_permissions_accepted", { repositories: covered(world, one) })
}

/** Adds or takes away repositories of an installation on selected ones. */
export const changeRepositories = (
  world: World,
  one: State.Installation,
  by: string,
  change: { readonly added?: ReadonlyArray<State.Repository>; readonly removed?: ReadonlyArray<State.Repository> }
) => {
  const { added = [], removed = [] } = change
  one.repositories ??= new Set()
  for (const { id } of added) one.repositories.add(id)
  for (const { id } of removed) one.repositories.delete(id)
  emit(world, one, by, "installation_repositories", added.length > 0 ? "added" : "removed", {
    repository_selection: "selected",
    repositories_added: added.map(repositoryShape),
    repositories_removed: removed.map(repositoryShape),
    requester: null
  })
}
