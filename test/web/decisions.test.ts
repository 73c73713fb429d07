import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Members from "../../application/workspace/Members.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import type { DecisionKey } from "../../domain/work/Decision.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { type Browser, browser, open, type Site } from "./Visiting.ts"
import { sessionOf } from "../support/Sessions.ts"

const script = `<script>alert(1)</script>`

const options = [
  { id: "yes", label: "Approve", action: "approve_plan" },
  { id: "no", label: `Reject ${script}`, action: "reject" }
]

const decision = (key: string, more: Readonly<Record<string, unknown>> = {}) => ({
  key,
  kind: "plan_approval",
  title: `Plan ${key}`,
  recommendation: "yes",
  options,
  run: "run-aaaa",
  ...more
})

/** A waiting run with decisions of every state, and texts full of markup. */
const document = {
  ...Seed.small,
  decisions: [
    decision("dec-aaaa", {
      body: `# Why\n\n${script} [x](javascript:alert(1)) ![p](https://evil.test/p.png) [ok](https://a.test)`
    }),
    decision("dec-bbbb", { title: `May it edit \`src/**\`? ${script}`, expiresAt: "2035-01-01T00:00:00.000Z" }),
    decision("dec-cccc", { authority: "owner", expiresAt: "2034-01-01T00:00:00.000Z" }),
    decision("dec-dddd", { status: "expired" }),
    decision("dec-eeee", { status: "cancelled" }),
    decision("dec-ffff", { team: "web", run: undefined })
  ]
}

describe("decisions", () => {
  let site: Site
  let slug: WorkspaceSlug
  let owner: Browser
  let member: Browser
  beforeAll(async () => {
    site = await open()
  })
  afterAll(() => site?.close())

  const fresh = async () => {
    slug = (await site.run(Seed.workspace)).slug
    await site.run(Seed.load(slug, document))
    owner = await site.as(slug)
    member = await site.as(slug, "member")
  }
  beforeAll(fresh)

  const keysOf = (text: string) => [...text.matchAll(/id="row-(dec-....)"/g)].map(([, key]) => key)

  const answerBy = (key: string, optionId: string, note: string | null = null) =>
    site.run(
      Effect.flatMap(People.person(slug, "member", "slack"), (person) =>
        Decisions.answer(person, { decision: key as DecisionKey, optionId, note, idempotency: null })
      )
    )

  const requestOf = (text: string) => /name="request" value="([^"]+)"/.exec(text)?.[1] ?? ""

  it("lists what waits for the reader, the nearest deadline first", async () => {
    const mine = await owner.get(`/${slug}/decisions`)
    assert.deepStrictEqual(keysOf(mine.text).slice(-2), ["dec-cccc", "dec-bbbb"])
    assert.lengthOf(keysOf(mine.text), 4)
    assert.lengthOf(keysOf((await member.get(`/${slug}/decisions`)).text), 3)
    const others = (await member.get(`/${slug}/decisions?view=others`)).text
    assert.deepStrictEqual(keysOf(others), ["dec-cccc"])
    assert.match(others, /Waiting for others<span class="n">1</)
    assert.deepStrictEqual(keysOf((await member.get(`/${slug}/decisions?view=closed`)).text), ["dec-eeee", "dec-dddd"])
    assert.deepStrictEqual(keysOf((await member.get(`/${slug}/decisions?team=web`)).text), ["dec-ffff"])
    assert.include((await member.get(`/${slug}/decisions?view=answered`)).text, "Nothing was answered yet")
    assert.strictEqual((await member.get(`/${slug}/decisions?team=nowhere`)).status, 404)
    assert.strictEqual((await member.get(`/${slug}/decisions?cursor=x`)).status, 400)
  })

  it("shows one with its reasons, its options and what each will do", async () => {
    const { status, text } = await member.get(`/${slug}/decisions/dec-aaaa`)
    assert.strictEqual(status, 200)
    assert.include(text, "run-aaaa implements the plan")
    assert.include(text, "PAY-1 moves to In progress")
    assert.include(text, "run-aaaa stops")
    assert.include(text, "<h3>Why</h3>")
  })

  it.each(["dec-aaaa", "dec-bbbb"])("%s is text, whatever it holds", async (key) => {
    for (const path of [`/${slug}/decisions/${key}`, `/${slug}/decisions`]) {
      const { text } = await member.get(path)
      assert.notInclude(text, script)
      assert.notMatch(text, /href="javascript:|<img/)
    }
    const { text } = await member.get(`/${slug}/decisions/dec-aaaa`)
    assert.include(text, '<a href="https://evil.test/p.png" rel="noopener nofollow">p</a>')
    assert.include(text, '<a href="https://a.test" rel="noopener nofollow">ok</a>')
  })

  it.each(["dec-zzzz", "nonsense", "dec-aaaa%00", "dec-aaaa/x"])("%s is not there", async (key) => {
    assert.strictEqual((await member.get(`/${slug}/decisions/${key}`)).status, 404)
  })

  it("one press answers, is recorded as made in the app, and the page says what happened", async () => {
    await fresh()
    const path = `/${slug}/decisions/dec-aaaa`
    const request = requestOf((await member.get(path)).text)
    const form = { option: "yes", note: `Go on.\r\n${script}`, request }
    const first = await member.post(path, form)
    assert.deepStrictEqual([first.status, first.headers["location"]], [303, path])
    assert.strictEqual((await member.post(path, form)).status, 303, "the same press again changes nothing")
    const { text } = await member.get(path)
    assert.include(text, "You answered")
    assert.include(text, "PAY-1 moves to In progress")
    assert.include(text, "Go on.\n&lt;script>")
    const audit = await site.run(
      Effect.flatMap(People.person(slug), ({ workspace }) =>
        Effect.flatMap(AuditLog, (log) =>
          log.page(workspace, { ...Seed.anyEntry, event: "decision_resolved" }, { limit: 9, before: null })
        )
      )
    )
    const [entry, ...more] = JSON.parse(audit.items) as ReadonlyArray<{ readonly details: Record<string, unknown> }>
    assert.lengthOf(more, 0)
    assert.strictEqual(entry?.details["channel"], "app")
  })

  it("of two members of one name, only the one who answered reads that it was them", async () => {
    await fresh()
    const path = `/${slug}/decisions/dec-aaaa`
    const name = "Mika Member"
    const email = "twin@acme.test" as Email
    await site.run(Members.add(bySystem, { workspace: slug, email, name, role: "member" }))
    await member.post(path, { option: "yes", note: "" })
    const twin = browser(site.url, `gatehouse=${await site.run(sessionOf(slug, email))}`)
    assert.include((await twin.get(path)).text, "Mika Member answered")
    assert.notInclude((await twin.get(path)).text, "You answered")
    assert.include((await member.get(path)).text, "You answered")
  })

  it("a lost race says who was faster, how, and what they chose, and keeps the note", async () => {
    await fresh()
    const path = `/${slug}/decisions/dec-aaaa`
    const request = requestOf((await owner.get(path)).text)
    await answerBy("dec-aaaa", "no", "Too large.")
    const { status, text } = await owner.post(path, { option: "yes", note: "Fine by me.", request })
    assert.strictEqual(status, 409)
    for (const words of [
      "Mika Member was faster",
      "in Slack",
      "Too large.",
      "Fine by me.",
      "you pressed this",
      "chosen by Mika"
    ])
      assert.include(text, words)
    assert.include((await owner.get(path)).text, "Mika Member answered")
  })

  it.each([
    ["dec-dddd", "Nobody answered in time"],
    ["dec-eeee", "This decision was withdrawn"]
  ])("%s uses the same region", async (key, words) => {
    const path = `/${slug}/decisions/${key}`
    assert.include((await owner.get(path)).text, words)
    const late = await owner.post(path, { option: "yes", note: "late" })
    assert.strictEqual(late.status, 409)
    assert.include(late.text, words)
  })

  it("a wrong form is shown again with what was typed", async () => {
    await fresh()
    const path = `/${slug}/decisions/dec-bbbb`
    const long = await owner.post(path, { option: "yes", note: "n".repeat(4001) })
    assert.strictEqual(long.status, 400)
    assert.include(long.text, "Shorten the note to 4,000 characters; it has 4,001.")
    assert.include(long.text, "n".repeat(4001))
    const none = await owner.post(path, { note: "kept" })
    assert.deepStrictEqual([none.status, none.text.includes("Press one of the options")], [400, true])
    assert.include(none.text, ">kept</textarea>")
    const longer = await owner.post(path, { option: "yes", note: "ж".repeat(70_000) })
    assert.deepStrictEqual([longer.status, longer.text.includes("it has 70,000.")], [400, true])
    assert.strictEqual((await owner.post(path, { note: "n".repeat(1_100_000) })).status, 413)
    const request = requestOf((await owner.get(path)).text)
    assert.strictEqual((await owner.post(path, { option: "yes", note: "Done", request })).status, 303)
    const other = await owner.post(`/${slug}/decisions/dec-cccc`, { option: "yes", note: "kept note", request })
    assert.strictEqual(other.status, 409)
    for (const words of [">kept note</textarea>", "Press one of the options again."]) assert.include(other.text, words)
    await fresh()
  })

  it("a member is shown that it takes an owner, and a forged answer is refused and recorded", async () => {
    const path = `/${slug}/decisions/dec-cccc`
    const { text } = await member.get(path)
    assert.include(text, "This takes an owner")
    assert.notInclude(text, 'name="option"')
    const forged = await member.post(path, { option: "yes" })
    assert.strictEqual(forged.status, 403)
    const audit = await site.run(
      Effect.flatMap(People.person(slug), ({ workspace }) =>
        Effect.flatMap(AuditLog, (log) =>
          log.page(workspace, { ...Seed.anyEntry, event: "access_denied" }, { limit: 9, before: null })
        )
      )
    )
    assert.include(audit.items, "decision answer")
  })

  it("names news since the page was made, and what was answered meanwhile", async () => {
    await fresh()
    const { text } = await owner.get(`/${slug}/decisions`)
    const news = (/hx-get="([^"]*decisions\/news[^"]*)"/.exec(text)?.[1] ?? "").replaceAll("&amp;", "&")
    const quiet = await owner.get(news, { "hx-request": "true" })
    assert.notInclude(quiet.text, "new decision")
    await answerBy("dec-bbbb", "yes")
    const { text: after } = await owner.get(news, { "hx-request": "true" })
    assert.match(after, /id="end-dec-bbbb" hx-swap-oob="true"><span class="badge ok">/)
    assert.notInclude(after, "<main")
  })
})
