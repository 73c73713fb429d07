import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Incidents from "../../application/oncall/Incidents.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { recovers } from "../domain/oncall/TriageScene.ts"
import { alert, type Desk, desk, entries, hostile, incidents, markup, tell } from "./OnCallDesk.ts"
import { type Browser, open, type Site } from "./Visiting.ts"

describe("pages of incidents", () => {
  let site: Site
  let at: Desk
  let [owner, member]: [Browser, Browser] = [undefined as never, undefined as never]
  beforeAll(async () => {
    site = await open()
    at = await site.run(desk)
    owner = await site.as(at.slug)
    member = await site.as(at.slug, "member")
  })
  afterAll(() => site?.close())

  /** Opens an incident of its own; returns its key and its address. */
  const opened = async (name: string, said: Parameters<typeof alert>[1] = {}) => {
    await site.run(tell(at, alert(name, said)))
    const key = (await site.run(incidents(at.id))).find(
      ({ environment }) => environment === (said.environment ?? name)
    )?.key
    assert.isDefined(key)
    return { key: key as IncidentKey, path: `/${at.slug}/incidents/${key}` }
  }

  it("one incident shows its alerts with the reason of each, who was notified, and ways to act", async () => {
    const { key, path } = await opened("prod", { links: [{ label: "Board", url: "https://board.example.com/prod" }] })
    await site.run(tell(at, alert("slow", { environment: "prod", severity: "low", title: "Slow" })))
    await site.run(tell(at, recovers("slow", { environment: "prod", title: "Slow" })))
    const { status, text } = await member.get(path)
    assert.strictEqual(status, 200)
    const parts = [
      "<title>Open: prod is down · Gatehouse</title>",
      "Nobody looks after it yet",
      `action="${path}/acknowledge"`,
      "Opened this incident.",
      "its severity was high enough, and nothing was open for checkout in prod",
      '<a href="https://board.example.com/prod" rel="noopener nofollow">Board</a>',
      "Joined.",
      `${key} was open`,
      "Members are notified when an incident opens",
      "Stays open.",
      "1 alert still fired.",
      `action="${path}/note"`,
      "1 of 2 alerts",
      "Mika Member (you)",
      "Inbox, not read. Mail waits"
    ]
    const assertOrder = (expected: ReadonlyArray<string>) => {
      const places = expected.map((part) => text.indexOf(part))
      assert.deepStrictEqual(
        expected.filter((_, index) => places[index] === -1),
        []
      )
      assert.deepStrictEqual(
        places,
        places.toSorted((a, b) => a - b)
      )
    }
    assertOrder(parts)
    // The alert that joins may fire in the same millisecond as they are notified.
    assertOrder(["Opened this incident.", "Olga Owner and Mika Member were notified that it opened", "Stays open."])
    assert.include(text, `href="${path}/resolve" data-dialog="resolve"`)
  })

  it("it is acknowledged by a form, once, in the person's name", async () => {
    const { path } = await opened("ack")
    const { headers, status } = await member.post(`${path}/acknowledge`, {})
    assert.deepStrictEqual([status, headers["location"]], [303, path])
    assert.deepStrictEqual(await site.run(entries(at.id, 1)), ["incident_updated success app"])
    const after = (await owner.get(path)).text
    assert.match(after, /<b>Mika Member<\/b> looks after it, in the app/)
    assert.notInclude(after, "Nobody looks after it yet")
    const again = await owner.post(`${path}/acknowledge`, {})
    assert.strictEqual(again.status, 409)
    assert.include(again.text, "Mika Member was faster")
  })

  it("a note is kept as typed, and one that is missing or too long is refused with what was typed", async () => {
    const { path } = await opened("noted")
    const { headers, status } = await member.post(`${path}/note`, { note: "Disk full.\nCleaned <b>it</b>" })
    assert.deepStrictEqual([status, headers["location"]], [303, `${path}#time-line`])
    assert.deepStrictEqual(await site.run(entries(at.id, 1)), ["incident_updated success app"])
    assert.include((await owner.get(path)).text, '<p class="said">Disk full.\nCleaned &lt;b>it&lt;/b></p>')
    const once = crypto.randomUUID()
    const twice = async () => (await member.post(`${path}/note`, { once, note: "Sent twice" })).headers["location"]
    assert.deepStrictEqual([await twice(), await twice()], [`${path}#time-line`, `${path}#time-line`])
    assert.lengthOf([...(await member.get(path)).text.matchAll(/Sent twice/g)], 1)
    const empty = await member.post(`${path}/note`, { note: " " })
    assert.strictEqual(empty.status, 400)
    assert.match(empty.text, /aria-invalid="true"[^]*Write what you saw or did\./)
    const long = await member.post(`${path}/note`, { note: `Long ${"x".repeat(3996)}` })
    assert.strictEqual(long.status, 400)
    assert.include(long.text, "Shorten it to 4,000 characters; it has 4,001.")
    assert.include(long.text, `>Long ${"x".repeat(3996)}</textarea>`)
  })

  it("it is resolved after a question that names the effects, and only once", async () => {
    const { key, path } = await opened("over")
    const question = await member.get(`${path}/resolve`)
    assert.strictEqual(question.status, 200)
    assert.include(question.text, "1 firing alert ends here.")
    assert.include(question.text, `<form class="stack" method="post" action="${path}/resolve">`)
    assert.strictEqual((await member.post(`${path}/resolve`, {})).status, 303)
    assert.deepStrictEqual(await site.run(entries(at.id, 1)), ["incident_resolved success app"])
    const after = (await owner.get(path)).text
    assert.include(after, "<title>Resolved: over is down")
    assert.match(after, /<b>Mika Member<\/b> resolved it, in the app/)
    assert.notInclude(after, "data-dialog")
    assert.strictEqual((await member.post(`${path}/resolve`, {})).status, 409)
    assert.strictEqual((await member.post(`${path}/acknowledge`, {})).status, 409)
    assert.strictEqual((await member.get(`${path}/resolve`)).headers["location"], path)
    assert.strictEqual((await member.post(`${path}/note`, { note: "Afterwards" })).status, 303)
    assert.include((await owner.get(`/${at.slug}/incidents?status=resolved`)).text, `/incidents/${key}"`)
  })

  it("a missing incident, one of another workspace and a wrong method are refused", async () => {
    const elsewhere = await site.run(desk)
    await site.run(tell(elsewhere, alert("theirs")))
    const [theirs] = await site.run(incidents(elsewhere.id))
    for (const key of [theirs?.key ?? "", "inc-0000", "inc-zz", "run-aaaa", "%3Cscript%3E"]) {
      const path = `/${at.slug}/incidents/${key}`
      const answers = [
        await owner.get(path),
        await owner.get(`${path}/resolve`),
        await owner.post(`${path}/acknowledge`, {}),
        await owner.post(`${path}/resolve`, {}),
        await owner.post(`${path}/note`, { note: "Mine" })
      ]
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [404, 404, 404, 404, 404],
        key
      )
      for (const { text } of answers) assert.notInclude(text, "theirs is down")
    }
    assert.strictEqual((await owner.get(`/${elsewhere.slug}/incidents/${theirs?.key}`)).status, 404)
    const { path } = await opened("methods")
    const wrong = await owner.get(`${path}/acknowledge`)
    assert.deepStrictEqual([wrong.status, wrong.headers["allow"]], [405, "POST"])
    assert.strictEqual((await owner.post(path, {})).status, 405)
  })

  it("links in older messages lead to the page, by way of signing in", async () => {
    const { key, path } = await opened("old-link")
    const old = await site.stranger.get(`/incidents/${at.slug}/${key}`)
    assert.deepStrictEqual([old.status, old.headers["location"]], [303, path])
    const unknown = await site.stranger.get(path)
    assert.deepStrictEqual(
      [unknown.status, unknown.headers["location"]],
      [303, `/sign-in?${new URLSearchParams({ to: path }).toString()}`]
    )
  })

  it("text of tools and people stays text", async () => {
    const links = [{ label: hostile, url: "javascript:alert(1)" }]
    const { path } = await opened("xss", { title: hostile, description: hostile, environment: hostile, links })
    await site.run(Incidents.note(at.member, path.split("/").at(-1) as IncidentKey, hostile))
    for (const page of [path, `${path}/resolve`, `/${at.slug}/incidents`, `/${at.slug}/notifications`]) {
      const { status, text } = await owner.get(page)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(markup(text), [], page)
      assert.include(text, "&lt;script>alert(1)&lt;/script>")
      assert.notInclude(text, 'href="javascript:')
    }
  })

  it("the list shows open ones, and others by status and service, page by page", async () => {
    const crowd = await site.run(desk)
    await site.run(tell(crowd, ...Array.from({ length: 27 }, (_, index) => alert(`spot-${index}`))))
    const browser = await site.as(crowd.slug)
    const keysIn = (text: string) => [...new Set(text.match(/incidents\/inc-[0-9a-z]{4}(?=")/g))]
    const first = await browser.get(`/${crowd.slug}/incidents?service=checkout`)
    assert.strictEqual(keysIn(first.text).length, 25)
    const next = /href="([^"]*cursor=[^"]*)"/.exec(first.text)?.[1]?.replaceAll("&amp;", "&") ?? ""
    const second = await browser.get(next)
    assert.strictEqual(second.status, 200)
    assert.strictEqual(new Set([...keysIn(first.text), ...keysIn(second.text)]).size, 27)
    assert.strictEqual((await browser.get(next.replace("service=checkout", "service=search"))).status, 400)
    assert.include((await browser.get(`/${crowd.slug}/incidents?service=search`)).text, "No open incidents of search")
    assert.include((await browser.get(`/${crowd.slug}/incidents?status=resolved`)).text, "No incidents yet")
    assert.include((await browser.get(`/${crowd.slug}/incidents?status=%3Cb%3E`)).text, "spot-26 is down")
  })
})
