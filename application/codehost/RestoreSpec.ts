import { Effect } from "effect"
import { BranchName } from "../../domain/codehost/PullRequestRecord.ts"
import { branchOf } from "../../domain/work/Run.ts"
import { byService } from "../../domain/workspace/Actor.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { PullRequestStore } from "../ports/codehost/PullRequestStore.ts"
import { NotConnected } from "../ports/JobHandlers.ts"
import type { WorkspaceJob } from "../ports/JobStore.ts"
import { hostsOf, orFail, runOf } from "./HostWork.ts"

/** Puts the acceptance spec on the branch of a run back as its first commit has it. */
export const restore = Effect.fn("RestoreSpec.restore")(function* (work: WorkspaceJob) {
  const { workspace } = work
  const { key, story, team } = yield* runOf(work)
  const opened = yield* (yield* PullRequestStore).find(workspace, { run: key })
  const { hosted } = yield* hostsOf(work)
  if (hosted.length === 0)
    return yield* new NotConnected({ reason: `No code host is connected for the repositories of the team ${team}.` })
  const branch = BranchName.make(branchOf({ key, story: story.key }))
  for (const { host, repository } of hosted) {
    if (opened !== null && opened.repository !== repository) continue
    const commit = yield* orFail(
      host.restore({
        repository,
        branch,
        base: opened?.base ?? null,
        folder: `.kanman/acceptance/${story.key}`,
        message: `Restore the acceptance spec of ${story.key}\n\nStory: ${story.key}\nRun: ${key}`
      })
    )
    if (commit === null) continue
    const details = { specRestored: { repository, branch, commit } }
    const entity = { type: "run", id: key, name: key } as const
    yield* (yield* AuditLog).append(workspace, {
      audit: [Audit.fact(byService, "run_state_changed", entity, { team, runKey: key, details })]
    })
  }
})
