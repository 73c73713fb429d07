import { Effect } from "effect"
import { mcpClients } from "../../../api/McpClients.ts"
import { Copy, CopyLines } from "../components/Form.tsx"
import { Crumbs, Heading, Lede } from "../components/Heading.tsx"
import { LinkButton, Panel } from "../components/Parts.tsx"
import type { Page, View } from "../Page.ts"
import { SettingsTabs } from "./SettingsTabs.tsx"

const Token = ({ base }: { readonly base: string }) => (
  <Panel id="token" title="The token">
    <div class="body stack">
      <p>
        The agent acts with your rights in this workspace, so give it a token of its own. Any permission will do; your
        role decides.
      </p>
      <p>
        <LinkButton href={`${base}/settings/api`}>Create a token</LinkButton>
      </p>
      <p>Set it in the environment in which the agent starts. Keep it out of the files of a repository.</p>
      <Copy label="Line that sets the token" value="export SERVICE_API_KEY=tk_…" />
      <p class="small muted">Revoking it takes effect at once, also on what the agent has open.</p>
    </div>
  </Panel>
)

const CodingAgentsPage = ({ base, url }: { readonly base: string; readonly url: string }) => (
  <>
    <Crumbs way={[["Settings", `${base}/settings/api`]]} here="Coding agents" />
    <Heading title="Coding agents">
      <Lede>A coding agent on your machine reads stories here, and asks people when something is unclear.</Lede>
    </Heading>
    <SettingsTabs base={base} here="settings/mcp" />
    <div class="cols">
      <div class="stack">
        <Panel id="server" title="MCP server">
          <div class="body">
            <Copy label="Address of the MCP server" value={url} />
          </div>
        </Panel>
        {Object.entries(mcpClients).map(([id, { file, name, text, token }]) => (
          <Panel id={id} title={name}>
            <div class="body stack">
              <p>
                Put this into <code>{file.replace(/ in the repository$/, "")}</code>
                {file.endsWith(" in the repository") ? " of your repository" : ""}. {name} takes the token from {token}.
              </p>
              <CopyLines text={text(url)} />
            </div>
          </Panel>
        ))}
      </div>
      <Token base={base} />
    </div>
  </>
)

export const pages: ReadonlyArray<Page<never>> = [
  {
    path: "settings/mcp",
    get: ({ base, origin }) =>
      Effect.succeed<View>({
        title: "Coding agents",
        section: "settings",
        body: <CodingAgentsPage base={base} url={`${origin}/mcp`} />
      })
  }
]
