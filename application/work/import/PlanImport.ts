import { Array, Either } from "effect"
import * as Audit from "../../../domain/workspace/Audit.ts"
import { decisionFact } from "../../../domain/work/WorkContext.ts"
import type { Change, Rows } from "../../../domain/Change.ts"
import type { DecisionKey } from "../../../domain/work/Decision.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { StoryKey } from "../../../domain/work/Story.ts"
import type { By } from "../../../domain/workspace/Actor.ts"
import type { Catalog } from "../../ports/ImportStore.ts"
import type { Document } from "./ImportDocument.ts"
import { planDecisions } from "./PlanDecisions.ts"
import { planRuns } from "./PlanRuns.ts"
import { planStories } from "./PlanStories.ts"
import { finder, planServices, planTeams } from "./PlanTeams.ts"
import { isStated, orRefuse, type Path, type Planned, refuse } from "./ImportErrors.ts"

/** Ids and keys drawn beforehand, so that planning stays pure. */
export interface Supply {
  readonly uuids: ReadonlyArray<string>
  readonly runKeys: ReadonlyArray<RunKey>
  readonly decisionKeys: ReadonlyArray<DecisionKey>
}

/** Returns drawn keys that neither the workspace nor the document uses. */
const fresh = <K extends string>(drawn: ReadonlyArray<K>, used: ReadonlyArray<string | null | undefined>) => {
  const taken = new Set(used)
  const free = drawn.filter((key) => !taken.has(key)).values()
  return (path: Path): Planned<K> => orRefuse(free.next().value, path, "could not be given a free key; try again")
}

type Added = Required<Pick<Rows, "teams" | "services" | "stories" | "runs" | "decisions">>

const facts = (by: By, rows: Added, details: Record<string, unknown>) => {
  const imported = (after: object) => ({ ...details, after })
  return [
    ...rows.teams.map((team) => {
      const { slug } = team
      return Audit.fact(by, "team_created", Audit.entityOf("team", team), { team: slug, details: imported({ slug }) })
    }),
    ...rows.services.map((service) => {
      const { name, team } = service
      return Audit.fact(by, "service_changed", Audit.entityOf("service", service), {
        team,
        details: imported({ name })
      })
    }),
    ...rows.stories.map((story) => {
      const details = imported({ column: story.column.role })
      return Audit.fact(by, "story_moved", Audit.entityOf("story", story), { team: story.team, details })
    }),
    ...rows.runs.map(({ key, latest, team }) => {
      const entity = Audit.entityOf("run", { id: key, name: key })
      return Audit.fact(by, "run_state_changed", entity, {
        team,
        runKey: key,
        details: imported({ status: latest.status })
      })
    }),
    ...rows.decisions.map((decision) => {
      const { kind, status } = decision
      return decisionFact(by, "decision_raised", decision, imported({ kind, status }))
    })
  ]
}

/** Turns a document into one change, or names the invalid field. */
export const plan = (
  document: Document,
  catalog: Catalog,
  supply: Supply,
  by: By,
  details: Record<string, unknown>
): Planned<Change & { readonly added: Added }> =>
  Either.gen(function* () {
    const uuids = supply.uuids.values()
    const uuid = () => uuids.next().value as string

    const teams = yield* planTeams(document.teams, catalog, by, uuid)
    const allTeams = [...catalog.teams.filter((team) => team.deletedAt === null), ...teams]
    const teamOf = finder(allTeams)
    const services = yield* planServices(document.services, catalog, teamOf, uuid)

    const stories = yield* planStories(document.stories, catalog, teamOf, uuid)
    const worked = catalog.runs.map(({ story, team }) => ({ key: story, team }))
    const storyTeams = new Map([...catalog.stories, ...worked, ...stories].map((story) => [story.key, story.team]))
    const teamOfStory = (key: StoryKey, path: Path) =>
      orRefuse(storyTeams.get(key), path, `there is no story '${key}' in this document or workspace`)

    const runKeys = [...catalog.runs, ...document.runs].map((run) => run.key)
    const runs = yield* planRuns(document.runs, catalog, teamOf, teamOfStory, fresh(supply.runKeys, runKeys))
    const allRuns = new Map([...catalog.runs, ...runs].map((run) => [run.key, run]))
    const runOf = (key: RunKey, path: Path) =>
      orRefuse(allRuns.get(key), path, `there is no run '${key}' in this document or workspace`)

    const onlyTeam = allTeams.length === 1 ? (allTeams[0]?.slug ?? null) : null
    const decisionKeys = [...catalog.decisions, ...document.decisions.map((decision) => decision.key).filter(isStated)]
    const decisions = yield* planDecisions(
      document.decisions,
      catalog,
      { teamOf, teamOfStory, runOf, onlyTeam },
      fresh(supply.decisionKeys, decisionKeys)
    )

    const added = { teams, services, stories, runs, decisions }
    const audit = facts(by, added, details)
    if (!Array.isNonEmptyReadonlyArray(audit))
      return yield* refuse([], "holds no teams, services, stories, runs or decisions")
    return { added, audit }
  })
