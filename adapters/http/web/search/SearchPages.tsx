import { Effect } from "effect"
import { type Hit, WorkspaceSearch } from "../../../../application/ports/search/WorkspaceSearch.ts"
import { Heading, Lede } from "../components/Heading.tsx"
import { Icon, type IconName } from "../components/Icon.tsx"
import { Badge, Button, Empty } from "../components/Parts.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { decisionStates } from "../decisions/DecisionWords.ts"
import { Inline } from "../decisions/Markdown.tsx"
import { StateBadge } from "../incidents/Severity.tsx"
import { states as runStates } from "../runs/RunWords.ts"

const types: Readonly<
  Record<Hit["type"], { readonly word: string; readonly folder: string; readonly icon: IconName }>
> = {
  team: { word: "Team", folder: "teams", icon: "board" },
  story: { word: "Story", folder: "stories", icon: "log" },
  decision: { word: "Decision", folder: "decisions", icon: "inbox" },
  incident: { word: "Incident", folder: "incidents", icon: "siren" },
  run: { word: "Run", folder: "runs", icon: "run" }
}

const pathOf = (base: string, { key, type }: Hit) => `${base}/${types[type].folder}/${encodeURIComponent(key)}`

const of = <A,>(words: Readonly<Record<string, A>>, state: string): A | undefined =>
  Object.hasOwn(words, state) ? words[state] : undefined

/** The state of a hit as its own page shows it; a column keeps its name. */
const State = ({ of: { state, type } }: { readonly of: Hit }) => {
  if (state === "") return null
  if (type === "incident") return <StateBadge of={state === "open" ? "open" : "resolved"} />
  const known = type === "decision" ? of(decisionStates, state) : type === "run" ? of(runStates, state) : undefined
  const [icon, tone, words] = known ?? (["board", "line", state] as const)
  return (
    <Badge icon={icon} tone={tone}>
      {words}
    </Badge>
  )
}

const mostWords = 8

/** Words of at least two letters or digits; everything else parts them. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])].slice(0, mostWords)

const Results = ({
  asked,
  base,
  hits
}: {
  readonly asked: string
  readonly base: string
  readonly hits: ReadonlyArray<Hit>
}) =>
  asked === "" ? null : hits.length === 0 ? (
    <Empty title={`Nothing has “${asked}”`} icon="search">
      Search for a key such as PAY-12, run-7f3k, dec-4m2q or inc-hkc5, or for the first letters of words of a title.
    </Empty>
  ) : (
    <ul class="rows" aria-label="Results">
      {hits.map((hit) => (
        <li class="row">
          <div class="t">
            <a href={pathOf(base, hit)} data-row>
              <Inline text={hit.title} />
            </a>
            <p class="meta">
              <span class="mono">{hit.key}</span>
              {hit.type === "team" ? null : <span>{hit.team}</span>}
            </p>
          </div>
          <p class="r">
            <Icon name={types[hit.type].icon} /> {types[hit.type].word}
          </p>
          <p class="l">
            <State of={hit} />
          </p>
        </li>
      ))}
    </ul>
  )

/** A key leads straight to its object; words show what their titles have. */
const search = ({ base, person, query }: Visit) =>
  Effect.gen(function* () {
    const asked = (query.get("q") ?? "").trim().slice(0, 200)
    const wanted = { key: asked.toLowerCase(), words: wordsOf(asked) }
    const hits = asked === "" ? [] : yield* (yield* WorkspaceSearch).find(person.workspace, wanted)
    const exact = hits.filter(({ key }) => key.toLowerCase() === wanted.key)
    if (exact[0] !== undefined && exact.length === 1) return redirect(pathOf(base, exact[0]))
    const view: View = {
      title: asked === "" ? "Search" : `Search: ${asked}`,
      section: null,
      body: (
        <>
          <Heading title="Search">
            <Lede>A key, or words of a title: stories, runs, decisions, incidents and teams of this workspace.</Lede>
          </Heading>
          <form class="bar" method="get" action={`${base}/search`} role="search">
            <label class="vh" for="q">
              Search
            </label>
            <input
              class="input seek"
              id="q"
              name="q"
              type="search"
              value={asked}
              maxLength={200}
              autocomplete="off"
              autofocus={asked === ""}
            />
            <Button tone="primary" icon="search">
              Search
            </Button>
          </form>
          <p class="vh" role="status">
            {asked === "" ? "" : `${hits.length} found`}
          </p>
          <Results asked={asked} base={base} hits={hits} />
        </>
      )
    }
    return view
  })

export const pages: ReadonlyArray<Page<WorkspaceSearch>> = [{ path: "search", get: search }]
