import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect } from "effect"
import { bySystem } from "../../application/By.ts"
import * as Members from "../../application/Members.ts"
import * as Workspaces from "../../application/Workspaces.ts"
import { Email, Role } from "../../domain/Member.ts"
import { line, oneOf, option, slug, verb, workspace } from "./Verb.ts"

const email = (name: string) => option(name, Email, "an e-mail address")

const create = verb(
  "create",
  "Create a workspace and its owner",
  {
    slug: slug("slug"),
    name: line("name", "Name of the workspace"),
    ownerEmail: email("owner-email"),
    ownerName: line("owner-name", "Name of the owner")
  },
  ({ name, ownerEmail, ownerName, slug }) =>
    Workspaces.create(bySystem, { slug, name, owner: { email: ownerEmail, name: ownerName } }),
  ({ id, slug }) => `Created workspace ${slug} (${id}).`
)

const remove = verb(
  "delete",
  "Delete a workspace: its tokens stop working, its runs end; rows and audit stay",
  { workspace, confirm: Options.text("confirm").pipe(Options.withDescription("The slug once more")) },
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
    email: email("email"),
    name: line("name", "Name of the member"),
    role: oneOf("role", Role).pipe(Options.withDefault("member" as const))
  },
  (input) => Members.add(bySystem, input),
  ({ email, role }) => `Added ${email} as ${role}.`
)

const removeMember = verb(
  "remove",
  "Remove a member; their tokens stop working",
  { workspace, email: Options.text("email") },
  (input) => Effect.as(Members.remove(bySystem, input), { email: input.email, removed: true }),
  ({ email }) => `Removed ${email}.`
)

export const memberCommand = Command.make("member").pipe(
  Command.withDescription("Add and remove members"),
  Command.withSubcommands([add, removeMember])
)
