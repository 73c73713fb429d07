import { Context, type Effect } from "effect"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"

/** An object that a search leads to. */
export interface Hit {
  readonly type: "story" | "run" | "decision" | "incident" | "team"
  /** The slug of a team. */
  readonly key: string
  readonly title: string
  /** Name of its team. */
  readonly team: string
  /** Its column or status; empty for a team. */
  readonly state: string
}

export interface Wanted {
  /** In lower case; matches a whole key. */
  readonly key: string
  /** In lower case; a title has a word that begins with each. None finds nothing. */
  readonly words: ReadonlyArray<string>
}

/** Most hits of one type. */
export const mostHits = 10

/** Finds objects of a workspace by key or by words of their titles, newest first; nothing of deleted teams. */
export class WorkspaceSearch extends Context.Tag("application/WorkspaceSearch")<
  WorkspaceSearch,
  { readonly find: (workspace: WorkspaceId, wanted: Wanted) => Effect.Effect<ReadonlyArray<Hit>> }
>() {}
