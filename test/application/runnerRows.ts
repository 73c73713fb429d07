import { Effect, Redacted } from "effect"
import * as OwnRun from "../../application/runner/OwnRun.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Runs from "../../application/work/Runs.ts"
import type { RunnerId } from "../../domain/work/Lease.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { connectionRows } from "./connectionRows.ts"
import { trackerRows } from "./trackerRows.ts"
import { callerOf, introduction, leased } from "./forge.ts"
import { type Act, acts, run } from "./house.ts"
import type { Row } from "./OnRecordRow.ts"

const nobody = "00000000-0000-4000-8000-000000000000" as RunnerId

const reported =
  (more: number): Act =>
  ({ forge: at }, person) =>
    Runners.report(callerOf(person, at), {
      lease: at.lease,
      fence: at.fence + more,
      seq: 1,
      facts: [{ type: "stage", stage: "verifying" }],
      log: "",
      session: null
    })

const finished =
  (more: number, outcome: "succeeded" | "failed" = "failed"): Act =>
  ({ forge: at }, person) =>
    Runners.finish(callerOf(person, at), { lease: at.lease, fence: at.fence + more }, outcome)

const progressed = ["run_state_changed run forge run", "story_moved story forge run"]

const handed = (workspace: WorkspaceId, key: string, attempt = 1): Runs.HandedOff => ({
  workspace,
  run: run(key),
  attempt
})

/** Use cases of runners and of agents by the credential of their run. */
export const runnerRows: Readonly<Record<string, Row>> = {
  ...connectionRows,
  ...trackerRows,
  "OwnRun.ask": {
    act: ({ forge }) =>
      Effect.flatMap(OwnRun.enter(Redacted.make(forge.credential)), (held) => OwnRun.ask(held, "Which currency?")),
    actor: "service",
    entries: ["decision_raised decision forge run"],
    refusals: { InvalidToken: () => OwnRun.enter(Redacted.make("rk_of_nobody")) }
  },
  "Runners.drain": {
    act: acts["Runners.drain"],
    entries: ["runner_draining runner"],
    refusals: { RunnerNotFound: (_, person) => Runners.drain(person, "nobody") }
  },
  "Runners.finish": {
    act: finished(0),
    entries: ["run_state_changed run forge run"],
    refusals: { LeaseLost: finished(1), NotVerified: finished(0, "succeeded") }
  },
  "Runners.goodbye": {
    act: ({ forge }, person) => Runners.goodbye(callerOf(person, forge), forge.runner),
    entries: ["runner_offline runner", "run_state_changed run forge run"],
    refusals: { RunnerNotFound: ({ forge }, person) => Runners.goodbye(callerOf(person, forge), nobody) }
  },
  "Runners.hello": {
    act: ({ forge }, person) => Runners.hello(callerOf(person, forge), { ...introduction, name: "build-2" }),
    entries: ["runner_registered runner"]
  },
  "Runners.lease": {
    act: ({ forge }, person) => leased(callerOf(person, forge), forge.runner),
    counts: "runners",
    entries: ["run_state_changed run forge run"],
    refusals: { RunnerNotFound: ({ forge }, person) => leased(callerOf(person, forge), nobody) }
  },
  "Runners.remove": {
    act: acts["Runners.remove"],
    entries: ["runner_offline runner", "lease_lost run forge run", "run_state_changed run forge run"],
    refusals: { RunnerNotFound: (_, person) => Runners.remove(person, "nobody") }
  },
  "Runners.report": { act: reported(0), entries: progressed, refusals: { LeaseLost: reported(1) } },
  "Runners.sweep": {
    act: () => Runners.sweep(),
    actor: "system",
    entries: ["lease_lost run forge run", "run_state_changed run forge run", "runner_offline runner"]
  },
  "Runs.finishHandedOff": {
    act: ({ id }) => Runs.finishHandedOff(handed(id, "run-eeee"), "succeeded"),
    actor: "service",
    entries: ["run_state_changed run payments run", "story_moved story payments run"],
    refusals: {
      RunOver: ({ id }) => Runs.finishHandedOff(handed(id, "run-cccc"), "failed"),
      LeaseLost: ({ id }) => Runs.finishHandedOff(handed(id, "run-eeee", 2), "failed")
    }
  },
  "Runs.reportHandedOff": {
    act: ({ id }) => Runs.reportHandedOff(handed(id, "run-eeee"), [{ type: "stage", stage: "verifying" }]),
    actor: "service",
    entries: ["run_state_changed run payments run", "story_moved story payments run"],
    refusals: {
      RunOver: ({ id }) => Runs.reportHandedOff(handed(id, "run-cccc"), [{ type: "merged" }]),
      LeaseLost: ({ id }) => Runs.reportHandedOff(handed(id, "run-eeee", 2), [{ type: "merged" }])
    }
  }
}
