import { Effect, Option, Redacted } from "effect"
import * as SignIn from "../../application/workspace/SignIn.ts"
import type { Role } from "../../domain/workspace/Member.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as People from "./People.ts"

/** A session of the member with that role. */
export const session = (slug: WorkspaceSlug, role: Role) =>
  Effect.zipRight(People.person(slug, role), sessionOf(slug, People.emailOf(role)))

/** A session of the member with that address. */
export const sessionOf = (slug: WorkspaceSlug, email: string) =>
  Effect.gen(function* () {
    const { url } = yield* SignIn.makeLink({ workspace: slug, email })
    const link = Redacted.make(Redacted.value(url).split("/").at(-1) ?? "")
    const client = { userAgent: "Firefox/140 Linux", address: crypto.randomUUID(), requestId: null }
    const { token } = yield* SignIn.useLink(link, { ...client, session: Option.none() })
    return Redacted.value(token)
  })
