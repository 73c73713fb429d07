import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Services from "../../application/oncall/Services.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Members from "../../application/workspace/Members.ts"
import { versionOf } from "../../domain/value/ChangedMeanwhile.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import { format } from "../../domain/value/Timestamp.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { type Desk, desk, entries, hostile, markup } from "./OnCallDesk.ts"
import { type Browser, open, type Site } from "./Visiting.ts"

describe("the pages of services and places", () => {
  let site: Site
  let at: Desk
  let [owner, admin, member]: Array<Browser> = []
  beforeAll(async () => {
    site = await open()
    at = await site.run(desk)
    owner = await site.as(at.slug)
    admin = await site.as(at.slug, "admin")
    member = await site.as(at.slug, "member")
  })
  afterAll(() => site?.close())

  const as = (browser: Browser | undefined): Browser => browser ?? assert.fail("nobody is signed in")
  const recorded = () => site.run(entries(at.id, 1))
  const look = () => site.run(Effect.flatMap(OnCallStore, (store) => store.look(at.id)))
  const serviceOf = async (name: string) =>
    (await look()).services.find((one) => one.name === name && one.deletedAt === null) ?? assert.fail(`no ${name}`)
  const path = async (name = "checkout") => `/${at.slug}/services/${(await serviceOf(name)).id}`
  const form = async (more: Record<string, string> = {}) => ({
    updatedAt: format(versionOf(await serviceOf("checkout"))),
    hours: "some",
    days: "fri",
    start: "2200",
    end: "6",
    timeZone: "Europe/Berlin",
    minimumSeverity: "low",
    notify: "owner@acme.test",
    places: "every",
    ...more
  })

  it("every member reads the list and the settings, and a member is offered no form", async () => {
    const list = await as(member).get(`/${at.slug}/services`)
    assert.strictEqual(list.status, 200)
    assert.include(list.text, await path())
    assert.notInclude(list.text, "Add the service")
    const { status, text } = await as(member).get(await path())
    assert.strictEqual(status, 200)
    for (const words of ["On-call hours", "Always on.", "Observe only", "Changing it takes an admin."])
      assert.include(text, words)
    assert.notInclude(text, 'method="post"')
    assert.strictEqual((await as(member).get(`/${at.slug}/services/nope`)).status, 404)
    assert.strictEqual((await as(member).get(`/${at.slug}/services/${at.source.id}`)).status, 404)
  })

  it("an admin sets an overnight window, which is drawn with its next change", async () => {
    const saved = await as(admin).post(await path(), await form({ observeOnly: "on", startFixes: "on" }))
    assert.deepStrictEqual([saved.status, saved.headers["location"]], [303, await path()])
    assert.deepStrictEqual(await recorded(), ["service_changed success app"])
    const { settings } = await serviceOf("checkout")
    assert.deepStrictEqual(settings.hours, { days: ["fri"], start: "22:00", end: "06:00", timeZone: "Europe/Berlin" })
    assert.deepStrictEqual(
      [settings.minimumSeverity, settings.observeOnly, settings.startFixes, settings.acknowledgeInSource],
      ["low", true, true, false]
    )
    assert.strictEqual(settings.notify.join(), "owner@acme.test")
    const { text } = await as(admin).get(await path())
    assert.include(text, 'aria-label="Fri: from 22:00"><rect class="wk-on" x="1320" width="120"')
    assert.include(text, 'aria-label="Sat: until 06:00"><rect class="wk-on" x="0" width="360"')
    assert.include(text, "22:00 to Sat 06:00")
    assert.match(text, /(Off|On) until /)
    assert.include(text, "Next change: ")
  })

  it("hours that are not saved yet are drawn, and wrong ones say why", async () => {
    const query = new URLSearchParams({ hours: "some", days: "mon", start: "09:00", end: "17:00", timeZone: "UTC" })
    const drawn = await as(member).get(`${await path()}/hours?${query.toString()}`, { "hx-request": "true" })
    assert.strictEqual(drawn.status, 200)
    assert.match(drawn.text, /^<div class="stack"><figure/)
    assert.include(drawn.text, 'aria-label="Mon: from 09:00 to 17:00"')
    query.set("start", "nine")
    const wrong = await as(member).get(`${await path()}/hours?${query.toString()}`)
    assert.include(wrong.text, "Enter a time of day such as 22:00.")
    assert.deepStrictEqual((await serviceOf("checkout")).settings.hours, {
      days: ["fri"],
      start: "22:00",
      end: "06:00",
      timeZone: "Europe/Berlin"
    })
  })

  it.each([
    [{ start: "25:00" }, "Enter a time of day"],
    [{ end: "" }, "Enter a time of day"],
    [{ days: "someday" }, "Choose at least one day."],
    [{ timeZone: "Berlin/Nowhere" }, "Choose a time zone"],
    [{ minimumSeverity: "awful" }, "Choose one of the severities."],
    [{ hours: "sometimes" }, "Choose “Always”, or days and times."],
    [{ places: "some" }, "Choose at least one place"],
    [{ places: "some", place: "nowhere" }, "The team has no place nowhere."],
    [{ places: "all" }, "Choose one of these."],
    [{ updatedAt: "" }, "The field updatedAt must hold"],
    [{ notify: "stranger@acme.test" }, "is no member of this workspace"]
  ])("a form with %o is refused, and keeps the rest", async (wrong, problem) => {
    const { status, text } = await as(admin).post(await path(), await form({ end: "07:07", ...wrong }))
    assert.strictEqual(status, 400)
    assert.include(text, problem)
    if (!("end" in wrong)) assert.include(text, 'value="07:07"')
    assert.strictEqual((await serviceOf("checkout")).settings.minimumSeverity, "low")
  })

  it("a form that is out of date reverts nothing, shows the present settings, and keeps what was chosen", async () => {
    const old = await form({ minimumSeverity: "low" })
    assert.strictEqual((await as(owner).post(await path(), await form({ minimumSeverity: "high" }))).status, 303)
    const late = await as(admin).post(await path(), { ...old, end: "07:07" })
    assert.strictEqual(late.status, 409)
    assert.include(late.text, "checkout has changed since you opened this form")
    assert.include(late.text, 'value="07:07"')
    assert.strictEqual((await serviceOf("checkout")).settings.minimumSeverity, "high")
    const [, updatedAt = ""] = /name="updatedAt" value="([^"]+)"/.exec(late.text) ?? []
    assert.strictEqual((await as(admin).post(await path(), { ...old, updatedAt })).status, 303)
  })

  it("a service whose only notified member left notifies nobody, and says so", async () => {
    await as(admin).post(`/${at.slug}/services`, { name: "lonely", team: "payments" })
    const email = "gone@acme.test" as Email
    const person = await site.run(People.person(at.slug))
    await site.run(Members.add(person, { workspace: at.slug, email, name: "Gone", role: "member" }))
    await site.run(Services.set(person, "lonely", { notify: [email] }))
    assert.notInclude((await as(admin).get(await path("lonely"))).text, "Nobody is notified")
    await site.run(Members.remove(person, { workspace: at.slug, email }))
    const { text } = await as(admin).get(await path("lonely"))
    assert.include(text, "Nobody is notified of its incidents.")
    assert.notInclude(text, `value="${email}"`)
    assert.match((await as(admin).get(`/${at.slug}/services`)).text, /lonely[\s\S]*Nobody/)
    const updatedAt = format(versionOf(await serviceOf("lonely")))
    const again = await as(admin).post(await path("lonely"), await form({ notify: email, updatedAt }))
    assert.strictEqual(again.status, 400)
    assert.include(again.text, `${email} is no member of this workspace, or left it.`)
  })

  it("a member's forged requests are refused and recorded", async () => {
    const one = await path()
    for (const [to, sent] of [
      [one, await form()],
      [one, await form({ start: "25:00" })],
      [`${one}/delete`, { confirm: "checkout" }],
      [`/${at.slug}/services`, { name: "evil", team: "payments" }],
      [`/${at.slug}/services`, { name: "", team: "" }],
      [`/${at.slug}/settings/places`, { team: "payments", name: "x", address: "https://chat.example.com/x" }],
      [`/${at.slug}/settings/places`, { team: "", name: "", address: "" }]
    ] as const) {
      const { status, text } = await as(member).post(to, sent)
      assert.strictEqual(status, 403, to)
      assert.include(text, "You may not do this")
      assert.deepStrictEqual(await recorded(), ["access_denied denied app"])
    }
  })

  it("a service is added once under a name, and deleted after its name was typed", async () => {
    const list = `/${at.slug}/services`
    assert.strictEqual((await as(admin).post(list, { name: "ledger", team: "payments" })).status, 303)
    const again = await as(admin).post(list, { name: "Ledger", team: "payments" })
    assert.strictEqual(again.status, 409)
    assert.include(again.text, "Choose another name")
    assert.strictEqual((await as(admin).post(list, { name: "a\nb", team: "payments" })).status, 400)
    for (const to of [list, `/${at.slug}/settings/places`]) {
      const sent = { name: "typed-name", team: "nobody", address: "https://chat.example.com/x" }
      const lost = await as(admin).post(to, sent)
      assert.strictEqual(lost.status, 400)
      for (const words of ["There is no team nobody.", 'value="typed-name"']) assert.include(lost.text, words)
    }
    const one = await path("ledger")
    assert.include((await as(member).get(`${one}/delete`)).text, "Deleting a service takes an admin.")
    assert.strictEqual((await as(admin).post(`${one}/delete`, { confirm: "no" })).status, 400)
    assert.strictEqual((await as(admin).post(`${one}/delete`, { confirm: "ledger" })).status, 303)
    assert.strictEqual((await as(admin).get(one)).status, 404)
  })

  it("a place is added without its address being shown, chosen by a service, and removed", async () => {
    const places = `/${at.slug}/settings/places`
    const address = "https://chat.example.com/hooks/T0P5ECRET"
    const sent = { team: "payments", name: "#on call/1", address }
    assert.strictEqual((await as(admin).post(places, { ...sent, address: "no address" })).status, 400)
    assert.strictEqual((await as(admin).post(places, sent)).status, 303)
    assert.deepStrictEqual(await recorded(), ["service_changed success app"])
    assert.strictEqual((await as(admin).post(places, sent)).status, 409)
    const list = (await as(owner).get(places)).text
    assert.include(list, "#on call/1")
    assert.notInclude(list, "T0P5ECRET")
    await as(admin).post(await path(), await form({ places: "some", place: "#on call/1" }))
    assert.deepStrictEqual((await serviceOf("checkout")).settings.places, ["#on call/1"])
    await as(admin).post(await path(), await form({ places: "none" }))
    assert.deepStrictEqual((await serviceOf("checkout")).settings.places, [])
    const removal = `${places}/payments/${encodeURIComponent("#on call/1")}/remove`
    assert.include((await as(member).get(removal)).text, "Removing a place takes an admin.")
    assert.strictEqual((await as(member).post(removal, {})).status, 403)
    assert.strictEqual((await as(admin).post(removal, {})).status, 303)
    assert.strictEqual((await as(admin).get(removal)).status, 404)
  })

  it("forms of other sites are refused, and markup stays text", async () => {
    const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" }
    assert.strictEqual((await as(admin).post(await path(), await form(), foreign)).status, 403)
    const name = hostile.slice(0, 200)
    await site.run(Seed.load(at.slug, { services: [{ team: "payments", name }] }))
    for (const page of [`/${at.slug}/services`, await path(name), `${await path(name)}/delete`]) {
      const { status, text } = await as(admin).get(page)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(markup(text), [])
    }
    const typed = await as(admin).post(await path(), await form({ start: hostile, timeZone: hostile }))
    assert.deepStrictEqual(markup(typed.text), [])
  })
})
