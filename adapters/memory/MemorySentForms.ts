import { DateTime, Effect, Layer } from "effect"
import type { Idempotency } from "../../application/ports/DecisionStore.ts"
import { SentForms } from "../../application/ports/identity/SentForms.ts"
import { IdempotencyRecord } from "../../domain/workspace/IdempotencyRecord.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { State } from "./MemoryState.ts"

export const layer = Layer.effect(
  SentForms,
  Effect.map(State, (state) => {
    const kept = (workspace: WorkspaceId) => state.get(workspace)?.keptAnswers ?? []
    const indexOf = (workspace: WorkspaceId, { key, token }: Idempotency) =>
      kept(workspace).findIndex((one) => one.key === key && one.token === token)
    return SentForms.of({
      take: (workspace, form) =>
        Effect.map(DateTime.now, (createdAt) => {
          const found = kept(workspace)[indexOf(workspace, form)]
          if (found !== undefined) return { isFirst: false, answer: found.answer || null }
          kept(workspace).push(new IdempotencyRecord({ ...form, request: "", answer: "", createdAt }))
          return { isFirst: true, answer: null }
        }),
      keep: (workspace, form, answer) =>
        Effect.sync(() => {
          const index = indexOf(workspace, form)
          const found = kept(workspace)[index]
          if (found !== undefined) kept(workspace)[index] = new IdempotencyRecord({ ...found, answer })
        }),
      release: (workspace, form) =>
        Effect.sync(() => {
          const index = indexOf(workspace, form)
          if (kept(workspace)[index]?.answer === "") kept(workspace).splice(index, 1)
        })
    })
  })
)
