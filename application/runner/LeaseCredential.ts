import { Effect } from "effect"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { RunView } from "../../domain/work/Run.ts"
import { Team } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { ConnectedSystems } from "../ports/connection/ConnectedSystems.ts"
import * as Json from "../ports/Json.ts"
import { RunStore } from "../ports/RunStore.ts"
import { TeamStore } from "../ports/TeamStore.ts"
import type { Renewal } from "./LeaseGrant.ts"

const decodeRun = Json.decoder(RunView)
const decodeTeam = Json.decoder(Team)

/** Credential for the repository that the runs of a team work in; null where the code host gives none. */
export const first = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  { repositories: [repository] }: Pick<Team, "repositories">
) {
  return repository === undefined ? null : yield* (yield* ConnectedSystems).gitCredential(workspace, repository)
})

/** The next credential of a run whose last one ends, as a renewal has it. */
export const next = (
  workspace: WorkspaceId,
  run: RunKey
): Effect.Effect<Pick<Renewal, "git">, never, RunStore | TeamStore> =>
  Effect.gen(function* () {
    const { team } = decodeRun(yield* (yield* RunStore).get(workspace, run))
    const git = yield* first(workspace, decodeTeam(yield* (yield* TeamStore).whole(workspace, team)))
    return git === null ? {} : { git }
  }).pipe(Effect.orElseSucceed(() => ({})))
