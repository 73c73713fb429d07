import { DateTime, Effect, TestClock } from "effect"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import type { Connection } from "../../domain/connection/Connection.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { trackerBoardContract } from "../contract/TrackerBoardContract.ts"
import { boardStatuses, type Role, trackerContract, type TrackerPlace } from "../contract/TrackerContract.ts"
import { gitHubIssues } from "./GitHubIssues.ts"
import { stranger, writer } from "./Place.ts"

const person = (by: Role) => (by === "writer" ? writer : stranger)

const memory = Effect.gen(function* () {
  yield* TestClock.setTime(DateTime.unsafeMake("2026-03-01T00:00:00Z").epochMillis)
  const { people, tracker } = MemoryTracker.make({ statuses: boardStatuses })
  const at = { workspace: "" as WorkspaceId, connection: {} as Connection, project: "acme/pay" }
  const place: TrackerPlace = {
    tracker,
    at,
    onBoard: { ...at, board: { name: "acme/1", field: "Status" } },
    people: {
      open: (by, issue) => Effect.map(people.open(person(by), issue), ({ id, key }) => ({ id, key })),
      edit: (by, { id }, text) => Effect.asVoid(people.edit(person(by), id, text)),
      label: (by, { id }, label) => Effect.asVoid(people.label(person(by), id, label)),
      unlabel: ({ id }, label) => Effect.asVoid(people.unlabel(id, label)),
      close: ({ id }, reason) => Effect.asVoid(people.close(id, reason)),
      leave: ({ id }, how) => Effect.asVoid(people.leave(id, how)),
      move: (by, { id }, status) => people.move(by && person(by), id, status)
    },
    second: TestClock.adjust(1000)
  }
  return place
})

trackerContract("memory", memory)
trackerContract("GitHub", gitHubIssues("app"))
trackerBoardContract("memory", memory)
trackerBoardContract("GitHub", gitHubIssues("app"))
