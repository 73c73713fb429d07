import type { Effect } from "effect"
import type * as Bindings from "../../../../application/work/tracker/Bindings.ts"
import type { BindingState } from "../../../../application/ports/tracker/TrackerStore.ts"
import type { Connection } from "../../../../domain/connection/Connection.ts"
import { columnOf } from "../../../../domain/work/Story.ts"
import type { Team } from "../../../../domain/workspace/Team.ts"
import { Field, type Filled, Select, TextArea } from "../components/Form.tsx"
import { Outside } from "../components/Link.tsx"
import { Button, LinkButton, Notice, Panel } from "../components/Parts.tsx"
import { Table } from "../components/Table.tsx"
import { counted } from "../incidents/IncidentWords.ts"

/** The result of a dry run. */
export type Checked = Effect.Effect.Success<ReturnType<typeof Bindings.check>>

export interface TrackerShown {
  readonly base: string
  readonly team: Team
  /** Null without a binding. */
  readonly state: BindingState | null
  readonly connections: ReadonlyArray<Connection>
  readonly isAdmin: boolean
  readonly filled: Filled
  readonly checked: Checked | null
}

export const pathOf = (base: string, { slug }: Pick<Team, "slug">, more = "") => `${base}/teams/${slug}/tracker${more}`

const Stories = ({ checked: { stories } }: { readonly checked: Checked }) => (
  <Table
    caption="Stories that would come"
    rows={stories}
    idOf={({ key }) => `issue-${key}`}
    columns={[
      { head: "Issue", fold: "f-start", cell: ({ key, url }) => <Outside href={url}>{key}</Outside> },
      {
        head: "Story",
        cell: ({ note, title }) => (
          <>
            {title}
            {note === null ? null : <span class="sub">{note}</span>}
          </>
        )
      },
      {
        head: "Column",
        label: "Column",
        cell: ({ column }) => (column === null ? "Not mirrored" : columnOf(column).name)
      },
      { head: "Criteria", label: "Criteria", cell: ({ criteria }) => String(criteria) },
      { head: "Ready", label: "Ready", cell: ({ readinessScore }) => `${readinessScore} of 100` }
    ]}
  />
)

/** The stories that would come, with the button that binds the team. */
export const DryRun = ({ base, checked, filled, team }: TrackerShown & { readonly checked: Checked }) => {
  const { boardProblem, columns, isWhole, missing, project, statuses, stories, unknown, unmarked } = checked
  const isBindable = missing.length === 0 && boardProblem === null
  const counts = columns.filter(({ count }) => count > 0)
  return (
    <Panel
      id="dry-run"
      title={`${project}: ${counted(stories.length, "issue")}${isWhole ? "" : " on the first page"}`}
      isFocused
    >
      <div class="body stack">
        {missing.length === 0 ? null : (
          <Notice tone="bad" isAlert>
            <p>The connection lacks permissions: {missing.join(", ")}. Grant them on GitHub, then look again.</p>
          </Notice>
        )}
        {boardProblem === null ? null : (
          <Notice tone="bad" isAlert>
            <p>The board cannot be used: {boardProblem}</p>
          </Notice>
        )}
        {unknown.map(({ kind, name }) => (
          <Notice tone="warn">
            <p>
              The project has no {kind} “{name}”, so its line matches no issue yet.
            </p>
          </Notice>
        ))}
        {unmarked.map((role) => (
          <Notice tone="info" icon="link">
            <p>
              No {statuses.length > 0 ? "status" : "label"} means {columnOf(role).name}: its stories look like Backlog
              in the tracker.
            </p>
          </Notice>
        ))}
        <p>
          {counts.length === 0
            ? "No stories would come."
            : counts.map(({ column, count }) => `${columnOf(column).name}: ${count}`).join(", ")}
        </p>
        {!isBindable ? null : (
          <form class="bar" method="post" action={pathOf(base, team)}>
            {Object.entries(filled.values).map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
            <Button tone="primary" name="step" value="bind">
              Bind the team
            </Button>
            <span class="muted small">Issues in Ready start runs at once, up to the limit of the team.</span>
          </form>
        )}
      </div>
      {stories.length === 0 ? null : <Stories checked={checked} />}
    </Panel>
  )
}

export const BindForm = ({ base, connections, filled, state, team }: TrackerShown) => (
  <Panel id="bind" title={state === null ? "Bind the team to a project" : "Change the project or the mapping"}>
    <form class="body stack" method="post" action={pathOf(base, team)} novalidate>
      <Select
        name="connection"
        label="Connection"
        filled={filled}
        options={connections.map(({ name }) => ({ value: name, label: name }))}
      />
      <Field
        name="project"
        label="Project"
        hint="Its owner and name, such as acme/payments."
        filled={filled}
        maxLength={200}
        autocomplete="off"
        spellcheck={false}
      />
      <TextArea
        name="columns"
        label="Columns"
        hint="One label=column in each line: backlog, refining, ready, in_progress, review or done. The first that matches counts; an issue without any is in Backlog."
        filled={filled}
      />
      <TextArea
        name="sizes"
        label="Sizes"
        hint="Besides size/s and the like: one label=size in each line, such as large=l. May be left empty."
        filled={filled}
      />
      <TextArea
        name="classes"
        label="Classes of service"
        hint="Besides expedite and the like: one label=class in each line, such as urgent=expedite. May be left empty."
        filled={filled}
      />
      <Field
        name="only"
        label="Only issues with the label"
        hint="Leave it empty to mirror all issues."
        filled={filled}
        maxLength={200}
        autocomplete="off"
        spellcheck={false}
      />
      <Field
        name="board"
        label="Board"
        hint="For columns by status: owner/number of a GitHub project, such as acme/7, or acme/7:Stage for a field other than Status. May be left empty."
        filled={filled}
        maxLength={300}
        autocomplete="off"
        spellcheck={false}
      />
      <p class="bar">
        <Button tone="primary" name="step" value="check">
          Show the stories that would come
        </Button>
        <LinkButton href={`${base}/teams/${team.slug}`}>Back to the board</LinkButton>
      </p>
    </form>
  </Panel>
)
