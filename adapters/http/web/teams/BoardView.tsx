import type { Board, BoardStory } from "../../../../application/ports/StoryStore.ts"
import { type ColumnRole, columnOf } from "../../../../domain/work/Story.ts"
import type { Role } from "../../../../domain/workspace/Member.ts"
import type { Team } from "../../../../domain/workspace/Team.ts"
import { euros } from "../decisions/DecisionWords.ts"
import { Crumbs, Heading, wayToTeam } from "../components/Heading.tsx"
import { Icon } from "../components/Icon.tsx"
import { Outside } from "../components/Link.tsx"
import { Live } from "../components/Live.tsx"
import { Badge, Empty, LinkButton, Notice } from "../components/Parts.tsx"
import { platforms } from "../stories/StoryWords.ts"
import { Card } from "./Card.tsx"

export interface BoardShown {
  readonly base: string
  readonly team: Team
  readonly board: Board
  readonly role: Role
  readonly mayPause: boolean
  readonly maySet: boolean
  /** Why a request changed nothing. */
  readonly refusal?: string
}

const presets = { trial: "Trial", guarded: "Guarded", standard: "Standard", autonomous: "Autonomous" } as const

/** True when a team is at work: on a run, or on nothing because nothing is ready. */
export const TeamBadge = ({ isPaused }: { readonly isPaused: boolean }) =>
  isPaused ? (
    <Badge icon="pause" tone="warn">
      Paused
    </Badge>
  ) : (
    <Badge icon="run" tone="run">
      Working
    </Badge>
  )

/** `acme/payments`, or the address where it has no host that people know. */
const shortOf = (address: string) => /^https:\/\/[^/]+\/(.+?)(?:\.git)?$/.exec(address)?.[1] ?? address

const Meta = ({ base, board, team }: BoardShown) => {
  const { policy, repositories, trackerProject } = team
  return (
    <p class="meta">
      <TeamBadge isPaused={team.pausedAt !== null} />
      <span>
        {board.unfinishedRuns} {policy === null ? "" : `of ${policy.maxConcurrency} `}
        {board.unfinishedRuns === 1 && policy === null ? "run" : "runs"} at once
      </span>
      <span class="num">
        {euros(board.spentTodayCents)} {policy?.budgets.dayCents ? `of ${euros(policy.budgets.dayCents)} ` : ""}today
      </span>
      <span>
        Policy:{" "}
        {policy === null ? (
          "none"
        ) : (
          <a href={`${base}/settings/policy/${team.slug}`}>{`${presets[policy.preset]}, version ${policy.version}`}</a>
        )}
      </span>
      {trackerProject === null ? null : (
        <span>
          <a href={`${base}/teams/${team.slug}/tracker`}>
            {trackerProject.project} in {platforms[trackerProject.platform]}
          </a>
        </span>
      )}
      {repositories.slice(0, 3).map((address) => (
        <span>
          <Outside href={address}>{shortOf(address)}</Outside>
        </span>
      ))}
      {repositories.length > 3 ? <span>{repositories.length - 3} more repositories</span> : null}
    </p>
  )
}

const Actions = ({ base, mayPause, maySet, team: { pausedAt, slug } }: BoardShown) => (
  <>
    <LinkButton href={`${base}/teams/${slug}/new-story`} tone="primary">
      <Icon name="plus" />
      New story
    </LinkButton>
    {maySet ? <LinkButton href={`${base}/teams/${slug}/settings`}>Settings</LinkButton> : null}
    {!mayPause ? null : pausedAt === null ? (
      <a class="btn" href={`${base}/teams/${slug}/pause`} data-dialog="pause">
        <Icon name="pause" />
        Pause the team
      </a>
    ) : (
      <form method="post" action={`${base}/teams/${slug}/resume`}>
        <button class="btn" type="submit">
          <Icon name="run" />
          Resume the team
        </button>
      </form>
    )}
  </>
)

/** In order of what a person looks for. */
const interest: ReadonlyArray<ColumnRole> = ["in_progress", "review", "ready", "refining", "backlog", "done"]

/** The column where work is: with a question for a person, or the first of interest that has stories. */
export const workColumn = ({ columns }: Board): ColumnRole | null => {
  const has = (role: ColumnRole, test: (story: BoardStory) => boolean) =>
    columns.some((column) => column.role === role && column.stories.some(test))
  return (
    interest.find((role) => has(role, ({ pending }) => pending !== null)) ??
    interest.find((role) => has(role, () => true)) ??
    null
  )
}

const Column = ({
  base,
  column: { count, role, stories },
  isWork,
  reader,
  team
}: {
  readonly base: string
  readonly team: string
  readonly column: Board["columns"][number]
  readonly isWork: boolean
  readonly reader: Role
}) => (
  <section
    class="col"
    id={`c-${role}`}
    aria-labelledby={`h-${role}`}
    data-column={role}
    {...(isWork && { "data-work": "" })}
  >
    <header>
      <h2 id={`h-${role}`}>{columnOf(role).name}</h2>
      <span class="muted small num">{count.toLocaleString("en")}</span>
    </header>
    <ul class="cards">
      {stories.map((story) => (
        <Card base={base} role={reader} story={story} />
      ))}
    </ul>
    {count > stories.length ? (
      <p class="more">
        <a href={`${base}/teams/${team}/columns/${role}`}>
          {(count - stories.length).toLocaleString("en")} older
          <span class="vh"> stories in {columnOf(role).name}</span>
        </a>
      </p>
    ) : null}
  </section>
)

/** A team's board: its stories by column, which people move by menu or by drag. */
export const BoardPage = (shown: BoardShown) => {
  const { base, board, refusal, role, team } = shown
  const work = workColumn(board)
  return (
    <>
      <Crumbs way={[["Teams", `${base}/teams`]]} here={team.name} />
      <Live id="board-page" path={`${base}/teams/${team.slug}`} topics={["stories", "runs", "decisions", "teams"]}>
        {refusal === undefined ? null : (
          <Notice tone="warn" isAlert>
            <p>{refusal}</p>
          </Notice>
        )}
        <Heading title={team.name} actions={<Actions {...shown} />}>
          <Meta {...shown} />
        </Heading>
        <nav class="jump" aria-label="Columns">
          {board.columns.map(({ count, role: column }) => (
            <a href={`#c-${column}`}>
              {columnOf(column).name} <span class="muted num">{count.toLocaleString("en")}</span>
            </a>
          ))}
        </nav>
        <div class="board" id="board" role="region" aria-label="Stories by column" tabindex={0}>
          {board.columns.map((column) => (
            <Column base={base} team={team.slug} column={column} isWork={column.role === work} reader={role} />
          ))}
        </div>
      </Live>
    </>
  )
}

/** One column of a board, page by page. */
export const ColumnPage = ({
  base,
  column,
  nextCursor,
  role,
  stories,
  team
}: {
  readonly base: string
  readonly team: Pick<Team, "slug" | "name">
  readonly column: ColumnRole
  readonly role: Role
  readonly stories: ReadonlyArray<BoardStory>
  readonly nextCursor: string | null
}) => (
  <>
    <Crumbs way={wayToTeam(base, team)} here={columnOf(column).name} />
    <Heading title={`${columnOf(column).name}: ${team.name}`} />
    {stories.length === 0 ? (
      <Empty title="No stories here" icon="board">
        Stories move here from the board of the team.
      </Empty>
    ) : (
      <div class="one-column">
        <ul class="cards">
          {stories.map((story) => (
            <Card base={base} role={role} story={story} isStill />
          ))}
        </ul>
      </div>
    )}
    {nextCursor === null ? null : (
      <p class="gap-top">
        <LinkButton
          href={`${base}/teams/${team.slug}/columns/${column}?${new URLSearchParams({ cursor: nextCursor }).toString()}`}
        >
          Older stories
        </LinkButton>
      </p>
    )}
  </>
)
