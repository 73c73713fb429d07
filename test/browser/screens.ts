import { Effect } from "effect"
import { mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import * as Incidents from "../../application/oncall/Incidents.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { demoPlace } from "./Scene.ts"
import type { Place } from "./Table.ts"
import { visitors } from "./Visitors.ts"

const folder = join(import.meta.dirname, "../../docs/screens")
const most = 150_000

interface Screen {
  readonly path: (at: Place) => string
  readonly width: 390 | 1440
  readonly height: number
  readonly theme: "light" | "dark"
  readonly as?: string
}

const owner = "owner@demo.test"

const screens: Readonly<Record<string, Screen>> = {
  "sign-in": { path: () => "/sign-in", width: 390, height: 700, theme: "light" },
  decisions: { path: () => "/demo/decisions", width: 1440, height: 820, theme: "light", as: owner },
  "decisions-phone": { path: () => "/demo/decisions", width: 390, height: 844, theme: "dark", as: owner },
  decision: { path: () => "/demo/decisions/dec-h6k3", width: 1440, height: 1060, theme: "light", as: owner },
  "decision-dark": { path: () => "/demo/decisions/dec-x5n0", width: 1440, height: 1060, theme: "dark", as: owner },
  "decision-lost": { path: () => "/demo/decisions/dec-b8d6", width: 1440, height: 960, theme: "light", as: owner },
  incident: { path: ({ open }) => `/demo/incidents/${open}`, width: 390, height: 1500, theme: "light", as: owner },
  "incident-dark": { path: ({ open }) => `/demo/incidents/${open}`, width: 1440, height: 1100, theme: "dark", as: owner },
  incidents: { path: () => "/demo/incidents?status=all", width: 1440, height: 560, theme: "light", as: owner },
  tokens: { path: () => "/demo/settings/api", width: 1440, height: 860, theme: "light", as: owner },
  members: { path: () => "/demo/settings/members", width: 1440, height: 720, theme: "light", as: owner },
  account: { path: () => "/demo/settings/sessions", width: 1440, height: 1000, theme: "light", as: owner },
  notifications: { path: () => "/demo/notifications", width: 1440, height: 720, theme: "light", as: owner },
  "first-steps": { path: () => "/demo/first-steps", width: 1440, height: 860, theme: "light", as: owner }
}

/** No test of its own: `npm run screenshots` makes the pictures of the docs from the demo. */
describe("pictures", () => {
  const { stage, visit } = visitors()
  let at: Place
  beforeAll(async () => {
    const { answer, person, run } = stage()
    mkdirSync(folder, { recursive: true })
    at = await demoPlace(stage())
    await answer("admin@demo.test", "dec-b8d6", "approve", "The plan covers gift cards; go.")
    await run(
      Effect.gen(function* () {
        const ada = yield* person("admin@demo.test")
        yield* Incidents.acknowledge(ada, at.open as IncidentKey)
        yield* Incidents.note(ada, at.open as IncidentKey, "Rolling #347 back; the queue should drain in ten minutes.")
        for (const [name, lifetime, permissions] of [
          ["deploy bot", "90d", ["read", "write"]],
          ["nightly export", "1y", ["read"]]
        ] as const)
          yield* Tokens.create(bySystem, {
            workspace: "demo" as WorkspaceSlug,
            member: owner,
            name,
            lifetime,
            permissions
          })
      })
    )
  })

  it.each(Object.entries(screens))("%s", async (name, { as, height, path, theme, width }) => {
    const page = await visit({ theme, width, ...(as !== undefined && { as }) })
    await page.setViewportSize({ width, height })
    await page.goto(path(at))
    if (as !== undefined) await page.locator("[data-live-words]", { hasText: /^Live/ }).waitFor({ state: "attached" })
    const file = join(folder, `${name}.png`)
    await page.screenshot({ path: file, animations: "disabled" })
    assert.isBelow(statSync(file).size, most)
  })
})
