import { Effect, Either, Layer } from "effect"
import * as Json from "../../../application/ports/Json.ts"
import { type Branch, type Clue, PullRequestStore } from "../../../application/ports/codehost/PullRequestStore.ts"
import type { Decided } from "../../../domain/Change.ts"
import type { BranchContext } from "../../../domain/codehost/ChangePullRequest.ts"
import {
  PullRequestNotFound,
  PullRequestNumber,
  type PullRequestRecord,
  PullRequestView
} from "../../../domain/codehost/PullRequestRecord.ts"
import { type WorkspaceId, WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { isHeld } from "../MemoryWorkContext.ts"
import { change, State, type Tenant } from "../MemoryState.ts"

const encode = Json.encoder(PullRequestView)

const all = (tenant: Tenant | undefined) => [...(tenant?.pullRequests.values() ?? [])]

const isMeant = (clue: Clue) => (record: PullRequestRecord) => {
  if ("run" in clue) return record.runKey === clue.run && record.reverts === null
  if ("reverts" in clue) return record.reverts === clue.reverts
  if ("hostUrl" in clue) return record.hostUrl === clue.hostUrl
  return record.repository === clue.repository && record.mergeCommit === clue.mergeCommit
}

const revertOf = (tenant: Tenant, { number }: PullRequestRecord) =>
  all(tenant).find(({ reverts }) => reverts === number)?.number ?? null

export const layer = Layer.effect(
  PullRequestStore,
  Effect.map(State, (state) =>
    PullRequestStore.of({
      get: (workspace, number) =>
        Effect.suspend(() => {
          const tenant = state.get(workspace)
          const record = tenant?.pullRequests.get(number)
          return tenant === undefined || record === undefined || !isHeld(tenant, record.team)
            ? new PullRequestNotFound({ number: String(number) })
            : Effect.succeed(encode({ ...record, revertedBy: revertOf(tenant, record) }))
        }),
      find: (workspace, clue) => Effect.sync(() => all(state.get(workspace)).findLast(isMeant(clue)) ?? null),
      opened: (workspace, repository) =>
        Effect.sync(() =>
          all(state.get(workspace)).filter((one) => one.repository === repository && one.state === "open")
        ),
      open: <A, E>(
        workspace: WorkspaceId,
        { branch, repository }: Branch,
        decide: (at: BranchContext) => Either.Either<Decided<A>, E>
      ) =>
        change<A, E, never>(
          state,
          () => state.get(workspace),
          (tenant, now) => {
            const records = all(tenant)
            const newest = records.findLast((one) => one.repository === repository && one.branch === branch) ?? null
            const last = Math.max(0, ...records.map(({ number }) => number))
            const slug = tenant?.workspace.slug ?? WorkspaceSlug.make("nowhere")
            return decide({ now, slug, newest, next: PullRequestNumber.make(last + 1) })
          }
        ),
      change: <A, E>(
        workspace: WorkspaceId,
        number: PullRequestNumber,
        decide: (at: {
          readonly now: BranchContext["now"]
          readonly record: PullRequestRecord
        }) => Either.Either<Decided<A>, E>
      ) =>
        change<A, E | PullRequestNotFound, never>(
          state,
          () => state.get(workspace),
          (tenant, now) => {
            const record = tenant?.pullRequests.get(number)
            return record === undefined
              ? Either.left(new PullRequestNotFound({ number: String(number) }))
              : decide({ now, record })
          }
        )
    })
  )
)
