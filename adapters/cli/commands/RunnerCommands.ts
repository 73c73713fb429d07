import * as Command from "@effect/cli/Command"
import { Effect, Schema } from "effect"
import * as Runners from "../../../application/runner/Runners.ts"
import { RunnerView } from "../../../application/ports/runner/RunnerStore.ts"
import { columns, counted, section, time } from "../Columns.ts"
import { text } from "../Options.ts"
import { personalVerb } from "../Command.ts"

const encode = Schema.encodeSync(RunnerView)

const shown = (runner: RunnerView) => {
  const { token: _, removedAt: __, ...view } = encode(runner)
  return { ...view, status: runner.offlineAt !== null ? "offline" : runner.drainingAt !== null ? "draining" : "online" }
}

type Shown = ReturnType<typeof shown>

const headings = ["Name", "Status", "Version", "Slots in use", "Agents", "Last heard from"]

const cells = ({ executors, lastSeenAt, name, runs, slots, status, version }: Shown) => [
  name,
  status,
  version,
  `${runs.length} of ${slots}`,
  executors.map((one) => one.name).join(","),
  time(lastSeenAt)
]

const name = text("name", "Name of the runner, or its id where several have the name")

const list = personalVerb(
  "list",
  "List the runners of the workspace",
  {},
  (person) => Effect.map(Runners.list(person), (runners) => ({ data: runners.map(shown), nextCursor: null })),
  ({ data }) => (data.length === 0 ? "No runners." : columns([headings, ...data.map(cells)]).join("\n"))
)

const show = personalVerb(
  "show",
  "Show a runner and the runs it works on",
  { name },
  (person, input) => Effect.map(Runners.find(person, input.name), shown),
  (runner) =>
    [
      `${runner.name} is ${runner.status}, last heard from at ${time(runner.lastSeenAt)}.`,
      `Version ${runner.version} on ${runner.os} ${runner.arch}, ${counted(runner.slots, "slot")}, for ${runner.teams.join(", ") || "all teams"}.`,
      ...section(
        "Agents",
        columns(
          runner.executors.map((one) => [
            one.name,
            one.version ?? "",
            one.lacksKey === true ? "no key of its model" : ""
          ])
        )
      ),
      ...section("Runs", columns(runner.runs.map((run) => [run.key, run.story, run.stage])))
    ].join("\n")
)

const drain = personalVerb(
  "drain",
  "Let a runner finish its work and end; it leases nothing more",
  { name },
  (person, input) => Effect.map(Runners.drain(person, input.name), shown),
  ({ name, runs }) =>
    `${name} drains: it leases nothing more${runs.length === 0 ? " and ends" : `, and ends after ${counted(runs.length, "run")}`}. Started again, it works again.`
)

const remove = personalVerb(
  "remove",
  "Remove a runner and end its leases; revoke its token to keep it out",
  { name },
  (person, input) => Effect.map(Runners.remove(person, input.name), ({ id, name }) => ({ id, name })),
  (runner) => `${runner.name} is removed. It registers again as long as its token is active.`
)

export const runnerCommand = Command.make("runner").pipe(
  Command.withDescription("List, show, drain and remove runners"),
  Command.withSubcommands([list, show, drain, remove])
)
