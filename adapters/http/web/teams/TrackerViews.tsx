import type { Effect } from "effect"
import type * as Bindings from "../../../../application/work/tracker/Bindings.ts"
import type { BindingState } from "../../../../application/ports/tracker/TrackerStore.ts"
import type { Connection } from "../../../../domain/connection/Connection.ts"
import type { Mapping } from "../../../../domain/tracker/Mapping.ts"
import { columnOf } from "../../../../domain/work/Story.ts"
import type { Team } from "../../../../domain/workspace/Team.ts"
import { Confirm } from "../components/Dialog.tsx"
import { Pairs } from "../components/Facts.tsx"
import { Field, type Filled, Select, TextArea } from "../components/Form.tsx"
import { Crumbs, Heading, Lede, wayToTeam } from "../components/Heading.tsx"
import { Outside } from "../components/Link.tsx"
import { Live } from "../components/Live.tsx"
import { Badge, Button, Empty, LinkButton, Notice, Panel } from "../components/Parts.tsx"
import { Table } from "../components/Table.tsx"
import { Age, Time } from "../components/Time.tsx"
import { counted } from "../incidents/IncidentWords.ts"
import { platforms } from "../stories/StoryWords.ts"

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

const pathOf = (base: string, { slug }: Pick<Team, "slug">, more = "") => `${base}/teams/${slug}/tracker${more}`

/** How far the mirror is. */
const State = ({ state: { sync } }: { readonly state: BindingState }) => {
  const { sweep, sweptAt } = sync
  if (sweptAt === null)
    return (
      <>
        <Badge icon="clock" tone="run">
          First mirror
        </Badge>{" "}
        {sweep === null ? (
          "It begins within a minute."
        ) : (
          <>
            {counted(sweep.read, "issue")} read since <Age at={sweep.startedAt} />
          </>
        )}
      </>
    )
  return (
    <>
      <Badge icon="check" tone="ok">
        Mirrored
      </Badge>{" "}
      All issues were read <Age at={sweptAt} />
    </>
  )
}

const MappingFacts = ({ mapping }: { readonly mapping: Mapping }) => (
  <ul>
    {mapping.columns.map(({ column, mark }) => (
      <li>
        The {mark.kind} “{mark.name}” means {columnOf(column).name}
      </li>
    ))}
    {Object.entries({ ...mapping.sizes, ...mapping.classes }).map(([label, word]) => (
      <li>
        The label “{label}” means {word.replaceAll("_", " ")}
      </li>
    ))}
    <li>{mapping.only === null ? "All issues become stories" : `Only issues with the label “${mapping.only}” do`}</li>
  </ul>
)

const Bound = ({ base, connections, isAdmin, state, team }: TrackerShown & { readonly state: BindingState }) => {
  const { binding, drafts, mirrored, sync, unwritten } = state
  const connection = connections.find(({ id }) => id === binding.connection)
  return (
    <Live id="tracker" path={pathOf(base, team)} topics={["teams", "stories"]} class="stack">
      {sync.trouble === null ? null : (
        <Notice tone="bad">
          <h2>The mirror has trouble</h2>
          <p>{sync.trouble}</p>
        </Notice>
      )}
      <Panel
        id="binding"
        title={`${binding.project} in ${platforms[binding.platform]}`}
        footer={isAdmin ? <LinkButton href={pathOf(base, team, "/unbind")}>Unbind the team</LinkButton> : undefined}
      >
        <div class="body">
          <Pairs
            of={[
              [
                "Project",
                connection === undefined ? (
                  binding.project
                ) : (
                  <Outside href={`${connection.baseUrl}/${binding.project}`}>{binding.project}</Outside>
                )
              ],
              [
                "Connection",
                <a href={`${base}/settings/connections`}>{connection?.name ?? "removed"}</a>
              ],
              ["State", <State state={state} />],
              ["Last read", sync.readAt === null ? "Not yet" : <Time at={sync.readAt} />],
              ["Stories", counted(mirrored, "issue")],
              [
                "To write",
                `${counted(unwritten, "change")} and ${counted(drafts, "approved draft")}${
                  unwritten + drafts === 0 ? "" : ", within the limits of the tracker"
                }`
              ],
              ["Mapping", <MappingFacts mapping={binding.mapping} />]
            ]}
          />
        </div>
      </Panel>
    </Live>
  )
}

const Unbound = ({ base, connections, isAdmin, team }: TrackerShown) => {
  const { trackerProject } = team
  return (
    <Panel id="binding" title="No project is bound">
      <Empty title="The issues of a project can be the stories of this team" icon="link">
        {trackerProject === null
          ? ""
          : `The team names ${trackerProject.project} in ${platforms[trackerProject.platform]}, which is not mirrored. `}
        {!isAdmin ? (
          "An admin binds the team."
        ) : connections.length === 0 ? (
          <>
            <a href={`${base}/settings/connections`}>Connect GitHub</a> first, then bind the team.
          </>
        ) : (
          "See first which stories would come. Nothing is kept until you bind the team."
        )}
      </Empty>
    </Panel>
  )
}

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

/** What binding would bring, with the button that does it. */
const DryRun = ({ base, checked, filled, team }: TrackerShown & { readonly checked: Checked }) => {
  const { columns, isWhole, missing, project, stories, unknown, unmarked } = checked
  const counts = columns.filter(({ count }) => count > 0)
  return (
    <Panel id="dry-run" title={`${project}: ${counted(stories.length, "issue")}${isWhole ? "" : " on the first page"}`} isFocused>
      <div class="body stack">
        {missing.length === 0 ? null : (
          <Notice tone="bad" isAlert>
            <p>The connection lacks permissions: {missing.join(", ")}. Grant them on GitHub, then look again.</p>
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
            <p>No label means {columnOf(role).name}: its stories look like Backlog in the tracker.</p>
          </Notice>
        ))}
        <p>
          {counts.length === 0
            ? "No stories would come."
            : counts.map(({ column, count }) => `${columnOf(column).name}: ${count}`).join(", ")}
        </p>
        {missing.length > 0 ? null : (
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

const BindForm = ({ base, connections, filled, state, team }: TrackerShown) => (
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
      <p class="bar">
        <Button tone="primary" name="step" value="check">
          Show the stories that would come
        </Button>
        <LinkButton href={`${base}/teams/${team.slug}`}>Back to the board</LinkButton>
      </p>
    </form>
  </Panel>
)

/** The tracker of a team: its mirror, and for admins the form that binds it. */
export const TrackerPage = (shown: TrackerShown) => {
  const { base, checked, connections, isAdmin, state, team } = shown
  return (
    <>
      <Crumbs way={wayToTeam(base, team)} here="Tracker" />
      <Heading title={`Tracker of ${team.name}`}>
        <Lede>Issues of its project become stories. Title and description stay the tracker’s.</Lede>
      </Heading>
      <div class="stack">
        {checked === null ? null : <DryRun {...shown} checked={checked} />}
        {state === null ? <Unbound {...shown} /> : <Bound {...shown} state={state} />}
        {isAdmin && connections.length > 0 ? <BindForm {...shown} /> : null}
      </div>
    </>
  )
}

/** The question before a team is unbound; a reader who may not do it reads why. */
export const UnbindPage = ({
  base,
  isAdmin,
  state: { binding, drafts, mirrored, unwritten },
  team
}: Pick<TrackerShown, "base" | "isAdmin" | "team"> & { readonly state: BindingState }) => (
  <>
    <Crumbs way={[...wayToTeam(base, team), ["Tracker", pathOf(base, team)]]} here="Unbind" />
    <Heading title={`Unbind ${team.name} from ${binding.project}?`} />
    {isAdmin ? (
      <Confirm
        action={pathOf(base, team, "/unbind")}
        back={pathOf(base, team)}
        confirm="Unbind the team"
        keep="Keep the tracker"
      >
        <p>
          {mirrored === 1 ? "Its story stays" : `Its ${mirrored.toLocaleString("en")} stories stay`} with text, runs and
          links to issues. The text can then be edited here. Nothing changes in the tracker.
        </p>
        {unwritten === 0 ? null : <p>{counted(unwritten, "change")} of stories will not be written to the issues.</p>}
        {drafts === 0 ? null : (
          <p>{counted(drafts, "approved draft")} will be written when the team is bound again.</p>
        )}
      </Confirm>
    ) : (
      <Notice tone="info" icon="lock">
        <p>Unbinding a team takes an admin.</p>
      </Notice>
    )}
  </>
)
