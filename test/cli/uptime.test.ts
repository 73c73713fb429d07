import { Effect, FiberSet } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import * as UptimeChecks from "../../application/oncall/UptimeChecks.ts"
import { Outgoing } from "../../application/ports/Outgoing.ts"
import { type Acme, asAdmin, asMember, open, payments } from "./Acme.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
  await at.json("service", "create", ...asAdmin, ...payments, "--name", "checkout")
})
afterEach(() => at.close())

const shop = ["--name", "shop"]
const ofUptime = ["source", "create", ...asAdmin, ...shop, "--kind", "uptime", "--services", "checkout"]
const url = ["--url", "https://shop.example.com/health?key=S3CRET"]
const set = ["source", "set", ...asAdmin, ...shop]
const list = () => at.json("source", "list", ...asMember)

/** One round of checks that all get this status. */
const look = (status: number) =>
  at.run(
    Effect.gen(function* () {
      const running = yield* FiberSet.make<void>()
      yield* UptimeChecks.round(running)
      yield* FiberSet.awaitEmpty(running)
    }).pipe(
      Effect.scoped,
      Effect.provideService(Outgoing, { send: () => Effect.succeed({ status, headers: {}, body: "" }) })
    )
  )

const usual = {
  url: "https://shop.example.com/health?…",
  intervalSeconds: 60,
  timeoutSeconds: 10,
  expectedStatus: 200,
  failuresBeforeFiring: 3,
  failures: 0,
  lastAt: null,
  lastProblem: null
}

describe("an uptime check", () => {
  it("is created with its address alone, without a secret or an address to post to", async () => {
    const made = await at.json(...ofUptime, ...url)
    assert.deepStrictEqual(made, {
      id: made.id,
      name: "shop",
      kind: "uptime",
      url: null,
      services: ["checkout"],
      timestampRequired: false,
      credentials: false,
      trouble: null,
      paused: false,
      severities: {},
      connected: true,
      disconnectedAt: null,
      check: usual,
      createdAt: made.createdAt
    })
    assert.deepStrictEqual(await list(), [{ ...made, refusals: { count: 0, last: null, lastAt: null } }])
    assert.strictEqual(
      await at.said(...ofUptime.with(7, "second"), ...url),
      [
        "Created the signal source second (uptime) for checkout.",
        "https://shop.example.com/health?… must answer 200 within 10 s, every 60 s; it fires when it did not 3 times in a row.",
        "The service checks it at once, if it runs; 'source list' shows how that went, 'source deliveries' what it found."
      ].join("\n")
    )
    assert.notInclude(JSON.stringify(await at.audit()), "S3CRET")
  })

  it("takes every setting, and others later; the rest stays", async () => {
    const numbers = ["--interval", "120", "--timeout", "5", "--expect", "204", "--failures", "1"]
    const { check } = await at.json(...ofUptime, ...url, ...numbers)
    const given = { intervalSeconds: 120, timeoutSeconds: 5, expectedStatus: 204, failuresBeforeFiring: 1 }
    assert.deepStrictEqual(check, { ...usual, ...given })
    const changed = await at.json(...set, "--expect", "301")
    assert.deepStrictEqual(changed.check, { ...usual, ...given, expectedStatus: 301 })
    assert.strictEqual(
      await at.said(...set, "--url", "https://shop.example.com/new"),
      "shop feeds checkout; https://shop.example.com/new must answer 301 within 5 s, every 120 s; it fires when it did not once."
    )
    const details = (await at.audit()).slice(-3).map((entry) => entry.details)
    const before = { url: "https://shop.example.com/health?…" }
    assert.deepInclude(details[0].after, { ...before, ...given })
    assert.deepStrictEqual([details[1].before, details[1].after], [{ expectedStatus: 204 }, { expectedStatus: 301 }])
    assert.deepStrictEqual(
      [details[2].before, details[2].after, details[2].what],
      [before, { url: "https://shop.example.com/new" }, "url"]
    )
    assert.notInclude(JSON.stringify(await at.audit()), "S3CRET")
  })

  it("shows how it last went, and what it found in its ledger", async () => {
    await at.json(...ofUptime, ...url, "--failures", "1")
    assert.strictEqual(
      await at.said("source", "list", ...asMember),
      "shop  uptime  checkout  active\n          https://shop.example.com/health?…  not checked yet"
    )
    await look(503)
    const [{ check }] = await list()
    assert.deepStrictEqual([check.failures, check.lastProblem], [1, "answered 503, expected 200"])
    assert.include(
      await at.said("source", "list", ...asMember),
      `https://shop.example.com/health?…  failed once, the last at ${check.lastAt}: answered 503, expected 200`
    )
    const [delivery] = await at.json("source", "deliveries", ...asMember, ...shop)
    assert.deepInclude(delivery.body, { title: "shop is down", status: "firing", severity: "critical" })
    assert.notInclude(JSON.stringify(delivery), "S3CRET")
    await at.json(...set, "--interval", "30")
    await look(200)
    const [{ check: fine }] = await list()
    assert.deepStrictEqual([fine.failures, fine.lastProblem], [0, null])
    assert.include(await at.said("source", "list", ...asMember), `?…  fine at ${fine.lastAt}`)
  })

  it.each([
    [[], "Add --url, the address to check"],
    [
      ["--url", "shop"],
      "--url must be an http or https address of at most 2000 characters, without a user name and password"
    ],
    [
      ["--url", "https://me:S3CRET@shop.example.com"],
      "--url must be an http or https address of at most 2000 characters, without a user name and password"
    ],
    [[...url, "--interval", "29"], "--interval must be a whole number from 30 to 86400; got '29'"],
    [[...url, "--timeout", "31"], "--timeout must be a whole number from 1 to 30; got '31'"],
    [[...url, "--expect", "OK"], "--expect must be a whole number from 100 to 599; got 'OK'"],
    [[...url, "--failures", "0"], "--failures must be a whole number from 1 to 10; got '0'"],
    [[...url, "--secret-stdin"], "--secret-stdin and --timestamp-required are of tools that post"],
    [[...url, "--timestamp-required"], "--secret-stdin and --timestamp-required are of tools that post"]
  ])("of %j is refused: %s", async (words, message) => {
    assert.deepStrictEqual(await at.refused(...ofUptime, ...words), { code: "invalid_usage", message })
    assert.deepStrictEqual(await list(), [])
  })

  it("waits for less than its interval, also when it is changed", async () => {
    const both = ["--timeout", "30", "--interval", "30"]
    const refusal = {
      code: "invalid_check",
      message: "timeoutSeconds must be less than the interval, which is 30. Nothing is changed."
    }
    assert.deepStrictEqual(await at.refused(...ofUptime, ...url, ...both), refusal)
    await at.json(...ofUptime, ...url, "--timeout", "30")
    assert.deepStrictEqual(await at.refused(...set, "--interval", "30"), refusal)
  })

  it("has no secret and no credentials", async () => {
    await at.json(...ofUptime, ...url)
    at.pipe("secret")
    for (const words of [
      ["secret", "--secret-stdin"],
      ["rotate"],
      ["credentials", "--stdin"],
      ["set", "--timestamp-required", "on"]
    ]) {
      const [verb = "", ...more] = words
      assert.deepStrictEqual(await at.refused("source", verb, ...asAdmin, ...shop, ...more), {
        code: "source_takes_no_posts",
        message:
          "The signal source 'shop' checks an address: it takes no posts, and needs no secret, credentials, signed times or words for severities."
      })
    }
  })
})

it("other kinds check nothing", async () => {
  const message = "Only the kind uptime takes --url, --interval, --timeout, --expect or --failures"
  const generic = ofUptime.with(9, "generic")
  for (const words of [url, ["--interval", "60"], ["--failures", "2"]])
    assert.deepStrictEqual(await at.refused(...generic, ...words), { code: "invalid_usage", message })
  await at.json(...generic)
  assert.deepStrictEqual(await at.refused(...set, "--expect", "204"), {
    code: "invalid_check",
    message: "Only a source of the kind uptime checks an address. Nothing is changed."
  })
})
