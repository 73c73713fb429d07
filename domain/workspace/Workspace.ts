import { Schema } from "effect"
import { Line, Slug } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const WorkspaceId = Schema.UUID.pipe(Schema.brand("WorkspaceId"))
export type WorkspaceId = typeof WorkspaceId.Type

export const WorkspaceSlug = Slug.pipe(Schema.brand("WorkspaceSlug"))
export type WorkspaceSlug = typeof WorkspaceSlug.Type

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
    return `There is no workspace '${this.slug}'.`
  }
}

export class WorkspaceSlugTaken extends Schema.TaggedError<WorkspaceSlugTaken>()("WorkspaceSlugTaken", {
  slug: Schema.String
}) {
  override get message() {
    return `The workspace slug '${this.slug}' is taken, or was and is not reused. Choose another slug.`
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
