import type { BindingState } from "../../../../application/ports/tracker/TrackerStore.ts"
import type { Mapping } from "../../../../domain/tracker/Mapping.ts"
import { columnOf } from "../../../../domain/work/Story.ts"
import { Confirm } from "../components/Dialog.tsx"
import { Pairs } from "../components/Facts.tsx"
import { Crumbs, Heading, Lede, wayToTeam } from "../components/Heading.tsx"
import { Outside } from "../components/Link.tsx"
import { Live } from "../components/Live.tsx"
import { Badge, Empty, LinkButton, Notice, Panel } from "../components/Parts.tsx"
import { Age, Time } from "../components/Time.tsx"
import { counted } from "../incidents/IncidentWords.ts"
import { platforms } from "../stories/StoryWords.ts"
import { BindForm, DryRun, pathOf, type TrackerShown } from "./TrackerForm.tsx"

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
            {sweep.total !== null && `${sweep.read} of `}
            {counted(sweep.total ?? sweep.read, "issue")} read since <Age at={sweep.startedAt} />
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
    {mapping.board !== undefined && (
      <li>
        Statuses are options of “{mapping.board.field}” of {mapping.board.name}
      </li>
    )}
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
              ["Connection", <a href={`${base}/settings/connections`}>{connection?.name ?? "removed"}</a>],
              ["State", <State state={state} />],
              ["Last read", sync.readAt === null ? "Not yet" : <Time at={sync.readAt} />],
              ["Issues", `${counted(mirrored, "issue")} with a story`],
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
        {drafts === 0 ? null : <p>{counted(drafts, "approved draft")} will be written when the team is bound again.</p>}
      </Confirm>
    ) : (
      <Notice tone="info" icon="lock">
        <p>Unbinding a team takes an admin.</p>
      </Notice>
    )}
  </>
)
