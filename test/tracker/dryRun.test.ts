import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { checked } from "../../adapters/cli/commands/TrackerCommands.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import { type Project, type Tracker, Trackers } from "../../application/ports/tracker/Trackers.ts"
import * as Bindings from "../../application/work/tracker/Bindings.ts"
import { type Mapping, usualMapping, usualStatuses } from "../../domain/tracker/Mapping.ts"
import { gitHubIssues } from "./GitHubIssues.ts"
import { place, project, team } from "./Place.ts"

/** The tracker over the connection of the tests, whatever connection is given. */
const over = (tracker: Tracker, { connection }: Project): Tracker => ({
  ...tracker,
  inspect: (at) => tracker.inspect({ ...at, connection }),
  page: (at, request) => tracker.page({ ...at, connection }, request),
  trail: (at, issue, marks) => tracker.trail({ ...at, connection }, issue, marks)
})

const dryRun = (more: Partial<Mapping>) =>
  Effect.gen(function* () {
    const here = yield* gitHubIssues()
    const { at, people, server, tracker } = here
    const open = (title: string, body = "Text.", labels: ReadonlyArray<string> = []) =>
      people.open("writer", { title, body, labels })
    yield* open("Nowhere")
    yield* people.move("writer", yield* open("Waiting"), "Backlog")
    const criteria = "Why.\n\n## Acceptance criteria\n\n- [ ] It pays\n- [ ] It refunds"
    yield* people.move("writer", yield* open("Chosen", criteria, ["size/l"]), "Ready")
    yield* people.move("stranger", yield* open("Mine"), "Ready")
    const done = yield* open("Finished")
    yield* people.move("writer", done, "Done")
    yield* people.close(done, "completed")
    const { owner } = yield* place
    const input = { team, connection: "tracker", project, mapping: { ...usualMapping, ...more } }
    const dry = yield* Bindings.check(owner, input).pipe(
      Effect.provide(Layer.succeed(Trackers, () => over(tracker, at)))
    )
    assert.deepStrictEqual(server.violations, [])
    return checked(dry).replaceAll(server.origin, "https://github.test")
  }).pipe(Effect.provide(Memory.layer))

const board = { name: "acme/1", field: "Status" }
const todo = { mark: { kind: "status" as const, name: "Todo" }, column: "refining" as const }

it.scoped("a dry run with a board names options that it lacks, and the stories that would come", () =>
  Effect.gen(function* () {
    const columns = [todo, ...usualStatuses.filter(({ column }) => column !== "review")]
    assert.strictEqual(
      yield* dryRun({ columns, board }),
      `acme/pay: 5 issues.
The board has no status 'Todo'. It has 'Backlog', 'Ready', 'In progress', 'In review', 'Done'.
No status means Review: its stories look like Backlog in the tracker.
Backlog: 2
Refining: 1
Ready: 1
Done: 1
acme/pay#1  Backlog   0 criteria  40  Nowhere
acme/pay#2  Backlog   0 criteria  40  Waiting
acme/pay#3  Ready     2 criteria  70  Chosen
acme/pay#4  Refining  0 criteria  40  Mine (mallory gave the issue its status, and may not write to acme/pay. Read its text, and make it ready again in the tracker.)
acme/pay#5  Done      0 criteria  40  Finished`
    )
  })
)

it.scoped("a dry run with a board that is missing names the way out, and shows the issues without it", () =>
  Effect.gen(function* () {
    const text = yield* dryRun({ columns: usualStatuses, board: { name: "acme/9", field: "Status" } })
    assert.deepStrictEqual(text.split("\n").slice(0, 4), [
      "acme/pay: 5 issues.",
      "The board cannot be used: GitHub has no project acme/9 that the connection may see. Name it as OWNER/NUMBER, as its address ends with. Give the App the organization permission 'Projects: read and write', or the token the scope 'project'; only a classic token reaches the project of a person.",
      "No label means Refining: its stories look like Backlog in the tracker.",
      "Backlog: 4"
    ])
  })
)
