import { DateTime, Either } from "effect"
import { Decision, type DecisionKey } from "../../../domain/work/Decision.ts"
import { presets } from "../../../domain/workspace/Policy.ts"
import type { Run } from "../../../domain/work/Run.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { StoryKey } from "../../../domain/work/Story.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import type { Catalog } from "../../ports/ImportStore.ts"
import type { Document } from "./ImportDocument.ts"
import type { finder } from "./PlanTeams.ts"
import { build, isStated, type Path, type Planned, refuse, unique } from "./ImportErrors.ts"

type ImportedDecision = Document["decisions"][number]

interface Surroundings {
  readonly teamOf: ReturnType<typeof finder>
  readonly teamOfStory: (story: StoryKey, path: Path) => Planned<TeamSlug>
  readonly runOf: (run: RunKey, path: Path) => Planned<Pick<Run, "key" | "story">>
  /** The team of a decision that names none, if there is only one. */
  readonly onlyTeam: TeamSlug | null
}

/** The run, story and team of a decision; several may be given if they agree. */
const placeOf = (given: ImportedDecision, around: Surroundings, path: Path) =>
  Either.gen(function* () {
    if (isStated(given.run) && isStated(given.runKey) && given.run !== given.runKey)
      return yield* refuse([...path, "runKey"], `is '${given.runKey}', but run is '${given.run}'`)
    const runKey = given.run ?? given.runKey ?? null
    const run = runKey === null ? null : yield* around.runOf(runKey, [...path, isStated(given.run) ? "run" : "runKey"])
    if (run !== null && isStated(given.story) && given.story !== run.story)
      return yield* refuse([...path, "story"], `is '${given.story}', but ${run.key} works on '${run.story}'`)
    const story = given.story ?? run?.story ?? null
    const storysTeam = story === null ? null : yield* around.teamOfStory(story, [...path, "story"])
    if (isStated(given.team) && storysTeam !== null && given.team !== storysTeam)
      return yield* refuse([...path, "team"], `is '${given.team}', but ${story} belongs to '${storysTeam}'`)
    const team = given.team ?? storysTeam ?? around.onlyTeam
    if (team === null) return yield* refuse([...path, "team"], "is missing: name the decision's team, story or run")
    return { team: yield* around.teamOf(team, [...path, "team"]), story, runKey }
  })

export const planDecisions = (
  given: Document["decisions"],
  catalog: Catalog,
  around: Surroundings,
  freshKey: (path: Path) => Planned<DecisionKey>
): Planned<Array<Decision>> =>
  Either.gen(function* () {
    yield* unique("decisions", given, "key", (decision) => decision.key)
    const decisions: Array<Decision> = []
    for (const [index, stated] of given.entries()) {
      const path = ["decisions", index]
      const { kind, options, recommendation, title } = stated
      const { runKey, story, team } = yield* placeOf(stated, around, path)
      const wrong = options.findIndex(
        ({ id, recommended }) => isStated(recommended) && recommended !== (id === recommendation)
      )
      if (wrong >= 0)
        return yield* refuse(
          [...path, "options", wrong, "recommended"],
          `disagrees with the recommendation '${recommendation}'`
        )
      if (isStated(stated.key) && catalog.decisions.includes(stated.key))
        return yield* refuse([...path, "key"], `'${stated.key}' is taken in this workspace`)
      const key = stated.key ?? (yield* freshKey([...path, "key"]))
      const status = stated.status ?? "pending"
      if (status === "resolved" && !isStated(stated.resolution))
        return yield* refuse(
          [...path, "resolution"],
          `a resolved decision needs its resolution, such as {"optionId":"${options[0]?.id ?? "approve"}"}; got ${
            stated.resolution === null ? "null" : "nothing"
          }. State it, or another status than resolved`
        )
      const createdAt = stated.createdAt ?? catalog.now
      const ends = DateTime.add(createdAt, { hours: team.policy?.decisionHours ?? presets.standard.decisionHours })
      const planned = yield* build(
        path,
        () =>
          new Decision({
            key,
            kind,
            authority: stated.authority ?? "member",
            title,
            body: stated.body ?? "",
            status,
            recommendation,
            options: options.map((option) => ({ ...option, recommended: option.id === recommendation })),
            team: team.slug,
            story,
            runKey,
            resolution: stated.resolution
              ? { optionId: stated.resolution.optionId, note: stated.resolution.note ?? null }
              : null,
            resolvedVia: stated.resolvedVia ?? null,
            resolvedAt: stated.resolvedAt ?? (status === "resolved" ? catalog.now : null),
            expiresAt:
              stated.expiresAt === undefined
                ? status === "expired"
                  ? DateTime.min(ends, catalog.now)
                  : ends
                : stated.expiresAt,
            createdAt,
            subject: null,
            resolvedBy: null
          })
      )
      decisions.push(planned)
    }
    return decisions
  })
