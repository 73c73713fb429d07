// @effect-diagnostics globalDate:off
import { Effect } from "effect"
import { mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import demo from "../../adapters/cli/demo.json" with { type: "json" }
import * as Incidents from "../../application/oncall/Incidents.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Pulls from "../codehost/Pulls.ts"
import { bare } from "../codehost/Repositories.ts"
import { demoPlace } from "./Scene.ts"
import type { Place } from "./Table.ts"
import { visitors } from "./Visitors.ts"

const folder = join(import.meta.dirname, "../../docs/screens")
const most = 150_000

interface Screen {
  readonly path: (at: Place) => string
  readonly width: 390 | 1280
  readonly height: number
  readonly theme: "light" | "dark"
  readonly as?: string
}

const owner = "owner@demo.test"

const minute = 60_000

/** Minutes that the pending decisions have left, in their order; each was raised three days before its end. */
const left = [48, 190, 560, 1320, 1790, 2760, 3200, 4000]

const at = (minutes: number) => new Date(Date.now() + minutes * minute).toISOString()

/** The demo, whose decisions would all have been raised just now. */
const lived = () => {
  const pending = demo.decisions.filter((one) => !("status" in one) || one.status === "pending")
  const timed = demo.decisions.map((one) => {
    const minutes = left[pending.indexOf(one)]
    return minutes === undefined ? one : { ...one, createdAt: at(minutes - 4320), expiresAt: at(minutes) }
  })
  return { ...demo, decisions: timed }
}

const screens: Readonly<Record<string, Screen>> = {
  account: { path: () => "/demo/settings/sessions", width: 1280, height: 840, theme: "light", as: owner },
  "sign-in": { path: () => "/sign-in", width: 390, height: 700, theme: "light" },
  decisions: { path: () => "/demo/decisions", width: 1280, height: 770, theme: "light", as: owner },
  "decisions-phone": { path: () => "/demo/decisions", width: 390, height: 844, theme: "dark", as: owner },
  decision: { path: () => "/demo/decisions/dec-h6k3", width: 1280, height: 750, theme: "light", as: owner },
  "decision-dark": { path: () => "/demo/decisions/dec-x5n0", width: 1280, height: 680, theme: "dark", as: owner },
  "decision-answered": { path: () => "/demo/decisions/dec-b8d6", width: 1280, height: 700, theme: "light", as: owner },
  board: { path: () => "/demo/teams/payments", width: 1280, height: 580, theme: "dark", as: owner },
  "board-phone": { path: () => "/demo/teams/payments", width: 390, height: 844, theme: "light", as: owner },
  teams: { path: () => "/demo/teams", width: 1280, height: 560, theme: "light", as: owner },
  "new-team": { path: () => "/demo/new-team", width: 1280, height: 930, theme: "light", as: owner },
  "team-settings": { path: () => "/demo/teams/payments/settings", width: 1280, height: 620, theme: "light", as: owner },
  tracker: { path: () => "/demo/teams/payments/tracker", width: 1280, height: 900, theme: "light", as: owner },
  story: { path: () => "/demo/stories/PAY-18", width: 1280, height: 800, theme: "light", as: owner },
  run: { path: () => "/demo/runs/run-fq26", width: 1280, height: 1020, theme: "light", as: owner },
  runners: { path: () => "/demo/settings/runners", width: 1280, height: 620, theme: "light", as: owner },
  incident: { path: ({ open }) => `/demo/incidents/${open}`, width: 390, height: 1440, theme: "light", as: owner },
  "incident-dark": {
    path: ({ open }) => `/demo/incidents/${open}`,
    width: 1280,
    height: 690,
    theme: "dark",
    as: owner
  },
  incidents: { path: () => "/demo/incidents?status=all", width: 1280, height: 500, theme: "light", as: owner },
  "pull-request": { path: () => "/demo/pulls/2", width: 1280, height: 900, theme: "light", as: owner },
  tokens: { path: () => "/demo/settings/api", width: 1280, height: 920, theme: "light", as: owner },
  connections: { path: () => "/demo/settings/connections", width: 1280, height: 760, theme: "light", as: owner },
  "connect-app": {
    path: () => "/demo/settings/connections/app?organisation=acme",
    width: 1280,
    height: 560,
    theme: "light",
    as: owner
  },
  members: { path: () => "/demo/settings/members", width: 1280, height: 640, theme: "light", as: owner },
  audit: { path: () => "/demo/audit?team=payments", width: 1280, height: 800, theme: "dark", as: owner },
  policy: { path: () => "/demo/settings/policy/payments", width: 1280, height: 860, theme: "light", as: owner },
  service: { path: ({ service }) => `/demo/services/${service}`, width: 1280, height: 860, theme: "light", as: owner },
  source: { path: ({ source }) => `/demo/sources/${source}`, width: 1280, height: 780, theme: "light", as: owner },
  notifications: { path: () => "/demo/notifications", width: 1280, height: 560, theme: "light", as: owner }
}

const fees = (formula: string) => `#!/bin/sh\n# Prints the fee of an amount, both in cents.\namount=$1\n${formula}\n`
const check = '#!/bin/sh\n# A fee of 2.9 % is rounded to whole cents.\ntest "$(sh fees.sh 550)" = 16\n'

/** No test of its own: `npm run screenshots` makes the pictures of the docs from the demo. */
describe("pictures", () => {
  const { stage, visit } = visitors(lived())
  let place: Place
  beforeAll(async () => {
    const { answer, keep, person, run } = stage()
    mkdirSync(folder, { recursive: true })
    place = await demoPlace(stage())
    const repository = await keep(bare)
    repository.commit("main", { "fees.sh": fees("echo $((amount * 29 / 1000))") }, { message: "Compute fees" })
    const branch = Pulls.branch("gatehouse/PAY-4-run-s7nj")
    const changed = { "fees.sh": fees("echo $(((amount * 29 + 500) / 1000))"), ".kanman/acceptance/PAY-4/ac-1": check }
    const head = repository.commit(branch, changed, { from: "main" })
    const { workspace } = await run(person(owner))
    await run(
      Pulls.open(workspace, { repository: repository.path, branch, head, title: "PAY-4: Round fees to whole cents" })
    )
    await answer("admin@demo.test", "dec-b8d6", "approve", "The plan covers gift cards; go.")
    await run(
      Effect.gen(function* () {
        const ada = yield* person("admin@demo.test")
        yield* Incidents.acknowledge(ada, place.open as IncidentKey)
        yield* Incidents.note(
          ada,
          place.open as IncidentKey,
          "Rolling #347 back; the queue should drain in ten minutes."
        )
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
    await page.goto(path(place))
    if (as !== undefined) await page.locator("[data-live-words]", { hasText: /^Live/ }).waitFor({ state: "attached" })
    // The repository is in a folder of this run.
    await page
      .getByText(/^\/.*\/pay\.git$/)
      .evaluateAll((all) => all.forEach((one) => (one.textContent = "/srv/git/pay.git")))
    const file = join(folder, `${name}.png`)
    await page.screenshot({ path: file, animations: "disabled" })
    assert.isBelow(statSync(file).size, most)
  })
})
