import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect } from "effect"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import * as Members from "../../../application/workspace/Members.ts"
import * as Workspaces from "../../../application/workspace/Workspaces.ts"
import { Role } from "../../../domain/workspace/Member.ts"
import { confirm, email, knownEmail, line, newWorkspace, oneOf, workspace } from "../Options.ts"
import { maybeAs, verb, who } from "../Command.ts"

const create = verb(
  "create",
  "Create a workspace and its owner",
  {
    slug: newWorkspace,
    name: line("name", "Name of the workspace"),
    ownerEmail: email("owner-email", "E-mail address of the owner"),
    ownerName: line("owner-name", "Name of the owner")
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

export const workspaceCommand = Command.make("workspace").pipe(
  Command.withDescription("Create and delete workspaces"),
  Command.withSubcommands([create, remove])
)

const add = verb(
  "add",
  "Add a member",
  {
    workspace,
    as: maybeAs,
    email: email("email", "E-mail address of the member"),
    name: line("name", "Name of the member"),
    role: oneOf("role", Role, "What they may do; default: member").pipe(Options.withDefault("member" as const))
  },
  ({ as, ...input }) => Effect.flatMap(who(input.workspace, as), (by) => Members.add(by, input)),
  ({ email, role }) => `Added ${email} as ${role}.`
)

const removeMember = verb(
  "remove",
  "Remove a member; their tokens stop working",
  { workspace, as: maybeAs, email: knownEmail("email", "E-mail address of the member") },
  ({ as, ...input }) =>
    Effect.as(
      Effect.flatMap(who(input.workspace, as), (by) => Members.remove(by, input)),
      { email: input.email, removed: true }
    ),
  ({ email }) => `Removed ${email}.`
)

export const memberCommand = Command.make("member").pipe(
  Command.withDescription("Add and remove members"),
  Command.withSubcommands([add, removeMember])
)
