import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { stepsOf } from "../../adapters/http/web/oncall/SetupSteps.tsx"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { PostingKind } from "../../domain/oncall/SignalSource.ts"
import { versionOf } from "../../domain/value/ChangedMeanwhile.ts"
import { format } from "../../domain/value/Timestamp.ts"
import { signed } from "../support/Source.ts"
import { ask } from "../support/World.ts"
import { alert, type Desk, desk, entries, hostile, incidents, markup, tell } from "./OnCallDesk.ts"
import { type Browser, open, type Site } from "./Visiting.ts"

describe("the pages of sources", () => {
  let site: Site
  let at: Desk
  let [admin, member]: Array<Browser> = []
  beforeAll(async () => {
    site = await open()
    at = await site.run(desk)
    admin = await site.as(at.slug, "admin")
    member = await site.as(at.slug, "member")
  })
  afterAll(() => site?.close())

  const as = (browser: Browser | undefined): Browser => browser ?? assert.fail("nobody is signed in")
  const recorded = () => site.run(entries(at.id, 1))
  const list = () => `/${at.slug}/sources`
  const sourceOf = async (name: string) => {
    const { sources } = await site.run(Effect.flatMap(OnCallStore, (store) => store.look(at.id)))
    return sources.find((one) => one.name === name) ?? assert.fail(`no source ${name}`)
  }
  const path = async (name: string) => `${list()}/${(await sourceOf(name)).id}`
  const triage = () => site.run(TriageWorker.drain())
  const secretIn = (text: string) =>
    /aria-label="Secret"[^>]*>|value="([A-Za-z0-9]{32})" aria-label="Secret"/.exec(text)?.[1] ?? ""
  const send = async (name: string, secret: string, body: object) => {
    const text = JSON.stringify(body)
    const headers = { "content-type": "application/json", ...signed(secret, text) }
    return ask(site.url, `/signals/${(await sourceOf(name)).token}`, { method: "POST", body: text, headers })
  }

  let secret = ""

  it("an admin adds a source, sees its secret once, and a signed alert is in its ledger", async () => {
    assert.include((await as(admin).get(`${list()}/new`)).text, "Which tool sends the alerts?")
    assert.include((await as(admin).get(`${list()}/new?kind=grafana`)).text, "Add a source: Grafana")
    const made = await as(admin).post(`${list()}/new`, { kind: "generic", name: "tool", services: "checkout" })
    assert.strictEqual(made.status, 200)
    assert.deepStrictEqual(await recorded(), ["signal_source_changed success app"])
    assert.include(made.text, `${site.url}/signals/${(await sourceOf("tool")).token}`)
    assert.include(made.text, "Shown only now.")
    secret = secretIn(made.text)
    assert.lengthOf(secret, 32)
    assert.notInclude((await as(admin).get(await path("tool"))).text, secret)
    const body = { title: "Checkout is slow", fingerprint: "slow", severity: "high", service: "checkout" }
    assert.strictEqual((await send("tool", secret, body)).status, 202)
    assert.include((await as(member).get(await path("tool"))).text, "It is judged in a moment.")
    await triage()
    const { text } = await as(member).get(await path("tool"))
    for (const words of ["Checkout is slow", "Opened", "Receiving", "1 alert in 24 hours.", "/incidents/inc-"])
      assert.include(text, words)
    assert.notInclude(text, 'method="post"')
    assert.include((await as(member).get(list())).text, "Receiving")
  })

  it("a refused post is shown with its reason", async () => {
    assert.strictEqual((await send("tool", "wrong", { title: "x" })).status, 401)
    const { text } = await as(admin).get(await path("tool"))
    assert.include(text, "401 invalid proof")
    assert.include(text, "1 post refused")
  })

  it("a test alert and its recovery arrive with the source's proof, and open nothing", async () => {
    const sent = await as(admin).post(`${await path("tool")}/test`, {})
    assert.deepStrictEqual([sent.status, sent.headers["location"]], [303, `${await path("tool")}#ledger`])
    await triage()
    const { text } = await as(admin).get(await path("tool"))
    for (const verdict of ["Test", "Recovered"]) assert.include(text, `</svg>${verdict}</span>`)
    assert.strictEqual((await site.run(incidents(at.id))).length, 1)
  })

  it("a delivery is judged again by what is set up now", async () => {
    const { text } = await as(admin).get(await path("tool"))
    const deliveries = [...text.matchAll(/name="delivery" value="([0-9a-f-]+)"/g)].map(([, id]) => id ?? "")
    const delivery = deliveries.at(-1) ?? ""
    assert.strictEqual((await as(member).post(`${await path("tool")}/replay`, { delivery })).status, 403)
    assert.strictEqual((await as(admin).post(`${await path("tool")}/replay`, { delivery })).status, 303)
    assert.deepStrictEqual(await recorded(), ["signal_source_changed success app"])
    assert.strictEqual((await as(admin).post(`${await path("tool")}/replay`, { delivery })).status, 409)
    assert.strictEqual((await as(admin).post(`${await path("tool")}/replay`, { delivery: "none" })).status, 409)
    await triage()
  })

  it("a rotated secret is shown once, and both pass for a day", async () => {
    assert.include((await as(admin).get(`${await path("tool")}/rotate`)).text, "The old one passes for 24 more hours")
    const rotated = await as(admin).post(`${await path("tool")}/rotate`, {})
    const fresh = secretIn(rotated.text)
    assert.lengthOf(fresh, 32)
    assert.notStrictEqual(fresh, secret)
    for (const one of [secret, fresh])
      assert.strictEqual((await send("tool", one, { title: one, status: "resolved" })).status, 202)
  })

  it("a paused source says so, and is resumed", async () => {
    assert.strictEqual((await as(admin).post(`${await path("tool")}/pause`, {})).status, 303)
    assert.include((await as(member).get(await path("tool"))).text, "Paused")
    assert.strictEqual((await as(admin).post(`${await path("tool")}/pause`, {})).status, 409)
    assert.strictEqual((await as(admin).post(`${await path("tool")}/resume`, {})).status, 303)
  })

  it("its services, its need for signed times and its words for severities are set", async () => {
    const set = async (fields: Record<string, string>) =>
      as(admin).post(await path("tool"), { updatedAt: format(versionOf(await sourceOf("tool"))), ...fields })
    const old = format(versionOf(await sourceOf("tool")))
    const saved = await set({
      services: "checkout",
      timestamp: "on",
      word: "page",
      severity: "critical"
    })
    assert.strictEqual(saved.status, 303)
    const { isTimestampRequired, severities } = await sourceOf("tool")
    assert.deepStrictEqual([isTimestampRequired, severities], [true, { page: "critical" }])
    assert.include((await as(admin).get(await path("tool"))).text, "<code>page</code>")
    const late = await set({ updatedAt: old, word: "sev9", severity: "low" })
    assert.strictEqual(late.status, 409)
    for (const words of ["has changed since you opened this form", "page is critical", 'value="sev9"'])
      assert.include(late.text, words)
    for (const [wrong, status, words] of [
      [{ word: "x".repeat(61), severity: "low" }, 400, "x".repeat(61)],
      [{ word: "sev9", severity: "worst" }, 400, "The severity of sev9 is ‘worst’."],
      [{ services: "nope", word: "sev9", severity: "low" }, 409, "There is no service nope."],
      [{ updatedAt: "soon", word: "sev9", severity: "low" }, 400, "The field updatedAt must hold"]
    ] as const) {
      const refused = await set(wrong)
      assert.strictEqual(refused.status, status, words)
      assert.include(refused.text, words)
      assert.include(refused.text, `value="${wrong.word}"`)
    }
    assert.deepStrictEqual((await sourceOf("tool")).severities, { page: "critical" })
    await set({ services: "checkout", word: "page", severity: "" })
    assert.deepStrictEqual((await sourceOf("tool")).severities, {})
  })

  it("a tool that makes its own secret hands it over here", async () => {
    const made = await as(admin).post(`${list()}/new`, { kind: "pagerduty", name: "pager", services: "checkout" })
    assert.include(made.text, "Secret that PagerDuty shows")
    assert.strictEqual(secretIn(made.text), "")
    assert.strictEqual((await as(admin).post(`${await path("pager")}/secret`, { secret: "" })).status, 400)
    assert.strictEqual((await as(member).post(`${await path("pager")}/secret`, { secret: "" })).status, 403)
    assert.strictEqual((await as(admin).post(`${await path("pager")}/secret`, { secret: "sh0wn" })).status, 303)
    assert.notInclude((await as(admin).get(await path("pager"))).text, "sh0wn")
  })

  it("only CloudWatch itself can send its test", async () => {
    await as(admin).post(`${list()}/new`, { kind: "cloudwatch", name: "aws", services: "checkout" })
    const { status, text } = await as(admin).post(`${await path("aws")}/test`, {})
    assert.strictEqual(status, 409)
    assert.include(text, "alone can sign its posts")
  })

  it("a new source without a tool or with a service that is not there says so", async () => {
    const toolless = await as(admin).post(`${list()}/new`, { name: "x" })
    assert.strictEqual(toolless.status, 400)
    assert.include(toolless.text, "Choose one of the tools first.")
    const lost = await as(admin).post(`${list()}/new`, { kind: "generic", name: "typed-name", services: "nope" })
    assert.strictEqual(lost.status, 409)
    for (const words of ["There is no service nope.", 'value="typed-name"']) assert.include(lost.text, words)
  })

  it("an address is checked in place of a tool", async () => {
    const wrong = await as(admin).post(`${list()}/new`, { kind: "uptime", name: "site", url: "ftp://x" })
    assert.strictEqual(wrong.status, 400)
    const sent = {
      kind: "uptime",
      name: "site",
      url: "https://shop.example.com/health?key=s3cret",
      services: "checkout"
    }
    assert.strictEqual((await as(admin).post(`${list()}/new`, sent)).status, 200)
    const { text } = await as(member).get(await path("site"))
    assert.include(text, "https://shop.example.com/health?…")
    assert.notInclude(text, "s3cret")
    assert.notInclude(text, "Send a test alert")
  })

  it("a member's forged requests are refused and recorded", async () => {
    const one = await path("tool")
    for (const [to, sent] of [
      [`${list()}/new`, { kind: "generic", name: "evil" }],
      [`${list()}/new`, {}],
      [one, { services: "checkout" }],
      [one, { word: "x".repeat(61) }],
      [`${one}/test`, {}],
      [`${one}/pause`, {}],
      [`${one}/resume`, {}],
      [`${one}/rotate`, {}],
      [`${one}/secret`, { secret: "mine" }],
      [`${one}/delete`, { confirm: "tool" }]
    ] as const) {
      const { status, text } = await as(member).post(to, sent)
      assert.strictEqual(status, 403, to)
      assert.include(text, "You may not do this")
      assert.deepStrictEqual(await recorded(), ["access_denied denied app"])
    }
    for (const page of [`${list()}/new`, `${one}/rotate`, `${one}/delete`])
      assert.include((await as(member).get(page)).text, "takes an admin")
  })

  it("a source is deleted after its name was typed", async () => {
    const one = await path("site")
    for (const confirm of ["no", "Site"])
      assert.strictEqual((await as(admin).post(`${one}/delete`, { confirm })).status, 400)
    assert.strictEqual((await as(admin).post(`${one}/delete`, { confirm: "site" })).status, 303)
    assert.strictEqual((await as(admin).get(one)).status, 404)
  })

  it("forms of other sites are refused, and markup stays text", async () => {
    const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" }
    assert.strictEqual((await as(admin).post(`${await path("tool")}/rotate`, {}, foreign)).status, 403)
    await site.run(tell(at, alert(hostile, { title: hostile, description: hostile })))
    const name = hostile.slice(0, 200)
    const made = await as(admin).post(`${list()}/new`, { kind: "generic", name, services: "checkout" })
    for (const text of [
      made.text,
      (await as(admin).get(list())).text,
      (await as(admin).get(await path(name))).text,
      (await as(admin).get(`${list()}/${at.source.id}`)).text
    ])
      assert.deepStrictEqual(markup(text), [])
  })

  it.each(PostingKind.literals)("the steps of %s are shown", async (kind) => {
    const made = await as(admin).post(`${list()}/new`, { kind, name: `steps-${kind}`, services: "checkout" })
    assert.strictEqual(made.status, 200)
    assert.include(made.text, '<ol class="setup">')
    assert.include(made.text, (await sourceOf(`steps-${kind}`)).token)
  })
})

describe("steps", () => {
  it("group text to paste below the line it belongs to", () => {
    assert.deepStrictEqual(
      stepsOf(["Open it:", "  URL: x", "  Secret: y", "Save.", "", "a:", "  b: 1", "", "Reload."]),
      [
        { text: "Open it:", code: ["URL: x", "Secret: y"] },
        { text: "Save.", code: ["a:", "  b: 1"] },
        { text: "Reload.", code: [] }
      ]
    )
  })
})
