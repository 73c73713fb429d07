import type { RunSummary } from "../../../../domain/work/Run.ts"
import { Inline } from "../decisions/Markdown.tsx"
import { euros } from "../decisions/DecisionWords.ts"
import { Heading, Lede, Tabs } from "../components/Heading.tsx"
import { Live } from "../components/Live.tsx"
import { Empty, LinkButton } from "../components/Parts.tsx"
import { type Column, Table } from "../components/Table.tsx"
import { TeamFilter } from "../components/TeamFilter.tsx"
import { Age } from "../components/Time.tsx"
import { RunBadge } from "./RunState.tsx"

/** Pages of the section Teams. */
export const WorkTabs = ({ base, here }: { readonly base: string; readonly here: "teams" | "runs" }) => (
  <Tabs
    label="Work"
    tabs={[
      { name: "Boards", href: `${base}/teams`, isCurrent: here === "teams" },
      { name: "Runs", href: `${base}/runs`, isCurrent: here === "runs" }
    ]}
  />
)

const columns = (base: string, teamName: (slug: string) => string): ReadonlyArray<Column<RunSummary>> => [
  { head: "State", fold: "f-start", cell: ({ stage, status }) => <RunBadge status={status} stage={stage} /> },
  {
    head: "Run",
    cell: ({ key, story }) => (
      <>
        <a href={`${base}/runs/${key}`} data-row id={`row-${key}`}>
          <Inline text={story.title} />
        </a>
        <span class="sub">
          {story.key}, {key}
        </span>
      </>
    )
  },
  { head: "Team", label: "Team", cell: ({ team }) => teamName(team) },
  {
    head: "Attempts",
    label: "Attempts",
    fold: "right",
    cell: ({ attempts }) => <span class="num">{attempts}</span>
  },
  {
    head: "Cost",
    label: "Cost",
    fold: "right",
    cell: ({ budgetCents, costCents }) => (
      <span class="num nowrap">
        {euros(costCents)} <span class="muted">of {euros(budgetCents)}</span>
      </span>
    )
  },
  { head: "Started", fold: "f-end right", cell: ({ createdAt, startedAt }) => <Age at={startedAt ?? createdAt} /> }
]

interface Teams {
  readonly team: string | null
  readonly teams: ReadonlyArray<{ readonly slug: string; readonly name: string }>
}

/** Runs of the workspace or a team, newest first. */
export const RunList = ({
  base,
  nextCursor,
  path,
  runs,
  team,
  teams
}: Teams & {
  readonly base: string
  readonly path: string
  readonly runs: ReadonlyArray<RunSummary>
  readonly nextCursor: string | null
}) => (
  <>
    <Heading title="Runs">
      <Lede>The work of AI teams on stories, the newest first.</Lede>
    </Heading>
    <WorkTabs base={base} here="runs" />
    {teams.length > 1 ? <TeamFilter action={`${base}/runs`} team={team} teams={teams} /> : null}
    <Live id="runs" path={path} topics={["runs"]}>
      {runs.length === 0 ? (
        <Empty title="No runs here" icon="run">
          A story in Ready is taken up by its team. You can start a run on the page of a story.
        </Empty>
      ) : (
        <Table
          caption="Runs"
          rows={runs}
          idOf={({ key }) => key}
          columns={columns(base, (slug) => teams.find((one) => one.slug === slug)?.name ?? slug)}
        />
      )}
    </Live>
    {nextCursor === null ? null : (
      <p class="gap-top">
        <LinkButton
          href={`${base}/runs?${new URLSearchParams({ ...(team !== null && { team }), cursor: nextCursor }).toString()}`}
        >
          Older runs
        </LinkButton>
      </p>
    )}
  </>
)
