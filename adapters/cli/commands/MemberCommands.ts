import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Redacted } from "effect"
import { WorkspaceStore } from "../../../application/ports/WorkspaceStore.ts"
import * as Members from "../../../application/workspace/Members.ts"
import * as SignIn from "../../../application/workspace/SignIn.ts"
import { type Member, Role } from "../../../domain/workspace/Member.ts"
import { present } from "../../../domain/workspace/Roster.ts"
import { format } from "../../../domain/value/Timestamp.ts"
import { columns, time } from "../Columns.ts"
import { knownEmail, newEmail, newName, oneOf, workspace } from "../Options.ts"
import { complete, list } from "../Paging.ts"
import { maybeAs, verb, who } from "../Command.ts"

const shown = ({ createdAt, email, id, name, role }: Member) => ({
  id,
  email,
  name,
  role,
  createdAt: format(createdAt)
})

const add = verb(
  "add",
  "Add a member",
  {
    workspace,
    as: maybeAs,
    email: newEmail("email", "E-mail address of the member"),
    name: newName("name", "Name of the member"),
    role: oneOf("role", Role, "What they may do; default: member").pipe(Options.withDefault("member" as const))
  },
  ({ as, ...input }) =>
    Effect.map(
      Effect.flatMap(who(input.workspace, as), (by) => Members.add(by, input)),
      shown
    ),
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

const set = verb(
  "set",
  "Give a member another role; owners alone give and take the role of an owner",
  {
    workspace,
    as: maybeAs,
    email: knownEmail("email", "E-mail address of the member"),
    role: oneOf("role", Role, "What they may do from now on")
  },
  ({ as, ...input }) =>
    Effect.map(
      Effect.flatMap(who(input.workspace, as), (by) => Members.set(by, input)),
      shown
    ),
  ({ email, role }) => `${email} has the role ${role} now.`
)

const signInLink = verb(
  "sign-in-link",
  "Make a link by which a member signs in, once and within 15 minutes; hand it over yourself",
  { workspace, email: knownEmail("email", "E-mail address of the member") },
  (input) =>
    Effect.map(SignIn.makeLink(input), ({ expiresAt, url }) => ({
      url: Redacted.value(url),
      expiresAt: format(expiresAt)
    })),
  ({ expiresAt, url }) => `${url}\nIt works once, until ${time(expiresAt)}, and opens this workspace only.`
)

const listAll = list(
  "list",
  "List all members with their roles, in the order they were added",
  { workspace, as: maybeAs },
  ({ as, workspace }) =>
    Effect.gen(function* () {
      yield* who(workspace, as)
      const { members } = yield* present(workspace, yield* (yield* WorkspaceStore).roster(workspace))
      return complete(members.map(shown))
    }),
  "No members.",
  (members) => columns(members.map(({ createdAt, email, name, role }) => [email, role, time(createdAt), name]))
)

export const memberCommand = Command.make("member").pipe(
  Command.withDescription("Add, list and remove members, set their roles, and sign them in"),
  Command.withSubcommands([add, listAll, set, signInLink, removeMember])
)
