import { Effect, Option } from "effect"
import { brokenBy, type Health, healthOf } from "../../domain/codehost/BranchHealth.ts"
import * as ChangePullRequest from "../../domain/codehost/ChangePullRequest.ts"
import * as FollowPullRequest from "../../domain/codehost/FollowPullRequest.ts"
import * as MainRed from "../../domain/codehost/MainRed.ts"
import type { BranchName, CommitId, PullRequestRecord } from "../../domain/codehost/PullRequestRecord.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { Ask } from "../../domain/work/DecisionTriggers.ts"
import { RunView } from "../../domain/work/Run.ts"
import type { RunContext } from "../../domain/work/RunContext.ts"
import { byService } from "../../domain/workspace/Actor.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { BranchCommit, CodeHost } from "../ports/codehost/CodeHost.ts"
import { PullRequestStore } from "../ports/codehost/PullRequestStore.ts"
import * as Json from "../ports/Json.ts"
import { RunStore } from "../ports/RunStore.ts"
import { TeamStore } from "../ports/TeamStore.ts"

const decodeRun = Json.decoder(RunView)

/** Key of the decision that was raised; null when the run does not wait for its pull request any more. */
const asked = (workspace: WorkspaceId, run: RunKey, ask: Ask) =>
  Effect.flatMap(RunStore, (store) => store.change(workspace, run, FollowPullRequest.ask(byService, ask))).pipe(
    Effect.map(({ key }): string | null => key),
    Effect.orElseSucceed(() => null)
  )

/** Asks about a merge that a rule of the repository forbids. */
export const blocked = (workspace: WorkspaceId, run: RunKey, found: PullRequestRecord, rule: string) =>
  asked(workspace, run, FollowPullRequest.blockedAsk(found, rule))

/** Asks again about a branch that moved after its verification; approvals of the old commit do not count any more. */
export const moved = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  run: RunKey,
  found: PullRequestRecord,
  to: CommitId
) {
  const onHost =
    found.hostNumber === null || found.hostUrl === null ? null : { number: found.hostNumber, url: found.hostUrl }
  const proposal = { ...found, onHost, head: to }
  const store = yield* PullRequestStore
  yield* Effect.merge(store.open(workspace, found, ChangePullRequest.open(byService, proposal)))
  return yield* asked(workspace, run, FollowPullRequest.movedAsk(found, to))
})

const runOf = (workspace: WorkspaceId, key: RunKey) =>
  Effect.flatMap(RunStore, (store) => Effect.option(Effect.map(store.get(workspace, key), decodeRun)))

const changeRun = (
  workspace: WorkspaceId,
  key: RunKey | null,
  decide: (at: RunContext) => ReturnType<ReturnType<typeof FollowPullRequest.merged>>
) =>
  key === null ? Effect.void : Effect.ignore(Effect.flatMap(RunStore, (store) => store.change(workspace, key, decide)))

/** Follows what people did to a pull request on its host: a merge, a close, or a push after its verification. */
export const pullRequest = Effect.fn("FollowHost.pullRequest")(function* (
  workspace: WorkspaceId,
  host: CodeHost,
  record: PullRequestRecord
) {
  const store = yield* PullRequestStore
  const { head, mergeCommit, state } = yield* host.state(record)
  const changed = (decide: ReturnType<typeof ChangePullRequest.close>) =>
    Effect.ignore(store.change(workspace, record.number, decide))
  const { runKey } = record
  // A revert of a run's merge is not the change of the run.
  const own = record.reverts === null ? runKey : null
  if (state === "merged" && mergeCommit !== null) {
    yield* changed(ChangePullRequest.merge(byService, mergeCommit))
    return yield* changeRun(workspace, own, FollowPullRequest.merged(byService))
  }
  if (state === "closed") {
    yield* changed(ChangePullRequest.close(byService))
    return yield* changeRun(workspace, own, FollowPullRequest.closed(byService, record))
  }
  if (head === undefined || head === record.head || own === null) return
  const run = Option.getOrNull(yield* runOf(workspace, own))
  // Until its approval is asked for, the run itself may have pushed; a merge in work finds the new head itself.
  if (run?.status === "waiting" && run.stage === "handing_off") yield* moved(workspace, own, record, head)
})

/** Commits that are looked at for the one that broke the branch. */
const farthest = 10

interface Seen {
  readonly commit: BranchCommit
  readonly health: Health
}

/** The red commits at the end of a branch, newest first, and the health of the commit before them. */
const redEnd = (host: CodeHost, repository: string, commits: ReadonlyArray<BranchCommit>) =>
  Effect.gen(function* () {
    const red: Array<Seen> = []
    let head: Health | null = null
    for (const commit of commits.slice(0, farthest)) {
      const health: Health = healthOf(yield* host.checks(repository, commit.commit))
      head ??= health
      if (health.state !== "red") return { head, red, before: health }
      red.push({ commit, health })
    }
    return { head, red, before: null }
  })

/** The pull request that a commit merged, unless it is reverted already. */
const unreverted = (workspace: WorkspaceId, repository: string, mergeCommit: CommitId) =>
  Effect.gen(function* () {
    const store = yield* PullRequestStore
    const merged = yield* store.find(workspace, { repository, mergeCommit })
    const revert = merged && (yield* store.find(workspace, { reverts: merged.number }))
    return revert === null ? merged : null
  })

const unknown: Health = { state: "unknown", failed: [] }

/** Judges the main branch of a repository; returns the culprit of a red one, null when it is green. */
export const mainBranch = Effect.fn("FollowHost.mainBranch")(function* (
  workspace: WorkspaceId,
  host: CodeHost,
  at: {
    readonly repository: string
    readonly shown: string
    readonly teams: ReadonlyArray<TeamSlug>
    readonly reported: CommitId | null
  }
) {
  const branch: BranchName = yield* host.defaultBranch(at.repository)
  const commits = yield* host.recent(at.repository, branch)
  const { before, head, red } = yield* redEnd(host, at.repository, commits)
  if (head === null) return at.reported
  // It is red for longer than is looked at: its culprit is the one that was reported.
  if (before === null && red.length === farthest && at.reported !== null) return at.reported
  const oldest = red.at(-1)
  const merged = oldest === undefined ? null : yield* unreverted(workspace, at.repository, oldest.commit.commit)
  const main: MainRed.MainBranch = {
    repository: at.shown,
    branch,
    health: head,
    culprit:
      oldest === undefined
        ? null
        : {
            commit: oldest.commit.commit,
            broken: brokenBy(oldest.health, before ?? unknown),
            merged,
            isRevert: oldest.commit.isRevert
          },
    reported: at.reported
  }
  const store = yield* TeamStore
  for (const team of at.teams) yield* Effect.either(store.change(workspace, team, MainRed.judge(byService, main)))
  if (head.state === "red") return main.culprit?.commit ?? at.reported
  return head.state === "green" ? null : at.reported
})
