import { Schema } from "effect"
import { Line, Slug } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const WorkspaceId = Schema.UUID.pipe(Schema.brand("WorkspaceId"))
export type WorkspaceId = typeof WorkspaceId.Type

export const WorkspaceSlug = Slug.pipe(Schema.brand("WorkspaceSlug"))
export type WorkspaceSlug = typeof WorkspaceSlug.Type

/** First segments of the service's own paths, which would hide the pages of a workspace. */
export const reservedSlugs = [
  "sign-in",
  "sign-out",
  "docs",
  "v1",
  "signals",
  "boards",
  "projects",
  "tasks",
  "healthz",
  "readyz",
  "metrics",
  "mcp",
  "runner",
  "hooks",
  "assets",
  "live",
  "incidents",
  "api",
  "app",
  "settings",
  "admin",
  "static",
  ".well-known"
]

export const isReserved = (slug: string): boolean => reservedSlugs.includes(slug)

export class Workspace extends Schema.Class<Workspace>("Workspace")({
  id: WorkspaceId,
  slug: WorkspaceSlug,
  name: Line(200),
  createdAt: Timestamp,
  deletedAt: Schema.NullOr(Timestamp)
}) {}

export class WorkspaceNotFound extends Schema.TaggedError<WorkspaceNotFound>()("WorkspaceNotFound", {
  slug: Schema.String
}) {
  override get message() {
    return `There is no workspace '${this.slug}'; 'gatehouse workspace list' shows them, and 'gatehouse workspace create' makes one.`
  }
}

export class WorkspaceSlugTaken extends Schema.TaggedError<WorkspaceSlugTaken>()("WorkspaceSlugTaken", {
  slug: Schema.String
}) {
  override get message() {
    return `The workspace slug '${this.slug}' is taken, or was and is not reused. Choose another slug.`
  }
}

export class WorkspaceSlugReserved extends Schema.TaggedError<WorkspaceSlugReserved>()("WorkspaceSlugReserved", {
  slug: Schema.String
}) {
  override get message() {
    return `The workspace slug '${this.slug}' is reserved for a path of the service. Choose another slug, such as '${this.slug}-team'.`
  }
}

export class NotConfirmed extends Schema.TaggedError<NotConfirmed>()("NotConfirmed", {
  given: Schema.String,
  expected: Schema.String
}) {
  override get message() {
    return `Nothing was deleted: --confirm must repeat '${this.expected}'; got '${this.given}'.`
  }
}
