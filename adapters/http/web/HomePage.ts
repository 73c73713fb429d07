import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import type { WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <style>
      body { font: 1.05rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 12vh auto; padding: 0 1.5rem; color: #1c2430; background: #fbfaf7 }
      h1 { font-size: 1.6rem; margin: 0 0 .5rem } code { background: #ecebe4; padding: .1rem .3rem; border-radius: .2rem }
      a { color: #1a5fb4 } li { margin: .3rem 0 }
      @media (prefers-color-scheme: dark) { body { color: #e6e4de; background: #16191e } code { background: #2a2f37 } a { color: #8ab8f0 } }
    </style>
  </head>
  <body>
${body}
  </body>
</html>
`

/** Page at `/` that introduces the service and links onward. */
export const home = page(
  "Gatehouse",
  `    <h1>Gatehouse</h1>
    <p>Runs AI teams that work on software stories, and is the place where people stay in charge.</p>
    <ul>
      <li><a href="/docs">/docs</a>: the REST API, to read and to try</li>
      <li><a href="/v1/openapi.json">/v1/openapi.json</a>: the same, for machines</li>
      <li><a href="/readyz">/readyz</a>: whether the service and its database are up</li>
    </ul>
    <p>API requests carry a personal token: <code>Authorization: Bearer tk_…</code></p>`
)

/** Target of links in messages: a member sees an incident by the command line, or in the alert's tool. */
export const incidentPage = (slug: WorkspaceSlug, key: IncidentKey) =>
  page(
    `${key} of ${slug}`,
    `    <h1>${key}</h1>
    <p>An incident of the workspace ${slug}. It is shown to members of the workspace, on the machine of the service:</p>
    <p><code>npm run --silent gatehouse -- incident show --workspace ${slug} --as you@example.com --incident ${key}</code></p>
    <p>The same with <code>acknowledge</code> or <code>resolve</code> in place of <code>show</code> acknowledges or resolves it.</p>`
  )

const titles: Readonly<Record<number, string>> = { 404: "There is no such page", 405: "This page can only be read" }

/** Page of an error; it repeats nothing of the request. */
export const errorPage = (status: number) =>
  page(
    titles[status] ?? "Something broke",
    `    <h1>${titles[status] ?? "Something broke"}</h1>
    <p>Start from <a href="/">the first page</a>, or read <a href="/docs">the API</a>.</p>`
  )
