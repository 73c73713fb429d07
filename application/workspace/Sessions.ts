import { Effect, Either, Option, type Redacted } from "effect"
import * as ChangeIdentity from "../../domain/workspace/ChangeIdentity.ts"
import * as Session from "../../domain/workspace/Session.ts"
import { hashOf } from "../../domain/workspace/SignInLink.ts"
import { governs } from "../../domain/workspace/SignInReach.ts"
import type { WorkspaceNotFound } from "../../domain/workspace/Workspace.ts"
import { IdentityStore } from "../ports/identity/IdentityStore.ts"
import type { Person } from "./Authorization.ts"

/** The session of a token with the workspaces it opens now; one statement, so that every ending takes effect at once. */
export const find = Effect.fn("Sessions.find")(function* (token: Option.Option<Redacted.Redacted>) {
  if (Option.isNone(token)) return yield* new Session.SignInRequired({ reason: "missing" })
  const hash = yield* hashOf("gts_", token.value)
  if (hash === null) return yield* new Session.SignInRequired({ reason: "unknown" })
  return yield* Session.valid(yield* (yield* IdentityStore).findSession(hash))
})

/** The member that a session acts as in a workspace. */
export const personIn = (
  signedIn: Session.SignedIn,
  slug: string,
  requestId: string | null
): Either.Either<Person, WorkspaceNotFound> =>
  Either.map(Session.membershipIn(signedIn, slug), ({ member: { id, name, role }, workspace, workspaceSlug }) => ({
    workspace,
    workspaceSlug,
    member: { id, name, role },
    channel: "app",
    requestId
  }))

/** The person's own sessions, newest first; a session that opens one workspace sees those of that workspace only. */
export const list = Effect.fn("Sessions.list")(function* ({ session: own }: Session.SignedIn) {
  const { now, sessions } = yield* (yield* IdentityStore).look(own.email)
  return sessions
    .filter((one) => governs(own.reach, one.reach) && !Session.isOver(one, now))
    .toReversed()
    .map((session) => ({ session, isOwn: session.id === own.id }))
})

/** Ends sessions; returns how many. */
export const signOut = Effect.fn("Sessions.signOut")(function* (
  signedIn: Session.SignedIn,
  which: ChangeIdentity.Ending,
  requestId: string | null
) {
  const store = yield* IdentityStore
  return yield* store.change({ email: signedIn.session.email }, ChangeIdentity.signOut(signedIn, requestId, which))
})
