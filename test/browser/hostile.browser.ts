import { Effect } from "effect"
import type { Page } from "playwright-core"
import { assert, beforeAll, describe, it } from "vitest"
import * as Incidents from "../../application/oncall/Incidents.ts"
import * as Import from "../../application/work/Import.ts"
import * as Members from "../../application/workspace/Members.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Pulls from "../codehost/Pulls.ts"
import { bindingIn, keysIn, onCallIn, resolveIncident, runnerIn, connectionIn } from "./Scene.ts"
import { pages, type Place } from "./Table.ts"
import { visitors } from "./Visitors.ts"

const slug = "hostile" as WorkspaceSlug
const owner = "owner@hostile.test"
const member = "member@hostile.test"

/** Texts that become a script, a request or a focus when a page takes them as markup. */
const lines = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(2)>`,
  `'><svg onload=alert(3)>`,
  `</title><script>alert(4)</script>`,
  `<input autofocus onfocus=alert(5)>`,
  `<details open ontoggle=alert(6)>`,
  `<iframe srcdoc="<script>alert(7)</script>"></iframe>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(8)&gt;">`,
  `<noscript><p title="</noscript><img src=x onerror=alert(9)>">`,
  `<form><button formaction=javascript:alert(10)>x</button></form>`,
  `<div hx-get="/sign-out" hx-trigger="load" data-hx-get="http://evil.example/" hx-on:load="alert(11)">x</div>`,
  `<base href=http://evil.example/><link rel=stylesheet href=http://evil.example/a.css>`,
  `<meta http-equiv=refresh content="0;url=http://evil.example/">`,
  `\${alert(12)}{{constructor.constructor('alert(13)')()}}`
]
const hostile = lines.join(" ")
const short = `"><img src=x onerror=alert(2)><script>alert(1)</script>`

const addresses = [
  "javascript:alert(20)",
  "JaVaScRiPt:alert(21)",
  "java\tscript:alert(22)",
  "&#106;avascript:alert(23)",
  "%6Aavascript:alert(24)",
  "data:text/html,<script>alert(25)</script>",
  "data:image/svg+xml,<svg onload=alert(26)>",
  "vbscript:msgbox(27)",
  "//evil.example/x",
  "\\\\evil.example\\x"
]

const markdown = [
  ...lines,
  ...addresses.map((address) => `[a link](${address}) [another](<${address}>) ![a picture](${address})`),
  ...addresses.map((address, index) => `<${address}>\n\n[named ${index}]\n\n[named ${index}]: ${address} "title"`),
  "![tracked](http://evil.example/pixel.png)",
  "```html\n<script>alert(30)</script>\n```",
  "`<img src=x onerror=alert(31)>`",
  `[a](http://example.com/"onmouseover="alert(32))`,
  `| a |\n|---|\n| <svg onload=alert(33)> |`
].join("\n\n")

const option = (id: string, action: string) => ({ id, label: `${id} ${short}`, action })
const options = [option("approve", "approve_plan"), option("reject", "reject")]

const gate = (url: string) => ({ name: hostile.slice(0, 200), status: "failed", summary: hostile.slice(0, 300), url })

const content = {
  description: markdown,
  acceptanceCriteria: [{ text: hostile.slice(0, 400) }],
  demonstrate: [short],
  testPlan: markdown
}

const given = {
  teams: [{ slug: "red", name: hostile.slice(0, 200), keyPrefix: "RED", description: hostile }],
  services: [{ team: "red", name: "shop", settings: { notify: [owner, member] } }],
  stories: [
    { key: "RED-1", team: "red", title: hostile.slice(0, 400), ...content, column: { role: "in_progress" } },
    { key: "RED-2", team: "red", title: hostile.slice(0, 400), ...content, draft: true, column: { role: "refining" } },
    {
      key: "RED-3",
      team: "red",
      title: hostile.slice(0, 400),
      ...content,
      tracker: { platform: "github", key: short, url: "https://example.com/?a=%22onclick=alert(41)" }
    }
  ],
  runs: [
    {
      key: "run-aaaa",
      story: "RED-1",
      attemptList: [{ status: "waiting", stage: "planning", startedAt: "2026-11-01T10:00:00Z" }],
      pullRequest: { url: "https://example.com/1", number: 1 },
      evidence: {
        gates: [gate("https://example.com/?a=%22onclick=alert(40)")],
        demonstrate: [{ text: hostile.slice(0, 400), status: "passed", url: "https://example.com/" }]
      }
    },
    { key: "run-bbbb", story: "RED-3", attemptList: [{ status: "failed", stage: "verifying", error: hostile }] }
  ],
  decisions: [
    { key: "dec-aaaa", run: "run-aaaa", title: hostile.slice(0, 500), body: markdown },
    { key: "dec-bbbb", team: "red", title: `Owner ${hostile}`.slice(0, 500), body: markdown, authority: "owner" },
    { key: "dec-cccc", team: "red", title: `Old ${hostile}`.slice(0, 500), body: markdown, status: "expired" },
    { key: "dec-dddd", team: "red", title: `Ask ${hostile}`.slice(0, 500), body: markdown }
  ].map((one) => ({ ...one, kind: "plan_approval", recommendation: "approve", options }))
}

/** Elements and attributes of a page that no page has, unless a text became markup. */
const strange = (page: Page) =>
  page.evaluate(() => {
    const ours = new URL(document.baseURI).origin
    const found = Array.from(
      document.querySelectorAll("main img, iframe, object, embed, base, main style, math, main link, main script")
    )
      .map(({ outerHTML }) => outerHTML)
      .concat(document.querySelectorAll("script").length > 2 ? ["more scripts than ours"] : [])
    for (const element of Array.from(document.querySelectorAll("*")))
      for (const { name, value } of Array.from(element.attributes)) {
        if (name.startsWith("on") || name.startsWith("hx-on")) found.push(`${name}=${value}`)
        if (["href", "src", "action", "formaction", "hx-get", "hx-post"].includes(name)) {
          const { origin, protocol } = new URL(value, document.baseURI)
          const isLink = element.tagName === "A" && name === "href" && ["http:", "https:", "mailto:"].includes(protocol)
          // The form that has GitHub create an App.
          const isManifest =
            element.tagName === "FORM" &&
            value.startsWith("https://github.com/organizations/acme/settings/apps/new?state=v1.")
          if (!isLink && !isManifest && origin !== ours) found.push(`${element.tagName} ${name}=${value}`)
        }
      }
    return found
  })

describe("texts of strangers", () => {
  const { stage, visit } = visitors()
  let at: Place
  let send: Awaited<ReturnType<ReturnType<typeof stage>["source"]>>

  const alert = (title: string) => ({
    title,
    fingerprint: title,
    severity: "critical",
    service: "shop",
    environment: short,
    description: markdown,
    labels: { [short]: hostile.slice(0, 200), href: "javascript:alert(50)" },
    links: addresses.map((url) => ({ label: short, url }))
  })

  beforeAll(async () => {
    const { incident, link, person, run, source } = stage()
    await run(
      Effect.gen(function* () {
        const named = { email: owner as Email, name: hostile.slice(0, 200) }
        yield* Workspaces.create(bySystem, { slug, name: hostile.slice(0, 200), owner: named })
        const invited = { workspace: slug, email: member as Email, name: short, role: "member" } as const
        yield* Members.add(bySystem, invited)
        yield* Import.load(bySystem, slug, given)
        const { workspace } = yield* person(owner, slug)
        yield* Pulls.open(workspace, { team: "red" as TeamSlug, title: hostile.slice(0, 500) })
        const token = { workspace: slug, member: owner, name: short, permissions: ["read"], lifetime: "30d" } as const
        yield* Tokens.create(bySystem, token)
      })
    )
    send = await source("tool", ["shop"], owner, slug)
    await send({ ...alert(`Over ${short}`), environment: "old" })
    const over = await incident(`Over ${short}`, slug, owner)
    await resolveIncident(stage(), over.key, owner, slug)
    await send(alert(`Open ${short}`))
    const open = await incident(`Open ${short}`, slug, owner)
    await run(
      Effect.flatMap(person(member, slug), (by) => Incidents.note(by, open.key as IncidentKey, markdown.slice(0, 3900)))
    )
    const connection = await run(connectionIn(slug, owner, "C<script>alert(1)</script>"))
    await run(bindingIn(slug, owner, "red", connection, "acme/<script>alert(1)</script>"))
    at = {
      workspace: slug,
      pending: "dec-aaaa",
      restricted: "dec-bbbb",
      answered: "dec-dddd",
      expired: "dec-cccc",
      open: open.key,
      resolved: over.key,
      link: await link(owner, slug),
      connection,
      runner: await run(runnerIn(slug, owner, "R<script>alert(1)</script>")),
      story: "RED-1",
      tracked: "RED-3",
      draft: "RED-2",
      run: "run-aaaa",
      overRun: "run-bbbb",
      ...(await onCallIn(stage(), slug, owner, "red", "tool")),
      ...(await keysIn(stage(), slug, owner, member))
    }
  })

  it("stay text in what a person types, and in what is swapped into an open page", async () => {
    const page = await visit({ as: owner, workspace: slug })
    const other = await visit({ as: member, workspace: slug })
    for (const one of [page, other]) await one.goto(`/${slug}/decisions/dec-dddd`)
    await page.locator("[data-live-words]", { hasText: /^Live/ }).waitFor()
    await page.getByLabel("Note, if you like").fill(hostile)
    await other.getByLabel("Note, if you like").fill(markdown.slice(0, 3900))
    await other.locator("[data-option='1']").click()
    await page.locator("[data-unsent]", { hasText: "<script>alert(1)</script>" }).waitFor()
    for (const one of [page, other]) assert.deepStrictEqual(await strange(one), [])

    await page.goto(`/${slug}/incidents/${at.open}`)
    await page.locator("[data-live-words]", { hasText: /^Live/ }).waitFor()
    await send(alert(`News ${short}`))
    await page.locator(".tl", { hasText: `News ${short}` }).waitFor()
    assert.deepStrictEqual(await strange(page), [])
  })

  it.each(Object.entries(pages))("stay text on the page: %s", async (_, row) => {
    const as = row.as === null ? {} : { as: row.as === "member" ? member : owner, workspace: slug }
    const page = await visit({ ...as, expected: /status of 40[34]/ })
    const response = await page.goto(row.path(at))
    assert.strictEqual(response?.status(), row.status ?? 200)
    assert.deepStrictEqual(await strange(page), [])
  })
})
