import { assert, describe, it } from "vitest"
import { visitors } from "./Visitors.ts"

const linkIn = (text: string) => /http\S+/.exec(text)?.[0] ?? ""

describe("incidents", () => {
  const { stage, visit } = visitors()

  it("the link in the mail leads a person who is signed out on a phone to the incident, which they take and resolve", async () => {
    const send = await stage().source("grafana", ["payments-api"])
    const title = "Card payments fail with 502"
    await send({ title, fingerprint: "502", severity: "critical", service: "payments-api", environment: "production" })
    const { text } = await stage().mailed("admin@demo.test", /Card payments fail/)
    const { key } = await stage().incident(title)

    const page = await visit({ width: 390 })
    await page.goto(linkIn(text))
    await page.getByLabel("Your e-mail address").fill("admin@demo.test")
    await page.getByRole("button", { name: "Mail me a sign-in link" }).tap()
    await page.getByRole("heading", { name: "Look into your mail" }).waitFor()
    const signIn = await stage().mailed("admin@demo.test", /^Sign in to Gatehouse$/)
    await page.goto(linkIn(signIn.text))
    await page.getByRole("button", { name: "Sign in" }).tap()
    await page.waitForURL(`**/demo/incidents/${key}`)

    await page.getByRole("button", { name: "Acknowledge" }).tap()
    await page.getByText("Ada Admin looks after it").first().waitFor()
    await page.getByLabel("Note").fill("Rolling #347 back")
    await page.getByRole("button", { name: "Add the note" }).tap()
    await page.locator(".tl", { hasText: "Rolling #347 back" }).waitFor()
    await page.getByRole("link", { name: "Resolve" }).tap()
    await page.getByRole("button", { name: "Resolve it" }).tap()
    await page.getByText("Resolved").first().waitFor()
    assert.strictEqual(await page.getByRole("link", { name: "Resolve", exact: true }).count(), 0)
    assert.strictEqual((await stage().incident(title)).status, "resolved")
  })

  it("an open page shows a new alert and who took the incident without a reload, and a typed note stays", async () => {
    const send = await stage().source("uptime", ["event-bus"])
    const about = { service: "event-bus", environment: "production", severity: "high" }
    await send({ ...about, title: "Consumers lag", fingerprint: "lag" })
    const { key } = await stage().incident("Consumers lag")
    const [page, other] = await Promise.all([visit({ as: "owner@demo.test" }), visit({ as: "admin@demo.test" })])
    await Promise.all([page, other].map((one) => one.goto(`/demo/incidents/${key}`)))
    await page.locator("[data-live-words]", { hasText: /^Live/ }).waitFor()
    await page.getByLabel("Note").fill("half a sen")
    await other.getByRole("button", { name: "Acknowledge" }).click()
    await page.getByText("Ada Admin looks after it").first().waitFor()
    await send({ ...about, title: "A broker is gone", fingerprint: "broker" })
    await page.locator(".tl", { hasText: "A broker is gone" }).waitFor()
    assert.strictEqual(await page.getByLabel("Note").inputValue(), "half a sen")
  })

  it("without script an incident is acknowledged, noted and resolved", async () => {
    const send = await stage().source("probe", ["payments-api"])
    await send({ title: "Ledger is down", fingerprint: "down", severity: "critical", environment: "staging" })
    const { key } = await stage().incident("Ledger is down")
    const page = await visit({ as: "member@demo.test", script: false })
    await page.goto(`/demo/incidents/${key}`)
    await page.getByRole("button", { name: "Acknowledge" }).click()
    await page.getByText("Mika Member looks after it").first().waitFor()
    await page.getByLabel("Note").fill("Restarted it")
    await page.getByRole("button", { name: "Add the note" }).click()
    await page.locator(".tl", { hasText: "Restarted it" }).waitFor()
    await page.getByRole("link", { name: "Resolve" }).click()
    await page.getByRole("button", { name: "Resolve it" }).click()
    await page.waitForURL(`**/demo/incidents/${key}`)
    await page.locator(".badge", { hasText: "Resolved" }).first().waitFor()
  })
})
