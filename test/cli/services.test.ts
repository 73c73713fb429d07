import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { type Acme, asAdmin, asMember, asOwner, open, payments } from "./Acme.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
})
afterEach(() => at.close())

const uuid = /^[0-9a-f-]{36}$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const checkout = ["--name", "checkout"]
const create = () => at.json("service", "create", ...asAdmin, ...payments, ...checkout)
const set = (settings: unknown) => {
  const json = typeof settings === "string" ? settings : JSON.stringify(settings)
  return ["service", "set", ...asAdmin, ...checkout, "--settings", json]
}

const cautious = {
  observeOnly: false,
  startFixes: false,
  acknowledgeInSource: false,
  minimumSeverity: "high",
  hours: "always",
  notify: [],
  places: null
}
const nights = { days: ["mon", "fri"], start: "22:00", end: "06:00", timeZone: "Europe/Berlin" }

describe("a service", () => {
  it("is created with the cautious settings, shown and listed, to every member", async () => {
    const made = await create()
    const { createdAt, id } = made
    assert.deepStrictEqual(made, {
      id,
      name: "checkout",
      team: "payments",
      settings: cautious,
      createdAt,
      updatedAt: null,
      warnings: made.warnings
    })
    assert.match(id, uuid)
    assert.match(createdAt, instant)
    const said = await at.said("service", "create", ...asOwner, ...payments, "--name", "Basket")
    assert.match(said, /^Created the service Basket of the team payments\./)
    assert.deepStrictEqual(await at.json("service", "show", ...asMember, "--name", "Checkout"), made)
    const listed = await at.json("service", "list", ...asMember)
    assert.deepStrictEqual(
      listed.map(({ name }: { name: string }) => name),
      ["Basket", "checkout"]
    )
    assert.deepStrictEqual(listed[1], made)
  })

  it("is refused a name that is taken, in any case, also by one that was deleted", async () => {
    await create()
    const again = await at.refused("service", "create", ...asAdmin, ...payments, "--name", "CHECKOUT")
    assert.deepStrictEqual([again.code, again.message.includes("'CHECKOUT'")], ["service_name_taken", true])
    await at.json("service", "delete", ...asAdmin, ...checkout, "--confirm", "checkout")
    assert.strictEqual((await at.refused("service", "create", ...asAdmin, ...payments, ...checkout)).code, again.code)
    assert.deepStrictEqual(await at.json("service", "list", ...asMember), [])
    assert.strictEqual((await at.refused("service", "show", ...asMember, ...checkout)).code, "service_unknown")
  })

  it("is deleted by whoever repeats its name", async () => {
    await create()
    const typo = await at.refused("service", "delete", ...asAdmin, ...checkout, "--confirm", "chekout")
    assert.deepStrictEqual([typo.code, typo.message.includes("got 'chekout'")], ["not_confirmed", true])
    const deleted = await at.json("service", "delete", ...asAdmin, "--name", "Checkout", "--confirm", "checkout")
    assert.deepStrictEqual(deleted, { name: "checkout", deleted: true })
  })

  it("says in words what it is, and when there is none", async () => {
    assert.strictEqual(await at.said("service", "list", ...asMember), "No services.")
    await create()
    assert.strictEqual(await at.said("service", "list", ...asMember), "checkout  payments  from high  always")
    at.pipe("https://chat.example.com/hook")
    await at.json("team", "place", "add", ...asAdmin, ...payments, "--name", "chat", "--url-stdin")
    const settings = { observeOnly: true, hours: nights, notify: ["owner@acme.test"], places: ["chat"] }
    const page = await at.said(...set(settings))
    assert.strictEqual(
      page,
      [
        "checkout of the team payments",
        "  Observe only             on",
        "  Start fixes on its own   off",
        "  Acknowledge in source    off",
        "  Opens incidents from     high",
        "  On-call hours            mon, fri 22:00 to 06:00 Europe/Berlin",
        "  Notified                 owner@acme.test",
        "  Incidents are posted to  chat"
      ].join("\n")
    )
    assert.strictEqual(await at.said("service", "show", ...asMember, ...checkout), page)
    assert.strictEqual(
      await at.said("service", "list", ...asMember),
      "checkout  payments  from high  mon, fri 22:00 to 06:00 Europe/Berlin  observe only"
    )
    const all = await at.said(...set({ places: null, notify: [] }))
    assert.include(all, "Notified                 nobody\n  Incidents are posted to  every place of the team")
    assert.strictEqual((await at.audit()).at(-1).event, "service_changed")
  })
})

describe("a service whose incidents wake nobody", () => {
  it("is warned about when it is created, set and shown, until a place or a mailed member is named", async () => {
    const [warning] = (await create()).warnings
    assert.include(warning, "notify names no member and no place is chosen")
    const said = await at.said(...set({ acknowledgeInSource: true }))
    assert.include(said, `\nWarning: ${warning}\nWarning: acknowledgeInSource acknowledges nothing until`)
    const basket = await at.said("service", "create", ...asOwner, ...payments, "--name", "Basket")
    assert.include(basket, "\nWarning: Nobody is woken by incidents of Basket")
    assert.strictEqual((await at.json("service", "show", ...asMember, ...checkout)).warnings.length, 2)
    const mailed = await at.json(...set({ notify: ["owner@acme.test"] }))
    assert.include(mailed.warnings[0], "SMTP_URL is not set for this command")
    at.pipe("https://chat.example.com/hook")
    await at.json("team", "place", "add", ...asAdmin, ...payments, "--name", "chat", "--url-stdin")
    assert.deepStrictEqual((await at.json("service", "show", ...asMember, ...checkout)).warnings, [])
    assert.notInclude(await at.said(...set({ startFixes: true })), "Warning")
  })
})

describe("its settings", () => {
  it("show the zone as it was typed, and each day once in the order of the week", async () => {
    await create()
    const typed = { ...nights, days: ["fri", "mon", "mon"], timeZone: "CET" }
    const { settings } = await at.json(...set({ hours: typed }))
    assert.deepStrictEqual(settings.hours, { ...nights, timeZone: "CET" })
    assert.include(await at.said(...set({ hours: { ...typed, timeZone: "Asia/Kathmandu" } })), "06:00 Asia/Kathmandu")
    assert.deepStrictEqual((await at.audit()).at(-1).details.after.hours, { ...nights, timeZone: "Asia/Kathmandu" })
  })

  it("change where they are told to, and stay otherwise", async () => {
    await create()
    const first = await at.json(...set({ minimumSeverity: "low", hours: nights }))
    assert.deepStrictEqual(first.settings, { ...cautious, minimumSeverity: "low", hours: nights })
    assert.match(first.updatedAt, instant)
    const second = await at.json(...set({ acknowledgeInSource: true, startFixes: true, hours: "always" }))
    assert.deepStrictEqual(second.settings, {
      ...cautious,
      minimumSeverity: "low",
      acknowledgeInSource: true,
      startFixes: true
    })
    const { details, event } = (await at.audit()).at(-1)
    assert.deepStrictEqual([event, details.after.startFixes], ["service_changed", true])
    assert.notProperty(details.after, "minimumSeverity")
  })

  const list = "observeOnly, startFixes, acknowledgeInSource, minimumSeverity, hours, notify, places"
  const days = "a list of one or more of mon, tue, wed, thu, fri, sat, sun"

  it.each([
    ["{", `it must be JSON, such as '{"minimumSeverity":"high"}'; got '{'`],
    ["[]", `it must be an object with any of ${list}; got []`],
    ["null", `it must be an object with any of ${list}; got null`],
    [{}, `there is nothing to change; name any of ${list}`],
    [{ severity: "high" }, `there is no setting 'severity'; the settings are ${list}`],
    [{ observeOnly: "yes" }, 'observeOnly must be true or false; got "yes"'],
    [{ startFixes: 1 }, "startFixes must be true or false; got 1"],
    [{ acknowledgeInSource: null }, "acknowledgeInSource must be true or false; got null"],
    [{ minimumSeverity: "urgent" }, 'minimumSeverity must be one of critical, high, medium, low, info; got "urgent"'],
    [{ hours: "nights" }, 'hours must be "always", or an object with days, start, end, timeZone; got "nights"'],
    [{ hours: { ...nights, days: [] } }, `hours.days must be ${days}; got nothing`],
    [{ hours: { ...nights, days: ["mon", "Friday"] } }, `hours.days must be ${days}; got "Friday"`],
    [{ hours: { ...nights, start: "25:00" } }, 'hours.start must be a time of day such as 22:00; got "25:00"'],
    [{ hours: { ...nights, end: "6" } }, 'hours.end must be a time of day such as 22:00; got "6"'],
    [
      { hours: { ...nights, timeZone: "Berlin" } },
      'hours.timeZone must be an IANA time zone such as Europe/Berlin; got "Berlin"'
    ],
    [{ hours: { start: "22:00" } }, `hours.days must be ${days}; got nothing`],
    [
      { hours: { ...nights, zone: "UTC" } },
      `there is no setting 'hours.zone'; hours must be "always", or an object with days, start, end, timeZone`
    ],
    [{ notify: "owner@acme.test" }, `notify must be a list of members' e-mail addresses; got "owner@acme.test"`],
    [{ notify: ["owner"] }, `notify must be a list of members' e-mail addresses; got "owner"`],
    [{ places: "chat" }, `places must be a list of names of the team's places, or null for all of them; got "chat"`]
  ])("are not changed by %j", async (settings, problem) => {
    await create()
    const refusal = await at.refused(...set(settings))
    assert.deepStrictEqual(refusal, { code: "invalid_usage", message: `--settings: ${problem}` })
    const { settings: kept, updatedAt } = await at.json("service", "show", ...asMember, ...checkout)
    assert.deepStrictEqual([kept, updatedAt], [cautious, null])
  })

  it.each([
    [{ notify: ["who@acme.test"] }, "notify: 'who@acme.test' is no member of this workspace"],
    [{ places: ["attic"] }, "places: the team 'payments' has no place 'attic'"]
  ])("name whom and what there is: not %j", async (settings, part) => {
    await create()
    const { code, message } = await at.refused(...set(settings))
    assert.deepStrictEqual([code, message.startsWith(part)], ["invalid_settings", true])
    assert.include(message, "The settings are unchanged.")
  })
})
