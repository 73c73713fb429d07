const json = (value: unknown) => JSON.stringify(value, null, 2)

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

interface Snippet {
  /** File that the text belongs to. */
  readonly file: string
  readonly text: (url: string) => string
}

/** Settings of each client, to paste. The token stays in the environment, or where the client keeps secrets. */
export const snippets: Readonly<Record<string, Snippet>> = {
  "claude-code": {
    file: ".mcp.json in the repository",
    text: (url) => json({ mcpServers: { gatehouse: { type: "http", url, headers: bearer("${SERVICE_API_KEY}") } } })
  },
  codex: {
    file: "~/.codex/config.toml",
    text: (url) => `[mcp_servers.gatehouse]\nurl = ${JSON.stringify(url)}\nbearer_token_env_var = "SERVICE_API_KEY"`
  },
  "gemini-cli": {
    file: ".gemini/settings.json in the repository",
    text: (url) => json({ mcpServers: { gatehouse: { httpUrl: url, headers: bearer("$SERVICE_API_KEY") } } })
  },
  opencode: {
    file: "opencode.json in the repository",
    text: (url) =>
      json({
        $schema: "https://opencode.ai/config.json",
        mcp: { gatehouse: { type: "remote", url, oauth: false, headers: bearer("{env:SERVICE_API_KEY}") } }
      })
  },
  vscode: {
    file: ".vscode/mcp.json in the repository",
    text: (url) =>
      json({
        inputs: [{ type: "promptString", id: "service-api-key", description: "Gatehouse API token", password: true }],
        servers: { gatehouse: { type: "http", url, headers: bearer("${input:service-api-key}") } }
      })
  },
  cursor: {
    file: ".cursor/mcp.json in the repository",
    text: (url) => json({ mcpServers: { gatehouse: { url, headers: bearer("${env:SERVICE_API_KEY}") } } })
  }
}

export const clients = Object.keys(snippets)
