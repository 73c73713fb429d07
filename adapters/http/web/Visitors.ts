import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Context, Effect } from "effect"
import type { Member } from "../../../domain/workspace/Member.ts"
import type { Workspace } from "../../../domain/workspace/Workspace.ts"

export interface Membership {
  readonly workspace: Pick<Workspace, "id" | "slug" | "name">
  readonly member: Pick<Member, "id" | "name" | "role">
}

/** A signed-in person, with the workspaces that their session opens. */
export interface Visitor {
  readonly memberships: ReadonlyArray<Membership>
}

/** Finds the person who sent a request. */
export class Visitors extends Context.Reference<Visitors>()("adapters/http/web/Visitors", {
  defaultValue: (): ((request: HttpServerRequest.HttpServerRequest) => Effect.Effect<Visitor | null>) => () =>
    Effect.succeed(null)
}) {}
