const json = (value: unknown) => JSON.stringify(value, null, 2)

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

interface McpClient {
  readonly name: string
  /** File that the text belongs to. */
  readonly file: string
  /** Where the client finds the token. */
  readonly token: string
  /** The settings to paste, for the address of the MCP server. */
  readonly text: (url: string) => string
}

const environment = "SERVICE_API_KEY in the environment in which the client starts"

/** Settings of each client. The token stays in the environment, or where the client keeps secrets. */
export const mcpClients = {
  "claude-code": {
    name: "Claude Code",
    file: ".mcp.json in the repository",
    token: environment,
    text: (url: string) =>
      json({ mcpServers: { gatehouse: { type: "http", url, headers: bearer("${SERVICE_API_KEY}") } } })
  },
  codex: {
    name: "Codex",
    file: "~/.codex/config.toml",
    token: environment,
    text: (url: string) =>
      `[mcp_servers.gatehouse]\nurl = ${JSON.stringify(url)}\nbearer_token_env_var = "SERVICE_API_KEY"`
  },
  "gemini-cli": {
    name: "Gemini CLI",
    file: ".gemini/settings.json in the repository",
    token: environment,
    text: (url: string) => json({ mcpServers: { gatehouse: { httpUrl: url, headers: bearer("$SERVICE_API_KEY") } } })
  },
  opencode: {
    name: "OpenCode",
    file: "opencode.json in the repository",
    token: environment,
    text: (url: string) =>
      json({
        $schema: "https://opencode.ai/config.json",
        mcp: { gatehouse: { type: "remote", url, oauth: false, headers: bearer("{env:SERVICE_API_KEY}") } }
      })
  },
  vscode: {
    name: "VS Code",
    file: ".vscode/mcp.json in the repository",
    token: "you, when it asks for it the first time",
    text: (url: string) =>
      json({
        inputs: [{ type: "promptString", id: "service-api-key", description: "Gatehouse API token", password: true }],
        servers: { gatehouse: { type: "http", url, headers: bearer("${input:service-api-key}") } }
      })
  },
  cursor: {
    name: "Cursor",
    file: ".cursor/mcp.json in the repository",
    token: environment,
    text: (url: string) => json({ mcpServers: { gatehouse: { url, headers: bearer("${env:SERVICE_API_KEY}") } } })
  }
} satisfies Readonly<Record<string, McpClient>>

export type McpClientId = keyof typeof mcpClients
