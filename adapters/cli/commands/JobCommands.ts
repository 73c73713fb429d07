import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { JobStore } from "../../../application/ports/JobStore.ts"
import * as Workspaces from "../../../application/workspace/Workspaces.ts"
import { JobStatus, type JobView } from "../../../domain/work/Job.ts"
import { counted, time } from "../Columns.ts"
import { oneOf, workspace } from "../Options.ts"
import { list, paged, pageOf } from "../Paging.ts"
import { heldBy } from "../RunText.ts"

const listAll = list(
  "list",
  "List what is to be done outside the service, such as merging a pull request; newest first",
  {
    workspace,
    status: Options.optional(oneOf("status", JobStatus, "Only jobs with this status")),
    ...paged
  },
  ({ cursor, limit, status, workspace }) =>
    Effect.gen(function* () {
      const id = yield* Workspaces.idOf(workspace)
      const store = yield* JobStore
      const filters = { status: Option.getOrNull(status) }
      return yield* pageOf<JobView, typeof JobView.Encoded, never, never>(
        { workspace: id, list: "jobs", filters },
        { cursor, limit },
        (page) => store.page(id, filters, page)
      )
    }),
  "No jobs.",
  (jobs) =>
    jobs.map(({ createdAt, error, hold, id, kind, runKey, status, tries }) =>
      [
        id,
        status,
        kind,
        runKey ?? "-",
        counted(tries, "try", "tries"),
        time(createdAt),
        error ?? "",
        hold ? heldBy(hold) : ""
      ]
        .join("  ")
        .trimEnd()
    )
)

export const jobCommand = Command.make("job").pipe(
  Command.withDescription("See what waits to be done outside"),
  Command.withSubcommands([listAll])
)
