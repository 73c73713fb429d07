import { Effect, Either, Layer } from "effect"
import { type Catalog, ImportStore, type Mentioned } from "../../application/ports/ImportStore.ts"
import type { Decided } from "../../domain/Change.ts"
import { numberOf } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { WorkspaceNotFound, type WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { bySlug, change, State, type Tenant } from "./MemoryState.ts"

const lastStoryNumber = (tenant: Tenant) => {
  const numbers = new Map<TeamSlug, number>()
  for (const { value: story } of tenant.stories.values())
    numbers.set(story.team, Math.max(numbers.get(story.team) ?? 0, numberOf(story.key)))
  return numbers
}

const pick = <K, A>(map: Map<K, { readonly value: A }>, keys: ReadonlyArray<K>): ReadonlyArray<A> =>
  [...new Set(keys)].flatMap((key) => {
    const row = map.get(key)
    return row === undefined ? [] : [row.value]
  })

export const layer = Layer.effect(
  ImportStore,
  Effect.map(State, (state) =>
    ImportStore.of({
      change: <A, E, F>(
        slug: WorkspaceSlug,
        mentioned: Mentioned,
        decide: (catalog: Catalog) => Either.Either<Decided<A, F>, E>
      ) =>
        change<A, E | WorkspaceNotFound, F>(
          state,
          () => bySlug(state, slug),
          (tenant, now) => {
            if (tenant === undefined || tenant.workspace.deletedAt !== null)
              return Either.left(new WorkspaceNotFound({ slug }))
            return decide({
              now,
              teams: [...tenant.teams.values()],
              lastStoryNumber: lastStoryNumber(tenant),
              services: [...tenant.services.values()],
              stories: [...tenant.stories.values()]
                .map((row) => row.value)
                .filter(({ id, key }) => mentioned.stories.includes(key) || mentioned.storyIds.includes(id)),
              runs: pick(tenant.runs, mentioned.runs),
              decisions: pick(tenant.decisions, mentioned.decisions).map((decision) => decision.key)
            })
          }
        )
    })
  )
)
