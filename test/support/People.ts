import { Effect } from "effect"
import * as Acting from "../../application/Acting.ts"
import * as Members from "../../application/Members.ts"
import { bySystem, type Channel } from "../../domain/Actor.ts"
import type { Email, Role } from "../../domain/Member.ts"
import type { WorkspaceSlug } from "../../domain/Workspace.ts"
import * as Seed from "./Seed.ts"

export const emailOf = (role: Role): Email => (role === "owner" ? Seed.ownerEmail : (`${role}@acme.test` as Email))

/** Whoever has that role in the workspace; added when nobody has it yet. */
export const person = (workspace: WorkspaceSlug, role: Role = "owner", channel: Channel = "app") =>
  Effect.gen(function* () {
    const email = emailOf(role)
    const name = { owner: "Olga Owner", admin: "Ada Admin", member: "Mika Member" }[role]
    yield* Effect.ignore(Members.add(bySystem, { workspace, email, name, role }))
    return yield* Acting.member(workspace, email, channel)
  })
