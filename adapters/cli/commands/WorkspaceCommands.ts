import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import { WorkspaceStore } from "../../../application/ports/WorkspaceStore.ts"
import * as Workspaces from "../../../application/workspace/Workspaces.ts"
import { format } from "../../../domain/value/Timestamp.ts"
import { WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { columns, counted, time } from "../Columns.ts"
import { confirm, limit, newEmail, newName, newWorkspace, option, slug, workspace } from "../Options.ts"
import { list } from "../Paging.ts"
import { verb } from "../Command.ts"

const create = verb(
  "create",
  "Create a workspace and its owner",
  {
    slug: newWorkspace,
    name: newName("name", "Name of the workspace"),
    ownerEmail: newEmail("owner-email", "E-mail address of the owner"),
    ownerName: newName("owner-name", "Name of the owner")
  },
  ({ name, ownerEmail, ownerName, slug }) =>
    Workspaces.create(bySystem, { slug, name, owner: { email: ownerEmail, name: ownerName } }),
  ({ id, slug }) => `Created workspace ${slug} (${id}).`
)

const remove = verb(
  "delete",
  "Delete a workspace: its tokens stop working, its runs end; rows and audit stay",
  { workspace, confirm },
  (input) =>
    Effect.as(Workspaces.remove(bySystem, { slug: input.workspace, confirm: input.confirm }), {
      slug: input.workspace,
      deleted: true
    }),
  ({ slug }) => `Deleted workspace ${slug}.`
)

const rename = verb(
  "rename",
  "Give a workspace another slug; links with the old one end",
  { workspace, to: slug("to", "The new slug, such as acme") },
  ({ to, workspace }) => Workspaces.rename(bySystem, { slug: workspace, to }),
  ({ slug }) => `The workspace is ${slug} now.`
)

const cursor = Options.optional(
  option("cursor", WorkspaceSlug, "the slug that the page before printed", {
    description: "Cursor of the next page, from the previous output",
    placeholder: "SLUG"
  })
)

const listAll = list(
  "list",
  "List workspaces by slug, with how many members and teams they have",
  { limit, cursor },
  ({ cursor, limit }) =>
    Effect.gen(function* () {
      const found = yield* (yield* WorkspaceStore).list(Option.getOrNull(cursor), limit + 1)
      const items = found.slice(0, limit).map(({ members, teams, workspace: { createdAt, id, name, slug } }) => ({
        id,
        slug,
        name,
        members,
        teams,
        createdAt: format(createdAt)
      }))
      return { items, nextCursor: found.length > limit ? (items.at(-1)?.slug ?? null) : null }
    }),
  "No workspaces.",
  (all) =>
    columns(
      all.map(({ createdAt, members, name, slug, teams }) => [
        slug,
        counted(members, "member"),
        counted(teams, "team"),
        time(createdAt),
        name
      ])
    )
)

export const workspaceCommand = Command.make("workspace").pipe(
  Command.withDescription("Create, list, rename and delete workspaces"),
  Command.withSubcommands([create, listAll, rename, remove])
)
