import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import * as Runs from "../../application/work/Runs.ts"
import type { AuditEntry } from "../../domain/workspace/Audit.ts"
import type { DecisionView } from "../../domain/work/Decision.ts"
import type { Job } from "../../domain/work/Job.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import * as Json from "../../application/ports/Json.ts"
import { team } from "./Desk.ts"

/** Asserts some fields of an object. */
export const has = (actual: object | null | undefined, expected: object) =>
  assert.deepInclude(actual ?? {}, expected as Partial<object>)

export const all = { limit: 1000, before: null }

export const jobsOf = (workspace: WorkspaceId) =>
  Effect.map(
    Effect.flatMap(JobStore, (store) => store.page(workspace, { status: null }, all)),
    ({ items }) =>
      Json.each(items)
        .map((item) => JSON.parse(item) as typeof Job.Encoded)
        .toReversed()
  )

export const decisionsOf = (workspace: WorkspaceId) =>
  Effect.map(
    Effect.flatMap(DecisionStore, (store) => store.page(workspace, { status: null, team: null, run: null }, all)),
    ({ items }) => Json.each(items).map((item) => JSON.parse(item) as typeof DecisionView.Encoded)
  )

export const entriesOf = (workspace: WorkspaceId, event: AuditEntry["event"]) =>
  Effect.map(
    Effect.flatMap(AuditLog, (log) =>
      log.page(workspace, { team: null, actor: null, event, run: null, from: null, to: null }, all)
    ),
    ({ items }) => Json.each(items).map((item) => JSON.parse(item) as typeof AuditEntry.Encoded)
  )

export const eventsOf = (sent: ReadonlyArray<{ readonly message: { readonly notice: { readonly event: string } } }>) =>
  sent.map(({ message }) => message.notice.event)

/** A story of the team whose run was just merged, with its changed paths. */
export const merged = (slug: string, owner: Parameters<typeof Runs.start>[0], paths: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* Seed.load(slug as never, { stories: [{ key: "PAY-1", team, title: "Faster", column: { role: "ready" } }] })
    const { run } = yield* Runs.start(owner, "PAY-1" as StoryKey)
    yield* Runs.lease(owner, { team: null, run: run.key })
    const pullRequest = { url: "https://git.example.com/pull/7", number: 7 }
    const diff = { files: paths.length, additions: 1, deletions: 0, commit: null, paths }
    yield* Runs.report(owner, run.key, [
      { type: "evidence", evidence: { gates: [], acceptance: [], demonstrate: [], diff } },
      { type: "pull_request", pullRequest },
      { type: "merged" }
    ])
    return run.key
  })
