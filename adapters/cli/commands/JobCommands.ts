import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { JobStore } from "../../../application/ports/JobStore.ts"
import * as Workspaces from "../../../application/workspace/Workspaces.ts"
import { JobStatus, type JobView } from "../../../domain/work/Job.ts"
import { limit, oneOf, workspace } from "../Options.ts"
import { heldBy } from "../MergeHoldText.ts"
import { verb } from "../Command.ts"

const list = verb(
  "list",
  "List what is to be done outside the service, such as merging a pull request; newest first",
  {
    workspace,
    status: Options.optional(oneOf("status", JobStatus, "Only those that are so")),
    limit
  },
  ({ limit, status, workspace }) =>
    Effect.gen(function* () {
      const id = yield* Workspaces.idOf(workspace)
      const { items } = yield* (yield* JobStore).page(id, { status: Option.getOrNull(status) }, { limit, before: null })
      return JSON.parse(items) as ReadonlyArray<typeof JobView.Encoded>
    }),
  (jobs) =>
    jobs.length === 0
      ? "No jobs."
      : jobs
          .map(({ createdAt, error, hold, id, kind, runKey, status, tries }) =>
            [id, status, kind, runKey ?? "-", `${tries} tries`, createdAt, error ?? "", hold ? heldBy(hold) : ""]
              .join("  ")
              .trimEnd()
          )
          .join("\n")
)

export const jobCommand = Command.make("job").pipe(
  Command.withDescription("See what waits to be done outside"),
  Command.withSubcommands([list])
)
