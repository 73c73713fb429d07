import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { WorkspaceId, WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import * as Seed from "../../support/Seed.ts"
import { entries, hostile, markup } from "../OnCallDesk.ts"
import { type Browser, openWith, pageOf, type Site } from "../Visiting.ts"

const tracker = { platform: "github", key: "acme/pay#7", url: "https://github.com/acme/pay/issues/7" }

const document = {
  teams: Seed.small.teams,
  stories: [
    {
      key: "PAY-1",
      team: "payments",
      title: "Refund in part",
      description: "**Why** <b>not</b>",
      acceptanceCriteria: [{ text: "Half is refunded", status: "passed" }, { text: "The rest stays" }],
      demonstrate: ["Refund 5 of 10"],
      testPlan: "- unit tests",
      size: "l",
      complexity: "high"
    },
    { key: "PAY-2", team: "payments", title: "A draft", draft: true, column: { role: "refining" } },
    { key: "PAY-3", team: "payments", title: "Tracked", tracker },
    {
      key: "PAY-4",
      team: "payments",
      title: hostile,
      description: hostile,
      acceptanceCriteria: [{ text: hostile }],
      demonstrate: [hostile],
      testPlan: hostile,
      draft: true
    },
    { key: "WEB-1", team: "web", title: "Wish list" }
  ],
  runs: [{ key: "run-ffff", story: "PAY-1", status: "failed" }],
  decisions: [
    {
      key: "dec-aaaa",
      kind: "clarification",
      title: hostile,
      recommendation: "yes",
      options: [
        { id: "yes", label: "Yes", action: "answer" },
        { id: "no", label: "No", action: "abandon" }
      ],
      run: "run-ffff",
      status: "expired"
    }
  ]
}

const filled = {
  title: "Pay by invoice",
  description: "Firms ask for it.",
  acceptanceCriteria: "An invoice is sent\n\n  It can be paid  ",
  demonstrate: "Order and choose invoice",
  testPlan: "",
  size: "s",
  complexity: "",
  classOfService: "expedite"
}

describe("the pages of stories", () => {
  let site: Site
  let member: Browser
  let [id, slug]: [WorkspaceId, WorkspaceSlug] = [undefined as never, undefined as never]
  beforeAll(async () => {
    ;({ id, site, slug } = await openWith(document))
    member = await site.as(slug, "member")
  })
  afterAll(() => site?.close())

  const page = (path: string, status = 200) => pageOf(member, `/${slug}/${path}`, status)
  const post = (path: string, form: Readonly<Record<string, string>> = {}, headers = {}) =>
    member.post(`/${slug}/${path}`, form, headers)

  it("show the content of a story, its runs and its decisions", async () => {
    const text = await page("stories/PAY-1")
    for (const part of [
      "<title>PAY-1: Refund in part · Gatehouse</title>",
      "<strong>Why</strong> &lt;b&gt;not&lt;/b&gt;",
      "Half is refunded",
      "Refund 5 of 10",
      "<li>unit tests</li>",
      "100 of 100",
      "Size L",
      "High complexity",
      "run-ffff",
      "Start a run",
      'data-topics="PAY-1 run-ffff"'
    ])
      assert.include(text, part)
    assert.deepStrictEqual(markup(text), [])
  })

  const version = (text: string) => /name="updatedAt" value="([^"]+)"/.exec(text)?.[1] ?? assert.fail(text)
  const edit = async (key: string, fields: Record<string, string>) =>
    post(`stories/${key}/edit`, { updatedAt: version(await page(`stories/${key}/edit`)), ...fields })

  it("name a field that is absent, a choice that there is not, and a version that cannot be read", async () => {
    const updatedAt = version(await page("stories/PAY-1/edit"))
    for (const [fields, words] of [
      [{ updatedAt, title: "Only a title" }, "The form lacks the field description."],
      [filled, "The field updatedAt must hold"],
      [{ ...filled, updatedAt: "yesterday" }, "The field updatedAt must hold"],
      [{ ...filled, updatedAt, title: "Two\u202Elines" }, "Enter a title on one line"],
      [{ ...filled, updatedAt, title: "\u200B" }, "Enter a title on one line"],
      [{ ...filled, updatedAt, size: "xxl" }, "‘xxl’ is none of the choices."]
    ] as const) {
      const refused = await post("stories/PAY-1/edit", fields)
      assert.strictEqual(refused.status, 400, words)
      assert.include(refused.text, words)
      assert.include(refused.text, `value="${fields.title}"`)
    }
    assert.strictEqual(version(await page("stories/PAY-1/edit")), updatedAt)
    for (const wrong of [{ begin: "done" }, { size: "xxl" }, { classOfService: "x" }]) {
      const refused = await post("teams/payments/new-story", { ...filled, begin: "draft", ...wrong })
      assert.strictEqual(refused.status, 400)
      assert.include(refused.text, "is none of the choices.")
    }
  })

  it("say what a draft misses, and approve it once nothing is missing", async () => {
    const text = await page("stories/PAY-2")
    assert.strictEqual(text.match(/>Missing</g)?.length, 3)
    assert.include(text, 'aria-disabled="true"')
    const early = await post("stories/PAY-2/approve")
    assert.strictEqual(early.status, 409)
    assert.include(early.text, "readiness of 0 of 100")
    assert.include(await page("stories/PAY-2/edit"), "A draft")
    const saved = await edit("PAY-2", filled)
    assert.deepStrictEqual([saved.status, saved.headers["location"]], [303, `/${slug}/stories/PAY-2`])
    const ready = await page("stories/PAY-2")
    for (const part of ["Pay by invoice", "An invoice is sent", "It can be paid", "It can be approved", "Expedite"])
      assert.include(ready, part)
    assert.strictEqual((await post("stories/PAY-2/approve")).status, 303)
    assert.deepStrictEqual(await site.run(entries(id, 1)), ["story_changed success app"])
    assert.include((await post("stories/PAY-2/approve")).text, "no draft any more")
    assert.include((await post("stories/PAY-2/reject")).text, "cannot be rejected")
  })

  it("do not overwrite what somebody saved meanwhile: both texts are shown, and the second save is deliberate", async () => {
    const first = { ...filled, updatedAt: version(await page("stories/PAY-1/edit")) }
    assert.strictEqual((await post("stories/PAY-1/edit", { ...first, testPlan: hostile })).status, 303)
    const second = await post("stories/PAY-1/edit", { ...first, description: "Mine & yours" })
    assert.strictEqual(second.status, 409)
    for (const part of [
      "has changed since you opened this form",
      "&lt;script>alert(1)",
      "Mine &amp; yours",
      "<h3>Test plan</h3>"
    ])
      assert.include(second.text, part)
    assert.notInclude(second.text, "<h3>Title</h3>")
    assert.deepStrictEqual(markup(second.text), [])
    assert.include(await page("stories/PAY-1"), "&lt;script>alert(1)")
    const again = { ...first, description: "Mine & yours", updatedAt: version(second.text) }
    assert.notStrictEqual(again.updatedAt, first.updatedAt)
    assert.strictEqual((await post("stories/PAY-1/edit", again)).status, 303)
    assert.include(await page("stories/PAY-1"), "Mine &amp; yours")
  })

  it("leave what the tracker owns to it", async () => {
    const text = await page("stories/PAY-3/edit")
    assert.include(text, "GitHub owns the title and the description")
    assert.notInclude(text, 'name="title"')
    assert.strictEqual((await edit("PAY-3", { ...filled, title: "Another" })).status, 303)
    const kept = await page("stories/PAY-3")
    assert.include(kept, "Tracked")
    assert.include(kept, "An invoice is sent")
  })

  it("create a story as a draft, in Backlog or in Ready, and keep what was typed if it is wrong", async () => {
    assert.include(await page("teams/payments/new-story"), "Create the story")
    for (const [begin, words] of [
      ["draft", "Refining"],
      ["backlog", "Backlog"],
      ["ready", "Ready"]
    ] as const) {
      const made = await post("teams/payments/new-story", { ...filled, begin })
      assert.strictEqual(made.status, 303, made.text)
      const text = await page(String(made.headers["location"]).replace(`/${slug}/`, ""))
      assert.include(text, `<span class="badge line">${words}</span>`)
      assert.strictEqual(text.includes(">Draft</span>"), begin === "draft")
    }
    const empty = await post("teams/payments/new-story", {
      ...filled,
      begin: "draft",
      title: " ",
      description: hostile
    })
    assert.strictEqual(empty.status, 400)
    assert.include(empty.text, "Enter a title")
    assert.include(empty.text, "&lt;script>alert(1)")
    assert.deepStrictEqual(markup(empty.text), [])
    const long = await edit("PAY-1", { ...filled, demonstrate: "x".repeat(4001) })
    assert.strictEqual(long.status, 400)
    assert.match(long.text, /id="demonstrate"[^>]*aria-invalid="true"/)
    assert.include(long.text, "A line has 4001 characters; at most 4000 are allowed.")
    const cyrillic = "ж".repeat(12_000)
    assert.strictEqual((await edit("PAY-1", { ...filled, description: cyrillic })).status, 303)
    const titled = await edit("PAY-1", { ...filled, description: cyrillic, title: "ж".repeat(501) })
    assert.strictEqual(titled.status, 400)
    assert.include(titled.text, "The title has 501 characters; at most 500 are allowed.")
    assert.include(titled.text, cyrillic)
    assert.strictEqual((await post("teams/nobody/new-story", filled)).status, 404)
  })

  it("reject a draft, which leaves the board", async () => {
    assert.include(await page("stories/PAY-4/reject"), "its number is not used again")
    const answer = await post("stories/PAY-4/reject")
    assert.deepStrictEqual([answer.status, answer.headers["location"]], [303, `/${slug}/teams/payments`])
    await page("stories/PAY-4", 404)
    assert.notInclude(await page("teams/payments"), "card-PAY-4")
  })

  it("start a run, unless one works on it, the team is paused or it is a draft", async () => {
    assert.include(await page("stories/PAY-1/start"), "Start a run of PAY-1?")
    const started = await post("stories/PAY-1/start")
    assert.strictEqual(started.status, 303)
    assert.match(String(started.headers["location"]), /\/runs\/run-....$/)
    assert.deepStrictEqual((await site.run(entries(id, 2))).toSorted(), [
      "run_state_changed success app",
      "story_moved success app"
    ])
    const again = await post("stories/PAY-1/start")
    assert.strictEqual(again.status, 409)
    assert.include(again.text, "works on PAY-1 already")
    assert.notInclude(await page("stories/PAY-1"), 'data-dialog="start"')
    const paused = await post("stories/WEB-1/start")
    assert.strictEqual(paused.status, 409)
    assert.include(paused.text, "The team is paused")
  })

  it("keep hostile texts as texts, and take no form of another site", async () => {
    const { slug: other } = await site.run(Seed.workspace)
    await site.run(Seed.load(other, document))
    const owner = await site.as(other)
    for (const path of ["PAY-4", "PAY-4/edit", "PAY-4/reject", "PAY-1"]) {
      const { status, text } = await owner.get(`/${other}/stories/${path}`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(markup(text), [], path)
    }
    assert.include((await owner.post(`/${other}/stories/PAY-4/start`, {})).text, "is a draft")
    const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" }
    for (const path of ["edit", "approve", "reject", "start", "move"])
      assert.strictEqual((await owner.post(`/${other}/stories/PAY-4/${path}`, filled, foreign)).status, 403, path)
    for (const wrong of ["PAY-99", "nonsense"]) await page(`stories/${wrong}`, 404)
  })
})
