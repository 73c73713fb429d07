import { Schema } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { differences } from "../../adapters/http/web/policy/PolicyWords.ts"
import { presets, type Settings } from "../../domain/workspace/Policy.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { TeamView } from "../../domain/workspace/Team.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import { Effect } from "effect"
import * as Seed from "../support/Seed.ts"
import { entries, hostile, markup } from "./OnCallDesk.ts"
import { type Browser, open, type Site } from "./Visiting.ts"

const form = {
  version: "1",
  preset: "standard",
  executor: "claude-code",
  maxConcurrency: "3",
  runCents: "5.00",
  dayCents: "100.00",
  monthCents: "1000.00",
  planApproval: "large_stories",
  mergePolicy: "small_changes",
  mergeMaxLines: "200",
  gateFailureBudget: "2",
  decisionHours: "72",
  acceptanceSpecRequired: "on",
  deniedPaths: ".kanman/acceptance/**"
}

describe("the pages of policies", () => {
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
  const path = (team = "payments") => `/${slug}/settings/policy/${team}`
  const recorded = () => site.run(entries(id, 1))
  const teams = () =>
    site.run(
      Effect.map(
        Effect.flatMap(TeamStore, (store) => store.list(id)),
        (json) => Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(TeamView)))(json)
      )
    )
  const policyOf = async (team: string) => (await teams()).find((one) => one.slug === team)?.policy ?? null

  it("every member reads all of it, and a member is offered nothing", async () => {
    const { status, text } = await as(member).get(path())
    assert.strictEqual(status, 200)
    for (const words of ["Policy of Payments", "Runs at the same time", "1000.00 €", ".kanman/acceptance/**", "72 h"])
      assert.include(text, words)
    assert.include(text, "Changing it takes an admin.")
    assert.notInclude(text, `action="${path()}"`)
    assert.notInclude(text, `${path()}/delete`)
    const list = await as(member).get(`/${slug}/settings/policy`)
    assert.include(list.text, `href="${path("web")}"`)
    assert.include((await as(member).get(path("web"))).text, "the rules of Guarded hold")
    assert.strictEqual((await as(member).get(path("nope"))).status, 404)
    assert.strictEqual((await as(member).get(path("NO%20SLUG"))).status, 404)
  })

  it("a member's forged change and deletion are refused and recorded", async () => {
    for (const [at, sent] of [
      [path(), { ...form, maxConcurrency: "9" }],
      [path(), { ...form, maxConcurrency: "9", step: "save" }],
      [path(), {}],
      [`${path()}/delete`, { confirm: "payments" }]
    ] as const) {
      const { status, text } = await as(member).post(at, sent)
      assert.strictEqual(status, 403)
      assert.include(text, "You may not do this")
      assert.deepStrictEqual(await recorded(), ["access_denied denied app"])
    }
    assert.strictEqual((await policyOf("payments"))?.version, 1)
  })

  it("an admin sees the difference and what follows, and then saves it", async () => {
    const sent = { ...form, maxConcurrency: "5", runCents: "7,50", dayCents: "", planApproval: "never" }
    const preview = await as(admin).post(path(), sent)
    assert.strictEqual(preview.status, 200)
    for (const words of [
      "Change the policy of Payments?",
      "<del>3</del>",
      "<ins>5</ins>",
      "Ready stories start at once, until 5 runs work.",
      "A new run may cost 7.50 € before a person is asked.",
      "Runs start however much was spent in the day.",
      "No plan waits for a person.",
      "Save the policy"
    ])
      assert.include(preview.text, words)
    assert.strictEqual((await policyOf("payments"))?.version, 1)
    const hidden = [...preview.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
    const confirmed = Object.fromEntries(hidden.map(([, name, value]) => [name, value]))
    const saved = await as(admin).post(path(), confirmed)
    assert.deepStrictEqual([saved.status, saved.headers["location"]], [303, path()])
    assert.deepStrictEqual(await recorded(), ["policy_changed success app"])
    const policy = await policyOf("payments")
    assert.deepStrictEqual(
      [policy?.version, policy?.maxConcurrency, policy?.budgets.runCents, policy?.budgets.dayCents, policy?.custom],
      [2, 5, 750, null, true]
    )
  })

  it("a change of what somebody else changed meanwhile is not saved, and the values are kept", async () => {
    const late = await as(admin).post(path(), { ...form, step: "save", maxConcurrency: "8" })
    assert.strictEqual(late.status, 409)
    assert.include(late.text, "Somebody changed this policy meanwhile")
    assert.match(late.text, /name="maxConcurrency"[^>]* value="8"|value="8"[^>]*name="maxConcurrency"/)
    assert.strictEqual((await policyOf("payments"))?.version, 2)
  })

  it("the same rules again are no change", async () => {
    const { text } = await as(admin).get(path())
    const version = /name="version" value="(\d+)"/.exec(text)?.[1] ?? ""
    const sent = { ...form, version, maxConcurrency: "5", runCents: "7.5", dayCents: "", planApproval: "never" }
    assert.include((await as(admin).post(path(), sent)).text, "There is nothing to save.")
  })

  it("a preset fills the form and saves nothing", async () => {
    const { text } = await as(admin).get(`${path()}?preset=trial`)
    assert.match(text, /<input type="radio" name="preset" value="trial" checked/)
    assert.include(text, 'name="preset" value="trial"')
    assert.include(text, 'value="2.00"')
    assert.strictEqual((await policyOf("payments"))?.preset, "standard")
  })

  it.each([
    [{ maxConcurrency: "many" }, "Enter a whole number, such as 3."],
    [{ runCents: "5 cents" }, "Enter an amount in euros"],
    [{ monthCents: "99999999" }, "Enter an amount in euros"],
    [{ decisionHours: "0" }, "Enter hours from 1 to 8760"],
    [{ executor: "" }, "Enter the coding agent"],
    [{ deniedPaths: "x".repeat(501) }, "one path a line"],
    [{ planApproval: "sometimes" }, "Choose which plans"],
    [{ mergePolicy: "often" }, "Choose which changes"],
    [{ acceptanceSpecRequired: "" }, "Only the preset Trial works without"],
    [{ preset: "wild" }, ""]
  ])("a form with %o is refused, and keeps the rest", async (wrong, problem) => {
    const { status, text } = await as(admin).post(path(), { ...form, mergeMaxLines: "321", ...wrong })
    assert.strictEqual(status, 400)
    assert.include(text, problem)
    assert.include(text, 'value="321"')
  })

  it("only the owner deletes a team, and types its name first", async () => {
    const at = `${path("web")}/delete`
    assert.include((await as(admin).get(at)).text, "takes an owner of the workspace")
    assert.strictEqual((await as(admin).post(at, { confirm: "web" })).status, 403)
    assert.deepStrictEqual(await recorded(), ["access_denied denied app"])
    assert.include((await as(owner).get(at)).text, "Type web to confirm")
    const wrong = await as(owner).post(at, { confirm: "payments" })
    assert.strictEqual(wrong.status, 400)
    assert.include(wrong.text, "Type web exactly. Nothing was deleted.")
    const gone = await as(owner).post(at, { confirm: "web" })
    assert.deepStrictEqual([gone.status, gone.headers["location"]], [303, `/${slug}/settings/policy`])
    assert.strictEqual((await as(owner).get(path("web"))).status, 404)
    assert.deepStrictEqual(
      (await teams()).map((team) => team.slug),
      ["payments"]
    )
  })

  it("forms of other sites are refused, and markup stays text", async () => {
    const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" }
    assert.strictEqual((await as(admin).post(path(), form, foreign)).status, 403)
    assert.strictEqual((await as(owner).post(`${path()}/delete`, { confirm: "payments" }, foreign)).status, 403)
    const sent = { ...form, version: "2", executor: hostile.slice(0, 100), deniedPaths: hostile }
    const { status, text } = await as(admin).post(path(), sent)
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(markup(text), [])
  })
})

const { standard } = presets
const cases: ReadonlyArray<readonly [change: Partial<Settings>, words: string]> = [
  [{ maxConcurrency: 0 }, "No story is started any more. Runs that work now go on."],
  [{ maxConcurrency: 2 }, "No story starts while 2 or more runs work. Runs that work now go on."],
  [{ planApproval: "always" }, "Every plan waits for a person."],
  [{ mergePolicy: "manual" }, "Every merge waits for a person."],
  [{ mergePolicy: "verified" }, "Every verified change is merged without asking."],
  [
    { mergeMaxLines: 50 },
    "Verified changes of up to 50 lines are merged without asking; larger ones wait for a person."
  ],
  [{ gateFailureBudget: 0 }, "A person is asked the first time that a gate fails in a run."],
  [{ gateFailureBudget: 1 }, "A gate may fail once in a run before a person is asked."],
  [{ decisionHours: 5 }, "New decisions expire after 5 h, and their runs end. Those that wait now keep their time."],
  [
    { deniedPaths: ["infra/**"] },
    "A run that changes infra/** asks a person first. Runs may change .kanman/acceptance/** without asking."
  ],
  [{ executor: "codex" }, "New runs use codex. Runs that work now keep their agent."]
]

describe("what follows from a policy", () => {
  it.each(cases)("%o", (change, words) => {
    assert.deepStrictEqual(
      differences(standard, { ...standard, ...change }).map(({ consequence }) => consequence),
      [words]
    )
  })
})
