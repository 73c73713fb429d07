import { program } from "../components/ProgramName.ts"
import { Copy } from "../components/Form.tsx"
import { Heading, Lede } from "../components/Heading.tsx"
import { Badge, LinkButton, Notice, Panel } from "../components/Parts.tsx"

/** Which first steps a workspace has taken. */
export interface Steps {
  readonly hasTeam: boolean
  readonly hasStory: boolean
  readonly hasSource: boolean
  readonly hasToken: boolean
  readonly hasOthers: boolean
}

interface Step {
  readonly name: keyof Steps
  readonly title: string
  readonly text: string
  /** A page to go to, or a command where there is no page yet. */
  readonly way: { readonly label: string; readonly path: string } | { readonly command: string }
}

const stepsIn = (workspace: string, email: string): ReadonlyArray<Step> => [
  {
    name: "hasTeam",
    title: "Create a team",
    text: "A team has stories, a policy for its AI runs, and services on call. It takes an admin.",
    way: {
      command: `${program} team create --workspace ${workspace} --as ${email} --slug payments --name Payments --key-prefix PAY`
    }
  },
  {
    name: "hasStory",
    title: "Write a story",
    text: "A story in Ready is worked on by a run, which asks here when it needs a person.",
    way: {
      command: `${program} story create --workspace ${workspace} --as ${email} --team payments --title 'Refund in part' --column ready`
    }
  },
  {
    name: "hasSource",
    title: "Connect an alerting tool",
    text: "Alerts of a service open incidents, and wake the people who look after it. The second command prints the steps for your tool.",
    way: {
      command: `${program} service create --workspace ${workspace} --as ${email} --team payments --name checkout && ${program} source create --workspace ${workspace} --as ${email} --name alerts --kind generic --services checkout`
    }
  },
  {
    name: "hasToken",
    title: "Create an API token",
    text: "For scripts, the MCP server and the runner that does the work.",
    way: { label: "Create a token", path: "settings/api" }
  },
  {
    name: "hasOthers",
    title: "Invite the others",
    text: "Everybody who answers decisions or is on call signs in here.",
    way: { label: "Invite somebody", path: "settings/members" }
  }
]

/** The check list of a new workspace. */
export const FirstStepsPage = ({
  base,
  email,
  steps,
  workspace
}: {
  readonly base: string
  readonly workspace: string
  readonly email: string
  readonly steps: Steps
}) => {
  const all = stepsIn(workspace, email)
  const done = all.filter(({ name }) => steps[name]).length
  return (
    <>
      <Heading title="First steps">
        <Lede>What this workspace needs before it works for you. Commands run where Gatehouse is installed.</Lede>
      </Heading>
      <Panel id="steps" title="To do" end={`${done} of ${all.length} done`}>
        <div class="body">
          <ol class="setup">
            {all.map(({ name, text, title, way }) => (
              <li>
                <p class="bar">
                  <b>{title}</b>
                  {steps[name] ? (
                    <Badge icon="check" tone="ok">
                      Done
                    </Badge>
                  ) : (
                    <Badge icon="ring" tone="line">
                      Not yet
                    </Badge>
                  )}
                </p>
                <p class="small muted">{text}</p>
                {"command" in way ? (
                  steps[name] ? null : (
                    <Copy label={`Command: ${title}`} value={way.command} />
                  )
                ) : (
                  <p>
                    <LinkButton href={`${base}/${way.path}`}>{way.label}</LinkButton>
                  </p>
                )}
              </li>
            ))}
          </ol>
        </div>
      </Panel>
    </>
  )
}

/** Leads from an empty page to the check list. */
export const FirstStepsNotice = ({ base }: { readonly base: string }) => (
  <Notice tone="info" icon="go">
    <h2>This workspace is new</h2>
    <p>Nothing can wait for you until it has a team with stories, or an alerting tool.</p>
    <p class="acts">
      <LinkButton href={`${base}/first-steps`} tone="primary">
        See the first steps
      </LinkButton>
    </p>
  </Notice>
)
