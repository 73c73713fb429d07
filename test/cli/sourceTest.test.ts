import { ConfigProvider, Context, Effect, Redacted } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { signalAddress } from "../../adapters/cli/SignalAddress.ts"
import { Posting } from "../../adapters/PostSignal.ts"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import * as Intake from "../../application/oncall/Intake.ts"
import { PostingKind } from "../../domain/oncall/SignalSource.ts"
import * as Equipment from "../support/Equipment.ts"
import { eventually } from "../support/Process.ts"
import { turns } from "../support/Share.ts"
import { unixNow } from "../support/Source.ts"
import { type Acme, asAdmin, asMember, open, payments } from "./Acme.ts"
import { long } from "../support/Long.ts"

let at: Acme
let urls: Array<string>
beforeEach(async () => {
  at = await open()
  urls = []
  at.outside(Context.make(Posting, service) as Context.Context<never>)
  await at.json("service", "create", ...asAdmin, ...payments, "--name", "checkout")
})
afterEach(() => at.close())

/** The service at the address: its intake, then its triage. */
const service: Posting["Type"] = (url, { body, headers }) =>
  Effect.tryPromise({
    try: async () => {
      urls.push(url)
      const { pathname, searchParams } = new URL(url)
      const key = searchParams.get("key")
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      const post = {
        headers: lower,
        key: key === null ? null : Redacted.make(key),
        body: new TextEncoder().encode(body)
      }
      const accepted = Effect.flatMap(Intake.find(pathname.split("/").at(-1) ?? ""), (found) =>
        Intake.accept(found, post)
      )
      const text = JSON.stringify(
        await at.run(Effect.provide(Effect.tap(accepted, TriageWorker.drain()), Equipment.layer) as never)
      )
      return { status: 202, text }
    },
    catch: String
  })

const create = (kind: string, ...more: ReadonlyArray<string>) =>
  at.json("source", "create", ...asAdmin, "--name", "tool", "--kind", kind, "--services", "checkout", ...more)

const test = ["source", "test", ...asAdmin, "--name", "TOOL"]

describe("a test of a source", () => {
  it.each(
    turns(
      PostingKind.literals.filter((kind) => kind !== "cloudwatch"),
      3
    )
  )("of the kind %s opens nothing", async (kind) => {
    const { url } = await create(kind)
    const { results, ...rest } = await at.json(...test)
    assert.deepStrictEqual(rest, { source: "tool", kind, url })
    assert.deepStrictEqual(
      results.map(({ sent, status }: Record<string, string>) => [sent, status]),
      [
        ["firing", "done"],
        ["resolved", "done"]
      ]
    )
    assert.strictEqual(results[0].verdicts[0].verdict, "test")
    assert.deepStrictEqual(await at.json("incident", "list", ...asMember), [])
    assert.isTrue(urls.every((sent) => sent.startsWith(url)))
  })

  it("is told to people with what came of it", async () => {
    await create("generic", "--timestamp-required")
    const lines = (await at.said(...test)).split("\n")
    assert.match(lines[0] ?? "", /^tool accepts signed posts at http:\/\/127\.0\.0\.1:3000\/signals\/\w{32}$/)
    assert.match(lines[1] ?? "", /^firing {2}[0-9a-f-]{36} {2}done$/)
    assert.match(lines[2] ?? "", /^ {10}test {2}It is a test message of the tool\.$/)
  })

  long(() => {
    it("may be repeated, and leaves no alert but its own", async () => {
      await create("generic")
      const verdicts = ({ results }: { results: ReadonlyArray<{ verdicts: ReadonlyArray<{ verdict: string }> }> }) =>
        results.map(({ verdicts }) => verdicts[0]?.verdict)
      assert.deepStrictEqual(verdicts(await at.json(...test)), ["test", "recovered"])
      const second = unixNow()
      await eventually(
        () => "the second after the next",
        () => unixNow() > second + 1 || undefined
      )
      assert.deepStrictEqual(verdicts(await at.json(...test)), ["test", "recovered"])
      const alerts = await at.json("alert", "list", ...asMember)
      assert.isNotEmpty(alerts)
      for (const { fingerprint } of alerts) assert.match(fingerprint, /^test /)
    })
  })

  it("says why it was not accepted, and what to check", async () => {
    await create("generic")
    const answering = (answer: ReturnType<Posting["Type"]>) =>
      at.outside(Context.make(Posting, () => answer) as Context.Context<never>)
    answering(Effect.fail("ECONNREFUSED"))
    const away = await at.refused(...test)
    assert.strictEqual(away.code, "test_not_accepted")
    assert.match(away.message, /: ECONNREFUSED\. Is the service running, and is PUBLIC_URL or SIGNAL_WEBHOOK_URL/)
    answering(Effect.succeed({ status: 401, text: '{"error":{"code":"invalid_proof","message":"Not proven."}}' }))
    assert.match((await at.refused(...test)).message, /: status 401\. Not proven\.$/)
    answering(Effect.succeed({ status: 502, text: "<html>" }))
    assert.match((await at.refused(...test)).message, /: status 502\. Is the service running/)
  })

  it("is not possible where no post can be signed here", async () => {
    await create("cloudwatch")
    const refused = await at.refused(...test)
    assert.strictEqual(refused.code, "source_cannot_be_tested")
    assert.include(refused.message, "CloudWatch alone can sign its posts; have it send a test itself")
    const site = ["--name", "site", "--kind", "uptime", "--services", "checkout", "--url", "https://shop.example.com"]
    await at.json("source", "create", ...asAdmin, ...site)
    const uptime = await at.refused("source", "test", ...asAdmin, "--name", "site")
    assert.strictEqual(uptime.code, "source_takes_no_posts")
  })
})

it.each([
  [{}, "http://127.0.0.1:3000/signals"],
  [{ HOST: "0.0.0.0", PORT: "80" }, "http://127.0.0.1:80/signals"],
  [{ HOST: "::", PORT: "80" }, "http://[::1]:80/signals"],
  [{ HOST: "10.0.0.7", PORT: "8080" }, "http://10.0.0.7:8080/signals"],
  [{ PUBLIC_URL: "https://acme.test/gatehouse/" }, "https://acme.test/gatehouse/signals"],
  [{ PUBLIC_URL: "https://acme.test", SIGNAL_WEBHOOK_URL: "https://in.acme.test/s/" }, "https://in.acme.test/s"]
])("with the settings %j tools post to %s", async (settings, address) => {
  const config = ConfigProvider.fromMap(new Map(Object.entries(settings)))
  assert.strictEqual(await Effect.runPromise(Effect.withConfigProvider(signalAddress, config)), address)
})
