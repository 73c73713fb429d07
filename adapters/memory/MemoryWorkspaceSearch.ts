import { Effect, Layer, Struct } from "effect"
import { type Hit, mostHits, WorkspaceSearch } from "../../application/ports/search/WorkspaceSearch.ts"
import { State } from "./MemoryState.ts"

type Row = Hit & { readonly seq: bigint }

const wordsOf = (title: string) => title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

export const layer = Layer.effect(
  WorkspaceSearch,
  Effect.map(State, (state) =>
    WorkspaceSearch.of({
      find: (workspace, { key, words }) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          if (tenant === undefined) return []
          const nameOf = (team: string) => [...tenant.teams.values()].find(({ slug }) => slug === team)?.name ?? team
          const isPresent = (team: string) =>
            [...tenant.teams.values()].some(({ deletedAt, slug }) => slug === team && deletedAt === null)
          const hasWords = (title: string) =>
            words.length > 0 && words.every((word) => wordsOf(title).some((one) => one.startsWith(word)))
          const found = (rows: ReadonlyArray<Row>): ReadonlyArray<Hit> => {
            const here = rows.filter(({ team }) => isPresent(team)).toSorted((a, b) => (a.seq > b.seq ? -1 : 1))
            const named = here.filter((row) => row.key.toLowerCase() === key)
            const titled = here.filter(({ title }) => hasWords(title)).slice(0, mostHits)
            return [...new Set([...titled, ...named])]
              .toSorted((a, b) => (a.seq > b.seq ? -1 : 1))
              .map((row) => ({ ...Struct.omit(row, "seq"), team: nameOf(row.team) }))
          }
          const teams = [...tenant.teams.values()]
            .filter(({ deletedAt, name, slug }) => deletedAt === null && (slug === key || hasWords(name)))
            .map(({ name, slug }): Hit => ({ type: "team", key: slug, title: name, team: name, state: "" }))
            .toSorted((a, b) => (a.key < b.key ? -1 : 1))
          const runs = [...tenant.runs.values()]
            .filter(({ value }) => value.key === key)
            .map(({ seq, value }): Row => {
              const title = tenant.stories.get(value.story)?.value.title ?? ""
              return { type: "run", key: value.key, title, team: value.team, state: value.latest.status, seq }
            })
          return [
            ...teams,
            ...found(
              [...tenant.stories.values()].map(({ seq, value: { column, key: own, team, title } }) => ({
                type: "story" as const,
                key: own,
                title,
                team,
                state: column.name,
                seq
              }))
            ),
            ...found(
              [...tenant.decisions.values()].map(({ seq, value: { key: own, status, team, title } }) => ({
                type: "decision" as const,
                key: own,
                title,
                team,
                state: status,
                seq
              }))
            ),
            ...found(
              [...tenant.incidents.values()].map(({ seq, value: { key: own, status, team, title } }) => ({
                type: "incident" as const,
                key: own,
                title,
                team,
                state: status,
                seq
              }))
            ),
            ...found(runs)
          ]
        })
    })
  )
)
