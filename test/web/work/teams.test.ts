import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Runs from "../../../application/work/Runs.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import * as House from "../../application/house.ts"
import * as People from "../../support/People.ts"
import * as Seed from "../../support/Seed.ts"
import { entries, hostile, markup } from "../OnCallDesk.ts"
import { type Browser, openWith, pageOf, type Site } from "../Visiting.ts"

const many = Array.from({ length: 23 }, (_, index) => ({
  key: `WEB-${index + 1}`,
  team: "web",
  title: `Story ${index + 1}`,
  column: { role: "done" }
}))

const document = {
  teams: [
    { slug: "payments", name: "Payments", keyPrefix: "PAY", policy: { preset: "standard" }, description: hostile },
    { slug: "web", name: "Web shop", keyPrefix: "WEB", paused: true }
  ],
  stories: [
    { key: "PAY-1", team: "payments", title: "Refund in part", column: { role: "in_progress" }, size: "m" },
    { key: "PAY-2", team: "payments", title: hostile, draft: true, column: { role: "refining" } },
    { key: "PAY-3", team: "payments", title: "Free to move", column: { role: "backlog" }, classOfService: "expedite" },
    ...many
  ],
  runs: [{ key: "run-aaaa", story: "PAY-1", status: "waiting", stage: "verifying" }],
  decisions: [
    {
      key: "dec-aaaa",
      kind: "plan_approval",
      title: "Plan?",
      recommendation: "yes",
      options: Seed.options,
      run: "run-aaaa",
      authority: "admin"
    }
  ]
}

describe("boards", () => {
  let site: Site
  let [owner, member]: [Browser, Browser] = [undefined as never, undefined as never]
  let [id, slug]: [WorkspaceId, WorkspaceSlug] = [undefined as never, undefined as never]
  beforeAll(async () => {
    ;({ id, site, slug } = await openWith(document))
    owner = await site.as(slug)
    member = await site.as(slug, "member")
  })
  afterAll(() => site?.close())

  const page = (path: string, reader = member, status = 200) => pageOf(reader, `/${slug}/${path}`, status)

  it("an admin creates a team, and the side bar names it", async () => {
    const admin = await site.as(slug, "admin")
    assert.include(await page("new-team", admin), "Create the team")
    assert.include(await page("teams", admin), `href="/${slug}/new-team"`)
    const form = { name: "Search & find", slug: "Search", keyPrefix: "sea", description: "", preset: "guarded" }
    const { headers, status } = await admin.post(`/${slug}/new-team`, form)
    assert.deepStrictEqual([status, headers["location"]], [303, `/${slug}/teams/search`])
    assert.deepStrictEqual(await site.run(entries(id, 1)), ["team_created success app"])
    const board = await page("teams/search")
    assert.include(
      board,
      `<a id="nav-team-search" href="/${slug}/teams/search" aria-current="page"><span>Search &amp; find`
    )
    assert.include(board, `<a id="nav-teams" href="/${slug}/teams" aria-current="true"`)
    assert.match(board, /nav-team-payments[^]*nav-team-search[^]*nav-team-web[^]*?<span class="n quiet">Paused/)
    assert.include(await page("navigation?section=teams&team=search"), 'teams/search" aria-current="page"')
    assert.notInclude(await page("navigation?section=teams&team=gone"), 'aria-current="page"><span>')
  })

  it.each([
    [{ name: "" }, "Enter a name"],
    [{ slug: "Two words" }, "Enter lowercase letters"],
    [{ slug: "payments" }, "has it, or had it"],
    [{ keyPrefix: "1A" }, "a letter first"],
    [{ keyPrefix: "PAY" }, "has it, or had it"]
  ])("a new team with %j is refused with its field, and what was typed stays", async (wrong, words) => {
    const admin = await site.as(slug, "admin")
    const form = { name: hostile, slug: "fine", keyPrefix: "FINE", description: "", preset: "trial", ...wrong }
    const { status, text } = await admin.post(`/${slug}/new-team`, form)
    assert.strictEqual(status, 400)
    assert.include(text, words)
    assert.deepStrictEqual(markup(text), [])
  })

  it("a new team with several wrong fields is refused with all of them", async () => {
    const admin = await site.as(slug, "admin")
    const wrong = { name: "", slug: "Two words", keyPrefix: "1A", description: "", preset: "trial" }
    const empty = await admin.post(`/${slug}/new-team`, wrong)
    for (const words of ["Enter a name", "Enter lowercase letters", "a letter first"]) assert.include(empty.text, words)
    const both = await admin.post(`/${slug}/new-team`, { ...wrong, name: "", slug: "payments", keyPrefix: "PAY" })
    assert.lengthOf(both.text.match(/has it, or had it/g) ?? [], 2)
    assert.include(both.text, "Enter a name")
  })

  it("a member creates no team, which is recorded, nor does a form of another site", async () => {
    assert.notInclude(await page("teams"), "new-team")
    await page("new-team", member, 403)
    const form = { name: "Mine", slug: "mine", keyPrefix: "MINE", description: "", preset: "autonomous" }
    assert.strictEqual((await member.post(`/${slug}/new-team`, form)).status, 403)
    assert.deepStrictEqual(await site.run(entries(id, 1)), ["access_denied denied app"])
    const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" }
    assert.strictEqual((await owner.post(`/${slug}/new-team`, form, foreign)).status, 403)
    await page("teams/mine", owner, 404)
  })

  const columnOf = (text: string, key: string) => {
    const before = text.slice(0, text.indexOf(`id="card-${key}"`))
    return [...before.matchAll(/data-column="(\w+)"/g)].at(-1)?.[1]
  }

  const moved = (key: string, column: string, more = {}, reader = member) =>
    reader.post(`/${slug}/stories/${key}/move`, { column, ...more })

  it("are listed by team, with those that are paused", async () => {
    const text = await page("teams")
    assert.match(text, /href="\/[^"]+\/teams\/payments"/)
    assert.include(text, "Paused")
    assert.deepStrictEqual(markup(text), [])
  })

  it("show stories by column, each with what it waits for", async () => {
    const text = await page("teams/payments")
    assert.deepStrictEqual(
      ["PAY-1", "PAY-2", "PAY-3"].map((key) => columnOf(text, key)),
      ["in_progress", "refining", "backlog"]
    )
    for (const part of [
      "Waits for a person",
      "Draft",
      "Readiness 0",
      "Expedite",
      "1 of 3 runs at once",
      "Standard, version 1"
    ])
      assert.include(text, part)
    assert.deepStrictEqual(markup(text), [])
    assert.include(await page("teams/payments", owner), "Waits for you")
    // A run that is at work moves its story alone; a draft stays in front of Ready.
    assert.notInclude(text, 'aria-label="Move PAY-1"')
    const menu = /id="move-PAY-2">.*?<\/details>/s.exec(text)?.[0] ?? ""
    assert.deepStrictEqual(menu.match(/value="\w+"/g), ['value="backlog"'])
    assert.include(text, "data-work")
  })

  it("show twenty stories of a column, and the older ones page by page", async () => {
    const text = await page("teams/web")
    assert.strictEqual(text.match(/id="card-WEB-/g)?.length, 20)
    assert.include(text, "3 older")
    assert.include(text, 'id="card-WEB-23"')
    const column = await page("teams/web/columns/done")
    assert.strictEqual(column.match(/id="card-WEB-/g)?.length, 23)
    assert.notInclude(column, "Older stories")
    assert.include(await page("teams/web/columns/ready"), "No stories here")
    await page("teams/web/columns/nowhere", member, 404)
    await page("teams/nobody", member, 404)
    await page("teams/nobody/columns/done", member, 404)
  })

  it("move a story, from the board and from its page", async () => {
    const answer = await moved("PAY-3", "ready")
    assert.deepStrictEqual([answer.status, answer.headers["location"]], [303, `/${slug}/teams/payments`])
    assert.strictEqual(columnOf(await page("teams/payments"), "PAY-3"), "ready")
    assert.deepStrictEqual(await site.run(entries(id, 1)), ["story_moved success app"])
    const again = await moved("PAY-3", "ready")
    assert.strictEqual(again.status, 303)
    const back = await moved("PAY-3", "backlog", { from: "story" })
    assert.deepStrictEqual([back.status, back.headers["location"]], [303, `/${slug}/stories/PAY-3`])
  })

  it("say why a story stays, on the page where it was moved", async () => {
    const held = await moved("PAY-1", "done")
    assert.strictEqual(held.status, 409)
    assert.include(held.text, "run-aaaa works on PAY-1 and moves it")
    assert.include(held.text, 'id="board-page"')
    const draft = await moved("PAY-2", "ready", { from: "story" })
    assert.strictEqual(draft.status, 409)
    assert.include(draft.text, "is a draft and cannot move to Ready")
    assert.include(draft.text, 'id="story"')
    assert.strictEqual((await moved("PAY-3", "moon")).status, 409)
    assert.strictEqual((await moved("PAY-99", "done")).status, 404)
    const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" }
    assert.strictEqual((await member.post(`/${slug}/stories/PAY-3/move`, { column: "done" }, foreign)).status, 403)
    assert.strictEqual(columnOf(await page("teams/payments"), "PAY-3"), "backlog")
  })

  it("pause and resume a team for admins; a member is refused, and that is recorded", async () => {
    assert.notInclude(await page("teams/payments"), "Pause the team")
    assert.include(await page("teams/payments", owner), "Pause the team")
    assert.include(await page("teams/payments/pause", owner), "starts no new runs")
    assert.strictEqual((await member.post(`/${slug}/teams/payments/pause`, {})).status, 403)
    assert.deepStrictEqual(await site.run(entries(id, 1)), ["access_denied denied app"])
    for (const [act, word] of [
      ["pause", "Resume the team"],
      ["pause", "Resume the team"],
      ["resume", "Pause the team"],
      ["resume", "Pause the team"]
    ] as const) {
      assert.strictEqual((await owner.post(`/${slug}/teams/payments/${act}`, {})).status, 303)
      assert.include(await page("teams/payments", owner), word)
    }
    assert.strictEqual((await member.post(`/${slug}/teams/payments/resume`, {})).status, 403)
  })

  it("bind a team to repositories, and name what is wrong", async () => {
    const path = `/${slug}/teams/payments/settings`
    const valid = { repositories: "https://github.com/acme/pay\n\ngit@host.test:pay.git" }
    await page("teams/payments/settings", member, 403)
    assert.strictEqual((await member.post(path, valid)).status, 403)
    assert.strictEqual((await owner.post(path, valid)).status, 303)
    assert.strictEqual((await owner.post(path, valid)).status, 303)
    const kept = await page("teams/payments/settings", owner)
    assert.include(kept, "https://github.com/acme/pay\ngit@host.test:pay.git")
    assert.include(kept, "Bind a project")
    for (const [wrong, words] of [
      [{ repositories: "/srv/pay.git" }, "only the operator sets"],
      [{ repositories: hostile }, "An address must be"]
    ] as const) {
      const answer = await owner.post(path, { ...valid, ...wrong })
      assert.strictEqual(answer.status, 400, words)
      assert.include(answer.text, words)
      assert.deepStrictEqual(markup(answer.text), [])
    }
  })

  it("are for members of the workspace alone", async () => {
    const other = await site.run(Seed.workspace)
    const theirs = await site.as(other.slug)
    for (const path of [
      "teams/payments",
      "teams/payments/columns/done",
      "teams/payments/settings",
      "teams/payments/tracker",
      "stories/PAY-1"
    ])
      assert.strictEqual((await theirs.get(`/${other.slug}/${path}`)).status, 404, path)
    assert.strictEqual((await site.stranger.get(`/${slug}/teams`)).status, 303)
  })

  it("show the runs of today and what they cost", async () => {
    const before = await page("teams/payments")
    assert.include(before, "0.00 €")
    await site.run(
      Effect.gen(function* () {
        const person = yield* People.person(slug, "member")
        const { run } = yield* Runs.start(person, House.story("PAY-3"))
        yield* Runs.lease(person, { team: null, run: run.key })
        yield* Runs.report(person, run.key, [{ type: "cost", costCents: 125 }])
      })
    )
    const text = await page("teams/payments")
    assert.include(text, "2 of 3 runs at once")
    assert.include(text, "1.25 €")
    assert.strictEqual(columnOf(text, "PAY-3"), "in_progress")
  })
})
