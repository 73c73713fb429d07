import { Effect } from "effect"
import * as Authorization from "../../application/workspace/Authorization.ts"
import * as Members from "../../application/workspace/Members.ts"
import { bySystem, type Channel } from "../../domain/workspace/Actor.ts"
import type { Email, Role } from "../../domain/workspace/Member.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "./Seed.ts"

export const emailOf = (role: Role): Email => (role === "owner" ? Seed.ownerEmail : (`${role}@acme.test` as Email))

/** The member with that role in the workspace; added when there is none. */
export const person = (workspace: WorkspaceSlug, role: Role = "owner", channel: Channel = "app") =>
  Effect.gen(function* () {
    const email = emailOf(role)
    const name = { owner: "Olga Owner", admin: "Ada Admin", member: "Mika Member" }[role]
    yield* Effect.ignore(Members.add(bySystem, { workspace, email, name, role }))
    return yield* Authorization.member(workspace, email, channel)
  })
