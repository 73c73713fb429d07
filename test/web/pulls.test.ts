import { Effect, Exit, Scope } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Pulls from "../codehost/Pulls.ts"
import { bare, lines, type Repository } from "../codehost/Repositories.ts"
import * as House from "../application/house.ts"
import * as Seed from "../support/Seed.ts"
import { hostile, markup } from "./OnCallDesk.ts"
import { type Browser, open, type Site } from "./Visiting.ts"

describe("the page of a pull request", () => {
  const scope = Effect.runSync(Scope.make())
  let site: Site
  let member: Browser
  let [id, slug]: [WorkspaceId, WorkspaceSlug] = [undefined as never, undefined as never]
  let repository: Repository
  beforeAll(async () => {
    site = await open()
    const place = await site.run(Seed.workspace)
    id = place.id
    slug = place.slug
    await site.run(
      Seed.load(slug, {
        teams: [{ slug: "payments", name: "Payments", keyPrefix: "PAY" }],
        stories: [{ key: "PAY-1", team: "payments", title: "Round the fees" }],
        runs: [{ key: "run-aaaa", story: "PAY-1" }]
      })
    )
    member = await site.as(slug, "member")
    repository = await Effect.runPromise(Scope.extend(bare, scope))
  })
  afterAll(async () => {
    await site?.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("shows its state, its way and its changes, and after the merge the same with the commit", async () => {
    const files = { "fees.txt": lines([5, "rounded"]), "docs/fees.md": "Rounded\n" }
    const head = repository.commit("gatehouse/PAY-1-run-aaaa", files, { from: "main" })
    const of = { repository: repository.path, head, runKey: House.run("run-aaaa"), story: House.story("PAY-1") }
    const { record } = await site.run(Pulls.open(id, of))
    const path = `/${slug}/pulls/${record.number}`
    const { status, text } = await member.get(path)
    assert.strictEqual(status, 200)
    for (const part of [
      `<title>#${record.number}: Round the fees · Gatehouse</title>`,
      "Open",
      "PAY-1",
      "run-aaaa",
      "<code>gatehouse/PAY-1-run-aaaa</code> → <code>main</code>",
      head,
      "2 files",
      "+2 −1",
      "<code>docs/fees.md</code>",
      "-line 5\n+rounded\n",
      'data-topics="run-aaaa"'
    ])
      assert.include(text, part)
    assert.notInclude(text, "Merge commit")
    const merge = repository.git("commit-tree", `${head}^{tree}`, "-p", "main", "-p", head, "-m", "Merge")
    await site.run(Pulls.merge(id, record.number, Pulls.commitOf(merge)))
    await site.run(Pulls.open(id, { branch: Pulls.branch("revert-1"), reverts: record.number }))
    const merged = (await member.get(path)).text
    for (const part of ["Merged", merge, "-line 5\n+rounded\n", `<a href="/${slug}/pulls/2">#2</a>`])
      assert.include(merged, part)
    const reverting = (await member.get(`/${slug}/pulls/2`)).text
    assert.include(reverting, `<a href="${path}">#${record.number}</a>`)
    assert.include(reverting, "cannot be read right now")
  })

  it("shows hostile titles, names and contents as text, and nothing that hides or reorders it", async () => {
    const name = `evil-\u202egpj${hostile.replaceAll("/", "_")}`
    const head = repository.commit(
      "evil",
      { [`"${name.replaceAll('"', '\\"')}"`]: `${hostile}\u202e\u0007\n` },
      { from: "main" }
    )
    const of = { repository: repository.path, head, title: hostile, branch: Pulls.branch("evil") }
    const { record } = await site.run(Pulls.open(id, of))
    const { text } = await member.get(`/${slug}/pulls/${record.number}`)
    assert.deepStrictEqual(markup(text), [])
    assert.include(text, "&lt;script>alert(1)")
    for (const hidden of ["\u202e", "\u0007"]) assert.notInclude(text, hidden)
  })

  it("is not there for a number nobody has, or for strangers", async () => {
    for (const wrong of ["99", "0", "-1", "1e0", "01", "9".repeat(30), "x"])
      assert.strictEqual((await member.get(`/${slug}/pulls/${wrong}`)).status, 404)
    assert.strictEqual((await site.stranger.get(`/${slug}/pulls/1`)).status, 303)
    const other = await site.run(Seed.workspace)
    const theirs = await site.as(other.slug)
    assert.strictEqual((await theirs.get(`/${other.slug}/pulls/1`)).status, 404)
  })
})
