import type { Team, TeamView } from "../../../../domain/workspace/Team.ts"
import { Confirm, Dialog } from "../components/Dialog.tsx"
import { type Filled, TextArea } from "../components/Form.tsx"
import { Crumbs, Heading, Lede, wayToTeam } from "../components/Heading.tsx"
import { Live } from "../components/Live.tsx"
import { Button, LinkButton, Panel } from "../components/Parts.tsx"
import { Table } from "../components/Table.tsx"
import { WorkTabs } from "../runs/RunList.tsx"
import { platforms } from "../stories/StoryWords.ts"
import { FirstStepsNotice } from "../welcome/FirstSteps.tsx"
import { TeamBadge } from "./BoardView.tsx"

/** The teams of a workspace, each with the way to its board. */
export const TeamList = ({
  base,
  mayCreate,
  teams
}: {
  readonly base: string
  readonly teams: ReadonlyArray<TeamView>
  readonly mayCreate: boolean
}) => (
  <>
    <Heading title="Teams" {...(mayCreate && { actions: <LinkButton href={`${base}/new-team`}>New team</LinkButton> })}>
      <Lede>Each team has a board of stories and a policy for its AI runs.</Lede>
    </Heading>
    <WorkTabs base={base} here="teams" />
    <Live id="teams" path={`${base}/teams`} topics={["teams"]}>
      {teams.length === 0 ? (
        <FirstStepsNotice base={base} />
      ) : (
        <Table
          caption="Teams"
          rows={teams}
          idOf={({ slug }) => `team-${slug}`}
          columns={[
            {
              head: "Team",
              fold: "f-start",
              cell: ({ description, name, slug }) => (
                <>
                  <a href={`${base}/teams/${slug}`} data-row id={`row-${slug}`}>
                    <b>{name}</b>
                  </a>
                  {description === null ? null : <span class="sub">{description}</span>}
                </>
              )
            },
            { head: "State", fold: "f-end", cell: ({ paused }) => <TeamBadge isPaused={paused} /> },
            { head: "Keys", label: "Keys", fold: "nowrap", cell: ({ keyPrefix }) => `${keyPrefix}-1, …` },
            {
              head: "Runs at once",
              label: "Runs at once",
              cell: ({ policy }) => (policy === null ? "–" : String(policy.maxConcurrency))
            }
          ]}
        />
      )}
    </Live>
  </>
)

const Pausing = () => (
  <p>The team starts no new runs. Runs at work go on, and people can still answer their decisions and move stories.</p>
)

const pausePath = (base: string, { slug }: Pick<Team, "slug">) => `${base}/teams/${slug}/pause`

export const PauseDialog = ({ base, team }: { readonly base: string; readonly team: Pick<Team, "slug" | "name"> }) => (
  <Dialog
    id="pause"
    title={`Pause ${team.name}?`}
    action={pausePath(base, team)}
    confirm="Pause the team"
    keep="Let it work"
  >
    <Pausing />
  </Dialog>
)

/** The question before a team is paused, as a page of its own. */
export const PausePage = ({ base, team }: { readonly base: string; readonly team: Pick<Team, "slug" | "name"> }) => (
  <>
    <Crumbs way={wayToTeam(base, team)} here="Pause" />
    <Heading title={`Pause ${team.name}?`} />
    <Confirm
      action={pausePath(base, team)}
      back={`${base}/teams/${team.slug}`}
      confirm="Pause the team"
      keep="Let it work"
    >
      <Pausing />
    </Confirm>
  </>
)

/** The repositories of a team, and the way to its tracker. */
export const SettingsPage = ({
  base,
  filled,
  team
}: {
  readonly base: string
  readonly team: Pick<Team, "slug" | "name" | "trackerProject">
  readonly filled: Filled
}) => (
  <>
    <Crumbs way={wayToTeam(base, team)} here="Settings" />
    <Heading title={`Settings of ${team.name}`}>
      <Lede>Where its runs work, and where its stories come from.</Lede>
    </Heading>
    <div class="stack">
      <Panel id="settings" title="Repositories">
        <form class="body stack" method="post" action={`${base}/teams/${team.slug}/settings`} novalidate>
          <TextArea
            name="repositories"
            label="Repositories"
            hint="One address in each line, such as https://github.com/acme/payments or git@host:pay.git. Runs work in the first. A path on the machine of the service is set by the operator."
            filled={filled}
          />
          <p class="bar">
            <Button tone="primary">Save the settings</Button>
            <LinkButton href={`${base}/teams/${team.slug}`}>Back to the board</LinkButton>
          </p>
        </form>
      </Panel>
      <Panel id="tracker" title="Tracker">
        <div class="body stack">
          <p>
            {team.trackerProject === null
              ? "No project is bound."
              : `${team.trackerProject.project} in ${platforms[team.trackerProject.platform]}`}
          </p>
          <p class="bar">
            <LinkButton href={`${base}/teams/${team.slug}/tracker`}>
              {team.trackerProject === null ? "Bind a project" : "Show the tracker"}
            </LinkButton>
          </p>
        </div>
      </Panel>
    </div>
  </>
)
