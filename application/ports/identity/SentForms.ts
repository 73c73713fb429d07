import { Context, type Effect } from "effect"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import type { Idempotency } from "../DecisionStore.ts"

/** Forms that create something, each under its key: what became of the first sending answers the next ones. */
export class SentForms extends Context.Tag("application/SentForms")<
  SentForms,
  {
    /** Takes a form unless it is taken. `answer` is what became of the first sending, or null while nobody knows. */
    readonly take: (
      workspace: WorkspaceId,
      form: Idempotency
    ) => Effect.Effect<{ readonly isFirst: boolean; readonly answer: string | null }>
    /** Keeps what became of a form, which is not empty. */
    readonly keep: (workspace: WorkspaceId, form: Idempotency, answer: string) => Effect.Effect<void>
    /** Gives a form free that changed nothing. */
    readonly release: (workspace: WorkspaceId, form: Idempotency) => Effect.Effect<void>
  }
>() {}
