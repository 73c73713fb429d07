import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Preferences from "../../application/oncall/Preferences.ts"
import { alert, type Desk, desk, incidents, tell } from "./OnCallDesk.ts"
import { type Browser, open, type Site } from "./Visiting.ts"

describe("the inbox", () => {
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

  const idsIn = (text: string) => [...text.matchAll(/id="notification-([0-9a-f-]{36})"/g)].map(([, id]) => id ?? "")
  const unreadIn = (text: string) => text.match(/notifications\/[0-9a-f-]{36}\/read"/g)?.length ?? 0

  it("it is empty at first, and says when that changes", async () => {
    const { text } = await owner.get(`/${at.slug}/notifications`)
    assert.include(text, "Nothing here yet")
    assert.include(text, 'aria-label="Notifications"')
  })

  it("notices are read one by one or all at once, by their member alone", async () => {
    const path = `/${at.slug}/notifications`
    await site.run(tell(at, alert("one"), alert("two"), alert("three")))
    const before = (await owner.get(path)).text
    const [first = "", ...others] = idsIn(before)
    assert.strictEqual(others.length, 2)
    assert.strictEqual(unreadIn(before), 3)
    assert.include(before, 'aria-label="Notifications, 3 unread"')
    const [newest] = await site.run(incidents(at.id))
    assert.include(before, `href="/${at.slug}/incidents/${newest?.key}"`)
    assert.strictEqual((await member.post(`${path}/${first}/read`, {})).status, 303)
    assert.strictEqual(unreadIn((await owner.get(path)).text), 3)
    assert.strictEqual((await owner.post(`${path}/nothing/read`, {})).status, 404)
    const { headers, status } = await owner.post(`${path}/${first}/read`, { from: "https://evil.test" })
    assert.deepStrictEqual([status, headers["location"]], [303, path])
    assert.strictEqual(unreadIn((await owner.get(path)).text), 2)
    assert.strictEqual((await owner.post(`${path}/read`, {})).status, 303)
    const after = (await owner.get(path)).text
    assert.strictEqual(unreadIn(after), 0)
    assert.include(after, 'aria-label="Notifications"')
    assert.strictEqual(unreadIn((await member.get(path)).text), 3)
    assert.strictEqual((await owner.get(`${path}/read`)).status, 405)
  })

  it("times are shown as the reader's, here and in the list of incidents", async () => {
    const stamp = "2026-11-10T08:20:00Z"
    await site.run(tell(at, alert("timed", { title: `Down since ${stamp}` })))
    for (const page of ["notifications", "incidents"]) {
      const { text } = await member.get(`/${at.slug}/${page}`)
      assert.notMatch(text, /Down since 2026-11-10T08/)
      assert.match(text, /Down since <time dateTime="2026-11-10T08:20:00.000Z"/i)
    }
    assert.strictEqual((await owner.post(`/${at.slug}/notifications/read`, {})).status, 303)
  })

  it("older ones are on the next page", async () => {
    const path = `/${at.slug}/notifications`
    await site.run(tell(at, ...Array.from({ length: 50 }, (_, index) => alert(`many-${index}`))))
    const first = (await member.get(path)).text
    const next = /href="([^"]*cursor=[^"]*)"/.exec(first)?.[1] ?? ""
    const second = (await member.get(next)).text
    assert.deepStrictEqual([idsIn(first).length, idsIn(second).length], [50, 4])
    assert.strictEqual(new Set([...idsIn(first), ...idsIn(second)]).size, 54)
  })

  it("mails are turned off and on by kind", async () => {
    const path = `/${at.slug}/notifications`
    const kinds = () => site.run(Preferences.get(at.owner))
    assert.deepStrictEqual(await kinds(), { incident_opened: true, incident_resolved: true, token_expires: true })
    assert.strictEqual((await owner.post(`${path}/mail`, { kinds: "incident_opened" })).status, 303)
    assert.deepStrictEqual(await kinds(), { incident_opened: true, incident_resolved: false, token_expires: false })
    const { text } = await owner.get(path)
    assert.match(text, /value="incident_opened" checked/)
    assert.notMatch(text, /value="token_expires" checked/)
    await owner.post(`${path}/mail`, {})
    assert.isFalse((await kinds()).incident_opened)
  })
})
