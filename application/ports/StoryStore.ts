import { Context, type Effect, type Either, Schema } from "effect"
import type { Decided } from "../../domain/Change.ts"
import type { StoryContext, TextOwnership } from "../../domain/work/ChangeStory.ts"
import { DecisionKey, DecisionView } from "../../domain/work/Decision.ts"
import { RunView } from "../../domain/work/Run.ts"
import {
  ColumnRole,
  StoryDetail,
  type StoryKey,
  type StoryNotFound,
  StorySummary,
  type StoryView
} from "../../domain/work/Story.ts"
import { RunKey } from "../../domain/value/RunKey.ts"
import { Role } from "../../domain/workspace/Member.ts"
import { Team, type TeamNotFound, type TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Json } from "./Json.ts"
import type { Page, PageRequest } from "./Page.ts"

/** A story on a board, with its newest run and the oldest decision that waits in it. */
export const BoardStory = Schema.Struct({
  ...StorySummary.fields,
  run: Schema.NullOr(
    Schema.Struct({
      key: RunKey,
      status: RunView.fields.status,
      stage: RunView.fields.stage,
      pullRequest: RunView.fields.pullRequest
    })
  ),
  pending: Schema.NullOr(Schema.Struct({ key: DecisionKey, authority: Role }))
})
export type BoardStory = typeof BoardStory.Type

/** The stories of a team by column, newest first and at most so many in each; the counts are of all. */
export const Board = Schema.Struct({
  unfinishedRuns: Schema.Int,
  spentTodayCents: Schema.Number,
  columns: Schema.Array(Schema.Struct({ role: ColumnRole, count: Schema.Int, stories: Schema.Array(BoardStory) }))
})
export type Board = typeof Board.Type

export const mostBriefed = 20

/** A story with its team and the newest decisions of its last run, at most `mostBriefed`. */
export const StoryBrief = Schema.Struct({ story: StoryDetail, team: Team, decisions: Schema.Array(DecisionView) })
export type StoryBrief = typeof StoryBrief.Type

export class StoryStore extends Context.Tag("application/StoryStore")<
  StoryStore,
  {
    readonly page: (
      workspace: WorkspaceId,
      filter: { readonly team: TeamSlug; readonly drafts: boolean },
      request: PageRequest
    ) => Effect.Effect<Page<StorySummary>, TeamNotFound>
    readonly get: (workspace: WorkspaceId, key: StoryKey) => Effect.Effect<Json<StoryView>, StoryNotFound>
    /** The same with its Demonstrate block, its test plan and the reason for its return. */
    readonly detail: (workspace: WorkspaceId, key: StoryKey) => Effect.Effect<Json<StoryDetail>, StoryNotFound>
    /** The same with its team and decisions, in one statement. */
    readonly brief: (workspace: WorkspaceId, key: StoryKey) => Effect.Effect<Json<StoryBrief>, StoryNotFound>
    /** The board of a team, in one statement; drafts are on it, rejected ones are not. */
    readonly board: (
      workspace: WorkspaceId,
      team: TeamSlug,
      mostPerColumn: number
    ) => Effect.Effect<Json<Board>, TeamNotFound>
    /** One column of a board, page by page. */
    readonly column: (
      workspace: WorkspaceId,
      of: { readonly team: TeamSlug; readonly column: ColumnRole },
      request: PageRequest
    ) => Effect.Effect<Page<BoardStory>, TeamNotFound>
    /** The part of a tracker in the text of a story. */
    readonly ownership: (workspace: WorkspaceId, key: StoryKey) => Effect.Effect<TextOwnership>
    /** Locks the story's pending decisions, its unfinished runs and the story, calls `decide`, commits its change. */
    readonly change: <A, E, F>(
      workspace: WorkspaceId,
      key: StoryKey,
      decide: (at: StoryContext) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F | StoryNotFound>
  }
>() {}
