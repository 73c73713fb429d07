import { Effect, TestClock } from "effect"
import type { GoneReason, IssueRef } from "../../domain/tracker/TrackerIssue.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { gitHub, present } from "../codehost/GitHubPlace.ts"
import { boardStatuses, type Role, type TrackerPeople, type TrackerPlace } from "../contract/TrackerContract.ts"
import { addBoard, moveIssue } from "../github/Boards.ts"
import * as Issues from "../github/Issues.ts"
import type * as State from "../github/State.ts"
import { addRepository, addUser } from "../github/World.ts"

const logins: Readonly<Record<Role, string>> = { writer: "ana", stranger: "mallory" }

/** The GitHub of the tests with the project acme/pay, where Ana may write and Mallory may not. */
export const gitHubIssues = (way: "token" | "app" = "app") =>
  Effect.gen(function* () {
    yield* present()
    const { access, kept: repository, server, tracker } = yield* gitHub(way)
    const { world } = server
    const elsewhere = yield* Effect.promise(() => addRepository(world, "acme", "elsewhere"))
    const board = addBoard(world, "acme", boardStatuses)
    board.members.add("gatehouse-bot")
    const actOf = (login: string): Issues.Act => ({ world, repository, user: addUser(world, login), app: null })
    const act = (by: Role) => actOf(logins[by])
    const refOf = ({ id, number }: State.Issue): IssueRef => ({ id: String(id), key: `acme/pay#${number}` })
    const found = ({ id }: IssueRef): State.Issue => {
      const issue = repository.issues.find((one) => String(one.id) === id)
      if (issue === undefined) throw new Error(`there is no issue ${id}`)
      return issue
    }
    const leaving: Readonly<Record<GoneReason, (issue: State.Issue) => Promise<unknown>>> = {
      deleted: (issue) => Issues.deleteIssue(act("writer"), issue),
      transferred: (issue) => Issues.transferIssue(act("writer"), issue, elsewhere),
      converted: async (issue) => Issues.convertIssue(act("writer"), issue)
    }
    const labelsOf = (issue: State.Issue) => issue.labels.map(({ name }) => name)
    const people: TrackerPeople = {
      open: (by, { body, labels, title }) =>
        Effect.map(
          Effect.promise(() => Issues.openIssue(act(by), title, body ?? null, labels)),
          refOf
        ),
      edit: (by, ref, text) => Effect.promise(() => Issues.editIssue(act(by), found(ref), text)),
      label: (by, ref, label) =>
        Effect.promise(() => Issues.setLabels(act(by), found(ref), [...labelsOf(found(ref)), label])),
      unlabel: (ref, label) =>
        Effect.promise(() =>
          Issues.setLabels(
            act("writer"),
            found(ref),
            labelsOf(found(ref)).filter((one) => one !== label)
          )
        ),
      close: (ref, reason) =>
        Effect.promise(() =>
          Issues.editIssue(act("writer"), found(ref), {
            state: reason === null ? "open" : "closed",
            stateReason: reason
          })
        ),
      leave: (ref, how) => Effect.asVoid(Effect.promise(() => leaving[how](found(ref)))),
      move: (by, ref, status) =>
        Effect.sync(() => {
          board.records = by !== null
          moveIssue(act(by ?? "writer"), board, found(ref), status)
          board.records = true
        })
    }
    const forward = (milliseconds: number) =>
      Effect.zipRight(
        Effect.sync(() => world.clock.advance(milliseconds)),
        TestClock.adjust(milliseconds)
      )
    const at = {
      workspace: "00000000-0000-4000-8000-000000000002" as WorkspaceId,
      connection: access.connection,
      project: "acme/pay"
    }
    const place: TrackerPlace = {
      tracker,
      at,
      onBoard: { ...at, board: { name: "acme/1", field: "Status" } },
      people,
      second: forward(1000)
    }
    return { ...place, access, actOf, board, found, forward, refOf, repository, server, world }
  })
