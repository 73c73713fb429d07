import type { BoardStory } from "../../../../application/ports/StoryStore.ts"
import { isOver } from "../../../../domain/work/RunTransitions.ts"
import { type ColumnRole, columnOf, ColumnRole as Roles } from "../../../../domain/work/Story.ts"
import { atLeast, type Role } from "../../../../domain/workspace/Member.ts"
import { Inline } from "../decisions/Markdown.tsx"
import { Icon } from "../components/Icon.tsx"
import { Badge } from "../components/Parts.tsx"
import { RunBadge } from "../runs/RunState.tsx"
import { classes } from "../stories/StoryWords.ts"

/** Columns that a person may move a story to; none while a run works on it, which moves it. */
export const movesOf = (story: Pick<BoardStory, "column" | "draft" | "run">): ReadonlyArray<ColumnRole> => {
  if (story.run !== null && !isOver(story.run.status)) return []
  const open: ReadonlyArray<ColumnRole> = story.draft ? ["backlog", "refining"] : Roles.literals
  return open.filter((role) => role !== story.column.role)
}

const Menu = ({ base, story }: { readonly base: string; readonly story: BoardStory }) => (
  <details class="move" id={`move-${story.key}`}>
    <summary aria-label={`Move ${story.key}`}>
      <Icon name="more" />
    </summary>
    <form
      class="menu"
      method="post"
      action={`${base}/stories/${story.key}/move`}
      hx-post={`${base}/stories/${story.key}/move`}
      hx-target="#board-page"
      hx-select="#board-page"
      hx-swap="outerMorph"
    >
      {movesOf(story).map((role) => (
        <button type="submit" name="column" value={role}>
          <span>
            <span class="vh">Move {story.key} to </span>
            {columnOf(role).name}
          </span>
        </button>
      ))}
    </form>
  </details>
)

const Waits = ({ authority, role }: { readonly authority: Role; readonly role: Role }) => (
  <Badge icon="person" tone="wait">
    {atLeast(role, authority) ? "Waits for you" : "Waits for a person"}
  </Badge>
)

const Marks = ({ role, story }: { readonly role: Role; readonly story: BoardStory }) => {
  const { classOfService, column, draft, pending, readinessScore, run } = story
  const isEarly = column.role === "backlog" || column.role === "refining"
  return (
    <p class="f">
      {pending !== null ? (
        <Waits authority={pending.authority} role={role} />
      ) : run !== null && (!isOver(run.status) || (run.status !== "succeeded" && column.role !== "done")) ? (
        <RunBadge status={run.status} stage={run.stage} />
      ) : null}
      {run?.pullRequest && column.role === "review" ? (
        <Badge icon="merge" tone="line">
          #{run.pullRequest.number}
        </Badge>
      ) : null}
      {draft ? <span class="badge line">Draft</span> : null}
      {isEarly ? (
        readinessScore >= 100 ? (
          <Badge icon="check" tone="ok">
            Readiness 100
          </Badge>
        ) : (
          <span class="badge line">Readiness {Math.round(readinessScore)}</span>
        )
      ) : null}
      {classOfService === "standard" ? null : classOfService === "expedite" && column.role !== "done" ? (
        <Badge icon="warn" tone="bad">
          {classes.expedite}
        </Badge>
      ) : (
        <span class="badge line">{classes[classOfService]}</span>
      )}
    </p>
  )
}

/** A story on a board, with the menu that moves it. */
export const Card = ({
  base,
  isStill = false,
  role,
  story
}: {
  readonly base: string
  readonly role: Role
  readonly story: BoardStory
  /** True outside of a board, where there is no column to move it to. */
  readonly isStill?: boolean
}) => {
  const isMovable = !isStill && movesOf(story).length > 0
  return (
    <li class="card" id={`card-${story.key}`} data-card={story.key} {...(isMovable && { draggable: true })}>
      <div class="k">
        <span>{story.key}</span>
        <span>
          <span class="vh">Size </span>
          {story.size?.toUpperCase() ?? "–"}
        </span>
        {isMovable ? <Menu base={base} story={story} /> : null}
      </div>
      <a href={`${base}/stories/${story.key}`} draggable={false}>
        <Inline text={story.title} />
      </a>
      <Marks role={role} story={story} />
    </li>
  )
}
