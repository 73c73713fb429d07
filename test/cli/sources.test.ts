import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { key } from "../../adapters/alerting/Proofs.ts"
import { tools } from "../../adapters/alerting/Tools.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import { PostingKind, SourceKind } from "../../domain/oncall/SignalSource.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { provenBy } from "../intake/Proving.ts"
import * as OnCall from "../support/OnCall.ts"
import { turns } from "../support/Share.ts"
import { type Acme, asAdmin, asMember, asOwner, open, payments } from "./Acme.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
  for (const name of ["checkout", "basket"]) await at.json("service", "create", ...asAdmin, ...payments, "--name", name)
})
afterEach(() => at.close())

const prom = ["--name", "prom"]
const connect = ["source", "create", ...asAdmin, ...prom]
const create = (kind: string, ...words: ReadonlyArray<string>) =>
  connect.concat("--kind", kind, "--services", "checkout", words)
const list = () => at.json("source", "list", ...asMember)

const passes = (secret: string) => at.run(OnCall.accepts("acme" as WorkspaceSlug, secret))

describe("a signal source", () => {
  it.each(turns(PostingKind.literals, 3))(
    "of the kind %s is created with its address, its secret and the tool's steps",
    async (kind) => {
      const made = await at.json(...create(kind))
      const { createdAt, id, secret = "none", url } = made
      assert.match(url, /^http:\/\/127\.0\.0\.1:3000\/signals\/[A-Za-z0-9]{32}$/)
      const makesItsOwn = ["pagerduty", "sentry"].includes(kind)
      if (makesItsOwn) assert.notProperty(made, "secret")
      else assert.match(secret, /^[A-Za-z0-9]{32}$/)
      const seen = {
        id,
        name: "prom",
        kind,
        url,
        services: ["checkout"],
        timestampRequired: false,
        credentials: false,
        trouble: null,
        paused: false,
        severities: {},
        connected: kind !== "cloudwatch",
        disconnectedAt: null,
        check: null,
        createdAt
      }
      assert.deepStrictEqual(made, { ...seen, ...(!makesItsOwn && { secret }), setup: made.setup })
      const toolSteps = tools[kind].setup({ url, secret })
      assert.deepStrictEqual(made.setup.slice(2, 2 + toolSteps.length), toolSteps)
      assert.deepStrictEqual(await list(), [{ ...seen, refusals: { count: 0, last: null, lastAt: null } }])
      assert.notInclude(JSON.stringify([await list(), await at.audit()]), secret)
      const isInAddress = ["cloudwatch", ...provenBy(key)].includes(kind)
      assert.strictEqual(made.setup.join("\n").includes(`${url}?key=${secret}`), isInAddress)

      const said = await at.said(...create(kind).with(7, "second"))
      assert.match(said, new RegExp(`^Created the signal source second \\(${kind}\\) for checkout\\.\nURL: http`))
      assert.strictEqual(said.includes("Secret, shown this once: "), !makesItsOwn)
      const command = "./gatehouse source secret --workspace acme --as admin@acme.test --name second --secret-stdin"
      assert.strictEqual(said.includes(command), makesItsOwn)
    }
  )

  it("is set up with a warning where the address is plain http, and ends with what pages and who is notified", async () => {
    const nobody = (await at.json(...create("grafana"))).setup.join("\n")
    assert.match(nobody, /^WARNING: the address is plain http/)
    assert.include(
      nobody,
      "Alerts of checkout open an incident from high on, at any hour. WARNING: nobody is notified."
    )
    assert.include(nobody, "./gatehouse service set --workspace acme --as admin@acme.test --name checkout --settings")
    assert.include(
      nobody,
      "./gatehouse source set --workspace acme --as admin@acme.test --name prom --severity page=critical"
    )
    const hours = '{"days":["mon"],"start":"22:00","end":"06:00","timeZone":"Europe/Berlin"}'
    const settings = `{"notify":["admin@acme.test"],"minimumSeverity":"medium","hours":${hours}}`
    await at.json("service", "set", ...asAdmin, "--name", "checkout", "--settings", settings)
    const told = (await at.json("source", "rotate", ...asAdmin, ...prom)).setup.join("\n")
    assert.include(
      told,
      "Alerts of checkout open an incident from medium on, mon from 22:00 to 06:00 (Europe/Berlin). Notified: admin@acme.test."
    )
    assert.notInclude(told, "nobody is notified")
  })

  it("has words of its own for severities, which are added, changed and forgotten", async () => {
    await at.json(...create("grafana"))
    const set = ["source", "set", ...asAdmin, ...prom]
    const { severities } = await at.json(...set, "--severity", "page=critical", "--severity", "Wake Up=high")
    assert.deepStrictEqual(severities, { page: "critical", wakeup: "high" })
    assert.include(
      await at.said(...set, "--severity", "page=low", "--severity", "wake-up="),
      "Its words for severities: page is low."
    )
    const shown = await at.said("source", "show", ...asMember, ...prom)
    assert.include(shown, "Its words for severities: page is low.")
    const shape =
      "--severity must be a word, '=' and one of critical, high, medium, low, info, or nothing after it to forget the word"
    for (const word of ["page", "page=urgent", "=high"]) {
      const { code, message } = await at.refused(...set, "--severity", word)
      assert.deepStrictEqual([code, message], ["invalid_usage", `${shape}; got '${word}'`])
    }
    const many = Array.from({ length: 50 }, (_, index) => ["--severity", `w${index}=low`]).flat()
    assert.strictEqual((await at.refused(...set, ...many)).code, "too_many_words")
  })

  it("shows its last good delivery and its last refusal, and lists what was refused with code and body", async () => {
    const { secret } = await at.json(...create("generic"))
    const show = ["source", "show", ...asMember, ...prom]
    const refusedOf = ["delivery", "list", ...asMember, "--source", "prom", "--refused"]
    const before = await at.said(...show)
    assert.include(before, "Last good delivery: none\nLast refusal: none")
    assert.strictEqual(await at.said(...refusedOf), "No deliveries.")
    await passes(secret)
    await passes("wrong")
    const { lastDelivery, lastRefusal, refused } = await at.json(...show)
    assert.strictEqual(refused, 1)
    assert.strictEqual(lastDelivery.status, "waiting")
    assert.include(lastRefusal, { status: 401, code: "invalid_proof" })
    const [one, ...others] = await at.json(...refusedOf)
    assert.deepStrictEqual(others, [])
    assert.include(one, { status: 401, code: "invalid_proof", body: '{"title":"Down"}' })
    assert.include(await at.said(...show), `Last refusal: ${lastRefusal.receivedAt}  401 invalid_proof`)
    assert.include(await at.said(...refusedOf), "401  invalid_proof\n")
    assert.lengthOf(await at.json("delivery", "list", ...asMember, "--source", "prom"), 1)
  })

  it("may be given its secret on standard input, several services, and be asked for signed times", async () => {
    at.pipe("whsec made by the tool \r\n")
    const words = ["--secret-stdin", "--timestamp-required"]
    const made = await at.json(...create("generic", ...words).with(-3, "basket, Checkout"))
    assert.strictEqual(made.secret, "whsec made by the tool")
    assert.deepStrictEqual([made.services, made.timestampRequired], [["basket", "checkout"], true])
    await at.json("source", "set", ...asAdmin, ...prom, "--timestamp-required", "off")
    assert.isTrue(await passes("whsec made by the tool"))
    assert.isFalse(await passes("whsec"))
    const [{ refusals }] = await list()
    assert.strictEqual(refusals.count, 1)
    assert.include(
      await at.said("source", "list", ...asMember),
      `1 refused, the last at ${refusals.lastAt}: ${refusals.last}`
    )
  })

  it.each([
    ["", "there is nothing on standard input; pipe it in, as from a file with '<'"],
    [" \n\n", "there is nothing on standard input; pipe it in, as from a file with '<'"],
    ["one\ntwo\n", "there is more than one line on standard input"],
    ["x".repeat(1001), "it may have at most 1000 characters"]
  ])("is given no secret by %j", async (text, problem) => {
    at.pipe(text)
    const { code, message } = await at.refused(...create("generic", "--secret-stdin"))
    assert.deepStrictEqual([code, message], ["invalid_usage", `--secret-stdin: ${problem}`])
    assert.deepStrictEqual(await list(), [])
    at.pipe("good")
    await at.json(...create("generic"))
    at.pipe(text)
    const later = await at.refused("source", "secret", ...asAdmin, ...prom, "--secret-stdin")
    assert.strictEqual(later.message, `--secret-stdin: ${problem}`)
    const credentials = await at.refused("source", "credentials", ...asAdmin, ...prom, "--stdin")
    assert.strictEqual(credentials.message, `--stdin: ${problem}`)
  })

  it("is refused a taken name, an unknown kind or service, and no services", async () => {
    await at.json(...create("grafana"))
    const taken = await at.refused(...create("grafana").with(7, "PROM"))
    assert.deepStrictEqual([taken.code, taken.message.includes("'PROM'")], ["source_name_taken", true])
    const kind = await at.refused(...create("nagios"))
    assert.strictEqual(kind.message, `--kind must be one of ${SourceKind.literals.join(", ")}; got 'nagios'`)
    const service = await at.refused(...create("grafana").with(7, "other").with(-1, "checkout,cart"))
    assert.deepStrictEqual([service.code, service.message.includes("'cart'")], ["service_unknown", true])
    for (const none of ["", "checkout,", " "]) {
      const { code, message } = await at.refused(...create("grafana").with(7, "other").with(-1, none))
      const shape = "--services must be names of 1 to 200 characters, separated by commas"
      assert.deepStrictEqual([code, message], ["invalid_usage", `${shape}; got '${none}'`])
    }
    await at.json("source", "delete", ...asAdmin, ...prom, "--confirm", "prom")
    assert.strictEqual((await at.refused(...create("grafana"))).code, "source_name_taken")
  })

  it("feeds other services once it is set so, and none that was deleted", async () => {
    await at.json(...create("generic"))
    const set = ["source", "set", ...asAdmin, ...prom]
    assert.strictEqual(
      (await at.refused(...set)).message,
      "There is nothing to change: give --services, --timestamp-required, --severity or, of uptime, --url, --interval, --timeout, --expect or --failures"
    )
    const both = await at.json(...set, "--services", "checkout,basket")
    assert.deepStrictEqual([both.services, both.timestampRequired], [["basket", "checkout"], false])
    const timed = await at.said(...set, "--timestamp-required", "on")
    assert.strictEqual(timed, "prom feeds basket, checkout; it must sign times.")
    await at.json("service", "delete", ...asAdmin, "--name", "basket", "--confirm", "basket")
    assert.deepStrictEqual((await list())[0].services, ["checkout"])
    assert.strictEqual(
      await at.said(...set, "--timestamp-required", "off"),
      "prom feeds checkout; it need not sign times."
    )
    assert.include(
      (await at.refused(...set, "--timestamp-required", "maybe")).message,
      "must be one of on, off; got 'maybe'"
    )
    assert.strictEqual((await at.refused(...set, "--services", "cart")).code, "service_unknown")
  })

  it("is given another secret, by the tool or by us; the one before passes for a day", async () => {
    const { secret: first } = await at.json(...create("generic"))
    const rotate = ["source", "rotate", ...asAdmin, ...prom]
    const { previousUntil, secret: second, setup, url } = await at.json(...rotate)
    const steps = tools.generic.setup({ url, secret: second })
    assert.deepStrictEqual(setup.slice(2, 2 + steps.length), steps)
    assert.notStrictEqual(first, second)
    assert.deepStrictEqual([await passes(first), await passes(second)], [true, true])
    const day = Date.parse(previousUntil) - Date.parse((await at.audit()).at(-1).timestamp)
    assert.strictEqual(day, 86_400_000)
    at.pipe("third\n")
    const set = ["source", "secret", ...asAdmin, ...prom]
    assert.strictEqual((await at.refused(...set)).message, "Add --secret-stdin and give the secret on standard input")
    const told = await at.json(...set, "--secret-stdin")
    assert.notProperty(told, "secret")
    assert.deepStrictEqual([await passes(first), await passes(second), await passes("third")], [false, true, true])
    assert.match(
      await at.said(...set, "--secret-stdin"),
      /^The secret of prom is set\. The one before passes for another 24 hours, until 20\S+Z\.$/
    )
    const said = await at.said(...rotate)
    assert.match(
      said,
      /^The new secret of prom, shown this once: [A-Za-z0-9]{32}\nBoth it and the one before pass for 24 hours, until 20/
    )
    const events = (await at.audit()).slice(-4).map(({ event }) => event)
    assert.deepStrictEqual(
      events,
      Array.from({ length: 4 }, () => "signal_source_changed")
    )
    assert.notInclude(JSON.stringify(await at.audit()), "third")
  })

  it("is given credentials for the tool, which are never shown", async () => {
    await at.json(...create("pagerduty"))
    const set = ["source", "credentials", ...asAdmin, ...prom]
    assert.strictEqual((await at.refused(...set)).message, "Add --stdin and give the credentials on standard input")
    at.pipe('{"key":"pd-key-S3CRET","from":"oncall@acme.test"}')
    const told = await at.json(...set, "--stdin")
    assert.isTrue(told.credentials)
    assert.include(await at.said(...set, "--stdin"), "The credentials of prom are set.")
    assert.notInclude(JSON.stringify([told, await list(), await at.audit()]), "S3CRET")
  })

  it("is paused, resumed and deleted", async () => {
    assert.strictEqual(await at.said("source", "list", ...asMember), "No signal sources.")
    const { url } = await at.json(...create("grafana"))
    assert.strictEqual(
      await at.said("source", "list", ...asMember),
      `prom  grafana  checkout  active\n          ${url}`
    )
    assert.isTrue((await at.json("source", "pause", ...asAdmin, ...prom)).paused)
    const again = await at.refused("source", "pause", ...asAdmin, ...prom)
    assert.deepStrictEqual(again, {
      code: "source_already_so",
      message: "The signal source 'prom' is paused already."
    })
    assert.include(await at.said("source", "list", ...asMember), "  paused\n")
    assert.strictEqual(await at.said("source", "resume", ...asOwner, ...prom), "Resumed prom.")
    assert.strictEqual((await at.refused("source", "resume", ...asAdmin, ...prom)).code, "source_already_so")
    assert.strictEqual(await at.said("source", "pause", ...asOwner, ...prom), "Paused prom.")
    const typo = await at.refused("source", "delete", ...asAdmin, ...prom, "--confirm", "prometheus")
    assert.deepStrictEqual([typo.code, typo.message.includes("got 'prometheus'")], ["not_confirmed", true])
    assert.strictEqual(
      await at.said("source", "delete", ...asAdmin, ...prom, "--confirm", "prom"),
      "Deleted the signal source prom."
    )
    assert.deepStrictEqual(await list(), [])
    assert.isNull(await at.run(Effect.flatMap(SignalStore, (store) => store.find(url.slice(-32)))))
  })
})
