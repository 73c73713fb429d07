import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { type Event, fact } from "../../domain/workspace/Audit.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import { entries, hostile, markup } from "./OnCallDesk.ts"
import { type Browser, open, type Site } from "./Visiting.ts"

describe("the page of the audit log", () => {
  let site: Site
  let id: WorkspaceId
  let slug: WorkspaceSlug
  let [owner, admin, member]: Array<Browser> = []
  beforeAll(async () => {
    site = await open()
    const made = await site.run(Seed.workspace)
    id = made.id
    slug = made.slug
    await site.run(Seed.load(slug, Seed.small))
    owner = await site.as(slug)
    admin = await site.as(slug, "admin")
    member = await site.as(slug, "member")
  })
  afterAll(() => site?.close())

  const as = (browser: Browser | undefined): Browser => browser ?? assert.fail("nobody is signed in")
  const path = (query = "") => `/${slug}/audit${query}`
  const rows = (text: string) => text.split('id="entry-').length - 1

  it("an admin and the owner read it, a member is refused, and the denial is an entry", async () => {
    for (const reader of [owner, admin]) {
      const { status, text } = await as(reader).get(path())
      assert.strictEqual(status, 200)
      assert.include(text, "Team created")
      assert.include(text, `/${slug}/audit" aria-current="page"`)
    }
    const forged: ReadonlyArray<() => Promise<{ readonly status: number; readonly text: string }>> = [
      () => as(member).get(path()),
      () => as(member).post(path("/check"), {}),
      () => as(member).post(path("/export"), { format: "csv" })
    ]
    for (const ask of forged) {
      const { status, text } = await ask()
      assert.strictEqual(status, 403)
      assert.include(text, "You may not do this")
      assert.notInclude(text, "Team created")
      assert.deepStrictEqual(await site.run(entries(id, 1)), ["access_denied denied app"])
    }
  })

  it("a member sees the entry in the side bar disabled, and says why", async () => {
    const { text } = await as(member).get(`/${slug}/decisions`)
    assert.match(text, /<a id="nav-audit" role="link" aria-disabled="true" tabindex="0"/)
    assert.include(text, "takes the role admin")
    assert.notInclude(text, `href="${path()}"`)
    assert.include((await as(admin).get(`/${slug}/decisions`)).text, `href="${path()}"`)
  })

  it("shows lists and flags of a change in words", async () => {
    const after = { permissions: ["read", "write"], paused: false, budgets: { runCents: 500, dayCents: null } }
    const made = fact(bySystem, "token_created", { type: "token", id: "t1", name: "bot" }, { details: { after } })
    const typed = { ...made, details: { ...made.details, channel: "app", cli: true } }
    await site.run(Effect.flatMap(AuditLog, (log) => log.append(id, { audit: [made, typed] })))
    const { text } = await as(owner).get(path("?event=token_created"))
    assert.include(text, ">Command line</td>")
    assert.include(text, "permissions read and write, paused no, budgets run cents 500, day cents none")
    assert.notInclude(text, "[&quot;read")
  })

  it("each filter narrows the list, and stays in the form", async () => {
    const denied = await as(owner).get(path("?event=access_denied&actor=human"))
    assert.notInclude(denied.text, "<b>Team created</b>")
    assert.include(denied.text, "<b>Access denied</b>")
    assert.include(denied.text, "Tried “audit read”")
    assert.match(denied.text, /<option selected value="access_denied">|<option value="access_denied" selected/)
    const team = await as(owner).get(path("?team=payments"))
    assert.isAbove(rows(team.text), 0)
    assert.isBelow(rows(team.text), rows((await as(owner).get(path())).text))
    const future = await as(owner).get(path("?from=2999-01-01"))
    assert.strictEqual(rows(future.text), 0)
    assert.include(future.text, "No entries for these filters")
    assert.include(future.text, "Clear the filters")
  })

  it.each([
    ["?run=none", "Enter the key of a run"],
    ["?from=yesterday", "Enter a day such as"],
    ["?from=2026-02-02&to=2026-02-01", "not after the last one"],
    ["?event=nope", "Choose an event of the list."],
    ["?actor=robot", "Choose people, Gatehouse or the system."],
    ["?team=NO%20TEAM", "Choose a team of the list."]
  ])("%s is refused beside its field", async (query, problem) => {
    const { status, text } = await as(owner).get(path(query))
    assert.strictEqual(status, 400)
    assert.include(text, problem)
    assert.include(text, 'aria-invalid="true"')
  })

  it("days are those of the reader's zone", async () => {
    const { text } = await as(owner).get(path("?from=2026-01-01"))
    assert.include(text, "Days are those of UTC.")
  })

  it("pages follow each other by a cursor that belongs to the filters", async () => {
    for (let index = 0; index < 30; index++) await as(member).get(path())
    const first = (await as(owner).get(path())).text
    assert.strictEqual(rows(first), 25)
    const older = /href="([^"]*audit\?cursor=[^"]+)"/.exec(first)?.[1] ?? ""
    const second = await as(owner).get(older)
    assert.strictEqual(second.status, 200)
    const ids = (text: string) => [...text.matchAll(/id="entry-([0-9a-f-]+)"/g)].map(([, one]) => one)
    assert.strictEqual(new Set([...ids(first), ...ids(second.text)]).size, rows(first) + rows(second.text))
    const foreign = await as(owner).get(`${older}&actor=human`)
    assert.strictEqual(foreign.status, 400)
  })

  it("an export holds what the filters match, in both forms, and is recorded", async () => {
    const filters = { event: "access_denied", actor: "human" }
    const csv = await as(admin).post(path("/export"), { ...filters, format: "csv" })
    assert.strictEqual(csv.status, 200)
    assert.match(
      csv.headers["content-disposition"] ?? "",
      new RegExp(`^attachment; filename="audit-${slug}-start-.*\\.csv"$`)
    )
    assert.match(csv.text, /^id,timestamp,event/)
    assert.deepStrictEqual(await site.run(entries(id, 1)), ["audit_exported success app"])
    const json = await as(admin).post(path("/export"), { ...filters, format: "json" })
    const all = json.body as ReadonlyArray<{ readonly event: string }>
    assert.isAbove(all.length, 25)
    assert.deepStrictEqual([...new Set(all.map(({ event }) => event))], ["access_denied"])
    assert.strictEqual(json.headers["x-service-export-count"], String(all.length))
    assert.strictEqual(csv.text.trimEnd().split("\r\n").length, all.length + 1)
    assert.strictEqual((await as(admin).post(path("/export"), { run: "none", format: "csv" })).status, 400)
    const xml = await as(admin).post(path("/export"), { ...filters, format: "xml" })
    assert.deepStrictEqual([xml.status, xml.text.includes("format must be csv or json")], [400, true])
    const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" }
    assert.strictEqual((await as(admin).post(path("/export"), { format: "csv" }, foreign)).status, 403)
  })

  it("the chain is checked when an admin asks", async () => {
    assert.notInclude((await as(admin).get(path())).text, "Chain intact")
    const { status, text } = await as(admin).post(path("/check"), {})
    assert.strictEqual(status, 200)
    assert.include(text, "Chain intact")
    assert.include(text, "all checked just now")
  })

  it("an entry of a later version is shown by its names, exported and part of the chain", async () => {
    const event = "story_estimated" as Event
    const entity = { type: "estimate" as "story", id: "est-1", name: "Sizes" }
    const later = { ...fact(bySystem, event, entity), result: "postponed" as "success" }
    await site.run(Effect.flatMap(AuditLog, (log) => log.append(id, { audit: [later] })))
    const { status, text } = await as(owner).get(path())
    assert.strictEqual(status, 200)
    assert.include(text, "<b>story_estimated</b>")
    for (const word of ["Sizes", "postponed"]) assert.include(text, word)
    const csv = await as(owner).post(path("/export"), { format: "csv" })
    assert.match(csv.text, /,story_estimated,postponed,.*,estimate,est-1,Sizes,/)
    assert.include((await as(owner).post(path("/check"), {})).text, "Chain intact")
  })

  it("names full of markup stay text", async () => {
    const team = { slug: "red", name: hostile.slice(0, 200), keyPrefix: "RED" }
    await site.run(Seed.load(slug, { teams: [team] }))
    const { text } = await as(owner).get(path("?event=team_created"))
    assert.deepStrictEqual(markup(text), [])
    assert.include(text, "&lt;script>")
  })
})
