import { Statement } from "@effect/sql"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { assets } from "../../adapters/http/web/Assets.ts"
import { pages } from "../../adapters/http/web/Pages.ts"
import * as Connections from "../../application/codehost/Connections.ts"
import * as Places from "../../application/oncall/Places.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import type { BindingId } from "../../domain/tracker/Binding.ts"
import * as ChangeBinding from "../../domain/tracker/ChangeBinding.ts"
import { usualMapping } from "../../domain/tracker/Mapping.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { newConnection } from "../application/house.ts"
import * as Pulls from "../codehost/Pulls.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { type Answer, start, type World } from "../support/World.ts"
import { alert, desk, incidents, tell } from "./OnCallDesk.ts"
import { registered } from "./work/Registered.ts"
import { type Browser, browser } from "./Visiting.ts"
import { session } from "../support/Sessions.ts"
import { turns } from "../support/Share.ts"

let statements: Array<string> = []

const counting = Statement.setTransformer((statement) => {
  statements.push(statement.compile()[0])
  return Effect.succeed(statement)
})

/** Names of what the addresses of pages name. */
interface Named {
  readonly connection: string
  readonly incident: string
  readonly member: string
  readonly prefix: string
  readonly runner: string
  readonly service: string
  readonly source: string
}

/**
 * Every page that is read, with the statements it takes. Three belong to the layout: the session, the position in the
 * change feed, and the counts of the side bar.
 */
const table: ReadonlyArray<readonly [page: string, path: string | ((at: Named) => string), statements: number]> = [
  ["navigation", "navigation", 3],
  ["decisions", "decisions", 5],
  ["decisions", "decisions?view=others&team=payments", 5],
  ["decisions", "decisions?view=answered", 5],
  ["decisions", "decisions?view=closed", 5],
  ["decisions/news", "decisions/news?since=0&known=dec-aaaa+dec-bbbb+dec-cccc", 4],
  ["decisions/:key", "decisions/dec-aaaa", 5],
  ["decisions/:key", "decisions/dec-bbbb", 5],
  ["incidents", "incidents", 5],
  ["incidents/:key", ({ incident }) => `incidents/${incident}`, 7],
  ["incidents/:key/resolve", ({ incident }) => `incidents/${incident}/resolve`, 7],
  ["notifications", "notifications", 5],
  ["pulls/:number", "pulls/1", 4],
  ["runs", "runs", 5],
  ["runs", "runs?team=payments", 5],
  ["runs/:key", "runs/run-aaaa", 9],
  ["runs/:key/log", "runs/run-aaaa/log", 5],
  ["runs/:key/stop", "runs/run-aaaa/stop", 5],
  ["runs/:key/retry", "runs/run-aaaa/retry", 5],
  ["teams", "teams", 4],
  ["new-team", "new-team", 3],
  ["teams/:slug", "teams/payments", 5],
  ["teams/:slug/columns/:column", "teams/payments/columns/backlog", 5],
  ["teams/:slug/pause", "teams/payments/pause", 4],
  ["teams/:slug/settings", "teams/payments/settings", 4],
  ["teams/:slug/tracker", "teams/payments/tracker", 7],
  ["teams/:slug/tracker/unbind", "teams/payments/tracker/unbind", 7],
  ["teams/:slug/new-story", "teams/payments/new-story", 4],
  ["stories/:key", "stories/PAY-1", 7],
  ["stories/:key/edit", "stories/PAY-1/edit", 4],
  ["stories/:key/reject", "stories/PAY-2/reject", 5],
  ["stories/:key/start", "stories/PAY-1/start", 5],
  ["settings/runners", "settings/runners", 4],
  ["settings/runners/:id/drain", ({ runner }) => `settings/runners/${runner}/drain`, 4],
  ["settings/runners/:id/remove", ({ runner }) => `settings/runners/${runner}/remove`, 4],
  ["settings/api", "settings/api", 4],
  ["settings/api/:prefix/revoke", ({ prefix }) => `settings/api/${prefix}/revoke`, 4],
  ["settings/connections", "settings/connections", 4],
  ["settings/connections/app", "settings/connections/app", 3],
  ["settings/connections/app/created", "settings/connections/app/created", 3],
  ["settings/connections/:id/renew", ({ connection }) => `settings/connections/${connection}/renew`, 4],
  ["settings/connections/:id/remove", ({ connection }) => `settings/connections/${connection}/remove`, 4],
  ["settings/mcp", "settings/mcp", 3],
  ["settings/members", "settings/members", 4],
  ["settings/members/:id/remove", ({ member }) => `settings/members/${member}/remove`, 4],
  ["settings/sessions", "settings/sessions", 5],
  ["first-steps", "first-steps", 6],
  ["settings/policy", "settings/policy", 4],
  ["settings/policy/:team", "settings/policy/payments", 4],
  ["settings/policy/:team", "settings/policy/payments?preset=autonomous", 4],
  ["settings/policy/:team/delete", "settings/policy/payments/delete", 4],
  ["services", "services", 4],
  ["services/:id", ({ service }) => `services/${service}`, 4],
  ["services/:id/hours", ({ service }) => `services/${service}/hours`, 3],
  ["services/:id/delete", ({ service }) => `services/${service}/delete`, 4],
  ["sources", "sources", 6],
  ["sources/new", "sources/new?kind=uptime", 4],
  ["sources/:id", ({ source }) => `sources/${source}`, 9],
  ["sources/:id/rotate", ({ source }) => `sources/${source}/rotate`, 4],
  ["sources/:id/delete", ({ source }) => `sources/${source}/delete`, 4],
  ["settings/places", "settings/places", 4],
  ["settings/places/:team/:name/remove", "settings/places/payments/room/remove", 4],
  ["search", "search", 3],
  ["search", "search?q=refund+part", 4],
  ["audit", "audit", 6],
  ["audit", "audit?event=team_created&actor=system&team=payments", 6]
]

const policy = [
  "base-uri 'none'",
  "connect-src 'self'",
  "default-src 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "img-src 'self'",
  "script-src 'self'",
  "style-src 'self'"
]

const checkHeaders = ({ headers }: Answer, path: string) => {
  assert.match(String(headers["content-type"]), /^text\/html/, path)
  assert.deepStrictEqual(headers["content-security-policy"]?.split("; ").toSorted(), policy, path)
  assert.deepStrictEqual(
    ["referrer-policy", "x-content-type-options", "cache-control"].map((name) => headers[name]),
    ["same-origin", "nosniff", "no-store"],
    path
  )
}

describe("every page", () => {
  let world: World
  let owner: Browser
  let base: string
  let named: Named
  beforeAll(async () => {
    world = await start(TestPostgres.layer, {}, counting)
    const at = await world.run(desk)
    const { decisions, runs, stories } = Seed.small
    await world.run(Seed.load(at.slug, { runs, stories, decisions }))
    await world.run(tell(at, alert("prod")))
    await world.run(Pulls.open(at.id))
    const [incident] = await world.run(incidents(at.id))
    const { prefix } = await world.run(Seed.token(at.slug))
    const runner = await world.run(registered(at.slug))
    const [service] = (await world.run(Effect.flatMap(OnCallStore, (store) => store.look(at.id)))).services
    const room = { team: "payments" as TeamSlug, name: "room", address: Redacted.make("https://chat.example.com/") }
    await world.run(Places.add(at.owner, room))
    const { connection } = await world.run(Connections.create(at.owner, newConnection))
    const bound = { id: connection.id as string as BindingId, connection: connection.id, platform: "github" } as const
    await world.run(
      Effect.flatMap(TrackerStore, (store) =>
        store.change(
          at.id,
          "payments" as TeamSlug,
          ChangeBinding.bind(bySystem, { ...bound, project: "acme/pay", mapping: usualMapping })
        )
      )
    )
    const ids = { connection: connection.id, service: service?.id ?? "", source: at.source.id }
    named = { incident: incident?.key ?? "", member: at.member.member.id, prefix, runner, ...ids }
    base = `/${at.slug}`
    owner = browser(world.url, `gatehouse=${await world.run(session(at.slug, "owner"))}`)
  })
  afterAll(() => world?.close())

  const pathOf = (path: string | ((at: Named) => string)) => `${base}/${typeof path === "string" ? path : path(named)}`

  it("is in the table", () => {
    const read = pages.flatMap(({ get, path }) => (get === undefined ? [] : [path]))
    assert.deepStrictEqual([...new Set(table.map(([page]) => page))].toSorted(), read.toSorted())
  })

  it("shows a refusal while it counts for the side bar", async () => {
    for (const page of ["decisions", "notifications", "runs", "audit", "incidents"]) {
      const { status, text } = await owner.get(`${base}/${page}?cursor=abc`)
      assert.strictEqual(status, 400, page)
      assert.include(text, "This list has no page ‘abc’, which the address names as cursor")
      assert.include(text, `href="${base}/${page}"`)
    }
  })

  it("takes few statements, and a part that is fetched again takes fewer", async ({ task }) => {
    const used = async (path: string, headers = {}) => {
      statements = []
      const { status, text } = await owner.get(path, headers)
      assert.strictEqual(status, 200, `${path} ${text}`)
      return statements.length
    }
    const measured: Array<readonly [path: unknown, statements: number]> = []
    const parts: Array<number> = []
    const share = turns(table, 3)
    for (const [, path] of share) {
      measured.push([path, await used(pathOf(path))])
      parts.push(await used(pathOf(path), { "hx-request": "true" }))
    }
    assert.deepStrictEqual(
      measured,
      share.map(([, path, count]) => [path, count])
    )
    // Neither the position nor the counts of a layout that is not shown.
    for (const [index, count] of parts.entries()) assert.isBelow(count, share[index]?.[2] ?? 0)
    const most = Math.max(...table.map(([, , count]) => count))
    task.meta.figures = `${table.length} addresses, at most ${most} statements each; the list of decisions takes ${table[1]?.[2]}`
  })

  it("runs its own scripts alone, is framed by nobody, and is kept by no cache", async () => {
    for (const [, path] of turns(table))
      for (const headers of [{}, { "hx-request": "true" }]) {
        const answer = await owner.get(pathOf(path), headers)
        assert.strictEqual(answer.status, 200)
        checkHeaders(answer, pathOf(path))
      }
  })

  it("of errors and of signing in has the same headers", async () => {
    const stranger = browser(world.url, null)
    const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" }
    const answers: ReadonlyArray<readonly [status: number, path: string, answer: Promise<Answer>]> = [
      ...[
        `${base}/nowhere`,
        `${base}/decisions/dec-zzzz`,
        `${base}/incidents/nonsense`,
        `${base}/pulls/9`,
        `${base}/pulls/1e0`,
        "/nowhere",
        "/assets/no.js"
      ].map((path) => [404, path, owner.get(path)] as const),
      [400, "a wrong form", owner.post(`${base}/settings/api`, { name: "" })],
      [403, "a foreign form", owner.post(`${base}/settings/api`, { name: "" }, foreign)],
      [405, "another method", owner.post(`${base}/first-steps`, {})],
      [200, "/sign-in", stranger.get("/sign-in")],
      [200, "/sign-out", stranger.get("/sign-out")],
      [410, "a link that was never made", stranger.get(`/sign-in/gtl_${"x".repeat(43)}`)]
    ]
    for (const [status, path, asked] of answers) {
      const answer = await asked
      assert.strictEqual(answer.status, status, `${path} ${answer.text}`)
      checkHeaders(answer, path)
    }
  })

  it("loads files that are kept for good, and no browser guesses their type", async () => {
    for (const path of Object.values(assets)) {
      const { headers } = await browser(world.url, null).get(path)
      assert.strictEqual(headers["cache-control"], "public, max-age=31536000, immutable")
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
    }
  })

  it("leads to another without being kept", async () => {
    const { headers, status } = await browser(world.url, null).get(`${base}/decisions`)
    assert.deepStrictEqual(
      [status, headers["cache-control"], headers["x-content-type-options"]],
      [303, "no-store", "nosniff"]
    )
  })
})
