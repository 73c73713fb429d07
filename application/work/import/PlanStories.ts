import { Either } from "effect"
import { columnOf, numberOf, prefixOf, readiness, Story, StoryId, StoryKey } from "../../../domain/work/Story.ts"
import type { Catalog } from "../../ports/ImportStore.ts"
import type { Document } from "./ImportDocument.ts"
import type { finder } from "./PlanTeams.ts"
import { build, isStated, type Planned, refuse, unique } from "./ImportErrors.ts"

const contentOf = (given: Document["stories"][number]) => ({
  description: given.description ?? null,
  acceptanceCriteria: (given.acceptanceCriteria ?? []).map(({ id, status, text }, index) => ({
    id: id ?? `ac-${index + 1}`,
    text,
    status: status ?? ("pending" as const)
  })),
  demonstrate: given.demonstrate ?? []
})

export const planStories = (
  given: Document["stories"],
  catalog: Catalog,
  teamOf: ReturnType<typeof finder>,
  uuid: () => string
): Planned<Array<Story>> =>
  Either.gen(function* () {
    yield* unique("stories", given, "id", (story) => story.id)
    yield* unique("stories", given, "key", (story) => story.key)
    const lastNumber = new Map(catalog.lastStoryNumber)
    for (const { key, team } of given)
      if (isStated(key)) lastNumber.set(team, Math.max(lastNumber.get(team) ?? 0, numberOf(key)))
    const stories: Array<Story> = []
    for (const [index, story] of given.entries()) {
      const path = ["stories", index]
      const team = yield* teamOf(story.team, [...path, "team"])
      if (isStated(story.key) && prefixOf(story.key) !== team.keyPrefix)
        return yield* refuse([...path, "key"], `'${story.key}' must start with the team's prefix ${team.keyPrefix}-`)
      if (catalog.stories.some((existing) => existing.id === story.id))
        return yield* refuse([...path, "id"], `'${story.id}' is taken in this workspace`)
      if (isStated(story.key) && catalog.stories.some((existing) => existing.key === story.key))
        return yield* refuse([...path, "key"], `'${story.key}' is taken in this workspace`)
      const number = (lastNumber.get(team.slug) ?? 0) + 1
      if (!isStated(story.key)) lastNumber.set(team.slug, number)
      const content = contentOf(story)
      const column = columnOf(story.column?.role ?? "backlog")
      const planned = yield* build(
        path,
        () =>
          new Story({
            ...content,
            returnNote: null,
            rejectedAt: null,
            id: StoryId.make(story.id ?? uuid()),
            key: story.key ?? StoryKey.make(`${team.keyPrefix}-${number}`),
            title: story.title,
            team: team.slug,
            column: { ...column, id: story.column?.id ?? column.id, name: story.column?.name ?? column.name },
            draft: story.draft ?? false,
            readinessScore: story.readinessScore ?? readiness(content),
            size: story.size ?? null,
            complexity: story.complexity ?? null,
            classOfService: story.classOfService ?? "standard",
            tracker: story.tracker ?? null,
            createdAt: story.createdAt ?? catalog.now,
            updatedAt: story.updatedAt ?? story.createdAt ?? catalog.now,
            testPlan: story.testPlan ?? null
          })
      )
      stories.push(planned)
    }
    return stories
  })
