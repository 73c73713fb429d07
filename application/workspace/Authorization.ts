import { Effect } from "effect"
import type { By, Channel } from "../../domain/workspace/Actor.ts"
import type { TokenId } from "../../domain/workspace/ApiToken.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import {
  AdminRequired,
  atLeast,
  byEmail,
  type MemberId,
  MemberNotFound,
  OwnerRequired,
  type Role
} from "../../domain/workspace/Member.ts"
import { type Operation, rights } from "../../domain/workspace/RequiredRole.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { present } from "../../domain/workspace/Roster.ts"
import { ofWorkspace } from "./DeniedTarget.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { WorkspaceStore } from "../ports/WorkspaceStore.ts"

/** A member of a workspace who makes a request, through any channel. */
export interface Person {
  readonly workspace: WorkspaceId
  readonly workspaceSlug: WorkspaceSlug
  readonly member: { readonly id: MemberId; readonly name: string; readonly role: Role }
  readonly channel: Channel
  readonly requestId: string | null
  /** The API token of the request, if it had one. */
  readonly token?: TokenId
}

/** Only an agent acts by its token: a runner's report and a script's call are their owner's. */
export const byOf = ({ channel, member, requestId, token }: Person): By => ({
  actor: { type: "human", name: member.name, userId: member.id },
  requestId,
  channel,
  ...(channel === "mcp" && token && { token })
})

/** The error of an operation by its required role; never for operations that every member may use. */
type RoleRefusal<Needed extends Role> = Needed extends "owner"
  ? OwnerRequired
  : Needed extends "admin"
    ? AdminRequired
    : never

/** The target to record in a denial; none for operations that every member may use. */
type Targeted<O extends Operation, R> = (typeof rights)[O] extends "member"
  ? []
  : [target: Effect.Effect<Audit.Target, never, R>]

/** Fails when the role does not suffice; records the denial with its target. */
export const permit = <O extends Operation, R = never>(
  person: Person,
  operation: O,
  ...target: Targeted<O, R>
): Effect.Effect<void, RoleRefusal<(typeof rights)[O]>, AuditLog | R> =>
  check(person, operation, target[0] ?? ofWorkspace(person)) as Effect.Effect<
    void,
    RoleRefusal<(typeof rights)[O]>,
    AuditLog | R
  >

const check = <R>(person: Person, operation: Operation, target: Effect.Effect<Audit.Target, never, R>) =>
  Effect.gen(function* () {
    const needed = rights[operation]
    const { role } = person.member
    if (atLeast(role, needed)) return
    const log = yield* AuditLog
    yield* log.append(person.workspace, { audit: [Audit.denied(byOf(person), operation, yield* target)] })
    return yield* needed === "owner" ? new OwnerRequired({ role }) : new AdminRequired({ role })
  }).pipe(Effect.withSpan("Authorization.permit"))

/** A member of the workspace, or the operator and the service, who may do everything. */
export type Who = Person | By

export const isPerson = (who: object): who is Person => "member" in who

/** Returns the actor to record, if the role suffices. */
export const admit = <O extends Operation, R = never>(
  who: Who,
  operation: O,
  ...target: Targeted<O, R>
): Effect.Effect<By, RoleRefusal<(typeof rights)[O]>, AuditLog | R> =>
  isPerson(who) ? Effect.as(permit<O, R>(who, operation, ...target), byOf(who)) : Effect.succeed(who)

/** The member an operator acts as. */
export const member = Effect.fn("Authorization.member")(function* (
  slug: WorkspaceSlug,
  email: string,
  channel: Channel
) {
  const store = yield* WorkspaceStore
  const { members, workspace } = yield* present(slug, yield* store.roster(slug))
  const found = byEmail(members, email)
  if (found === undefined) return yield* new MemberNotFound({ email })
  const person: Person = {
    workspace: workspace.id,
    workspaceSlug: slug,
    member: { id: found.id, name: found.name, role: found.role },
    channel,
    requestId: null
  }
  return person
})
