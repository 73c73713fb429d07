import { DateTime, Either, FastCheck as fc, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { Signal } from "../../../domain/oncall/Signal.ts"
import * as UptimeCheck from "../../../domain/oncall/UptimeCheck.ts"

const made = (given: object) => Either.getOrThrow(UptimeCheck.make(given))
const problem = (given: object) =>
  Either.match(UptimeCheck.make(given), { onLeft: (e) => e.problem, onRight: () => null })

const url = "https://shop.example.com/health"
const usual = made({ url })
const named = (check: UptimeCheck.Check) => ({ name: "shop", check })

const start = DateTime.unsafeMake("2026-01-09T12:00:00.000Z")
const after = (seconds: number) => DateTime.add(start, { seconds })
const iso = (at: DateTime.Utc | null) => at && DateTime.formatIso(at)

type Look = readonly [seconds: number, outcome: UptimeCheck.Outcome]

/** The signal of each check, and the final health. */
const look = (check: UptimeCheck.Check, looks: ReadonlyArray<Look>) => {
  let health = UptimeCheck.unknown
  const told = looks.map(([seconds, outcome]) => {
    const judged = UptimeCheck.judge(named(check), health, outcome, after(seconds))
    health = judged.health
    return judged.signal
  })
  return { told, health }
}

const fine = { status: 200 }
const broken = { status: 503 }
const every = (seconds: number, outcomes: ReadonlyArray<UptimeCheck.Outcome>): ReadonlyArray<Look> =>
  outcomes.map((outcome, index) => [index * seconds, outcome])
const statuses = (told: ReadonlyArray<Signal | null>) => told.map((signal) => signal?.status ?? "-").join(" ")

describe("a check", () => {
  it("has everything but its address by itself", () => {
    assert.deepStrictEqual(usual, {
      url,
      intervalSeconds: 60,
      timeoutSeconds: 10,
      expectedStatus: 200,
      failuresBeforeFiring: 3
    })
  })

  it.each([
    [{}, "url is missing"],
    [{ url: "shop.example.com" }, "url must be an http or https address"],
    [{ url: "ftp://shop.example.com" }, "url must be an http or https address"],
    [{ url: "https://me@shop.example.com" }, "url must have no user name and no password"],
    [{ url: "https://:pass@shop.example.com" }, "url must have no user name and no password"],
    [{ url, intervalSeconds: 29 }, "intervalSeconds must be a whole number from 30 to 86400"],
    [{ url, intervalSeconds: 86_401 }, "intervalSeconds must be a whole number from 30 to 86400"],
    [{ url, intervalSeconds: 60.5 }, "intervalSeconds must be a whole number from 30 to 86400"],
    [{ url, timeoutSeconds: 0 }, "timeoutSeconds must be a whole number from 1 to 30"],
    [{ url, timeoutSeconds: 31 }, "timeoutSeconds must be a whole number from 1 to 30"],
    [{ url, timeoutSeconds: 30, intervalSeconds: 30 }, "timeoutSeconds must be less than the interval, which is 30"],
    [{ url, expectedStatus: 99 }, "expectedStatus must be a whole number from 100 to 599"],
    [{ url, expectedStatus: 600 }, "expectedStatus must be a whole number from 100 to 599"],
    [{ url, failuresBeforeFiring: 0 }, "failuresBeforeFiring must be a whole number from 1 to 10"],
    [{ url, failuresBeforeFiring: 11 }, "failuresBeforeFiring must be a whole number from 1 to 10"],
    [{ url, timeoutSeconds: 29, intervalSeconds: 30, expectedStatus: 599, failuresBeforeFiring: 10 }, null],
    [{ url: "http://shop.example.com:8080", intervalSeconds: 86_400, timeoutSeconds: 1, expectedStatus: 100 }, null]
  ])("of %j: %s", (given, expected) => {
    assert.strictEqual(problem(given), expected)
  })

  it("has an address of at most 2,000 characters", () => {
    const long = (length: number) => ({ url: `${url}/`.padEnd(length, "x") })
    assert.isNull(problem(long(2000)))
    assert.include(problem(long(2001)), "url")
  })

  it.each([
    ["https://shop.example.com", "https://shop.example.com/"],
    ["https://shop.example.com/health", "https://shop.example.com/health"],
    ["https://shop.example.com:8443/health?key=S3CRET", "https://shop.example.com:8443/health?…"],
    ["https://shop.example.com/health?key=S3CRET#top", "https://shop.example.com/health?…"]
  ])("of %s is shown as %s", (given, expected) => {
    assert.strictEqual(UptimeCheck.shown(made({ url: given })).url, expected)
  })
})

describe("looks at an address", () => {
  it.each([
    ["fires with the third failure in a row", [fine, broken, broken, broken, fine], "- - - firing resolved"],
    ["says nothing of failures below", [broken, broken, fine, broken, broken, fine], "- - - - - -"],
    ["recovers once", [broken, broken, broken, fine, fine], "- - firing resolved -"],
    [
      "fires again with the next outage",
      [broken, broken, broken, fine, broken, broken, broken],
      "- - firing resolved - - firing"
    ],
    [
      "fires again every five minutes while it goes on",
      Array.from({ length: 13 }, () => broken),
      "- - firing - - - - firing - - - - firing"
    ],
    ["counts an answer that is missing", [broken, { problem: "cannot be reached" }, broken], "- - firing"]
  ])("%s", (_, outcomes, expected) => {
    assert.strictEqual(statuses(look(usual, every(60, outcomes)).told), expected)
  })

  it("fires at once when one failure is enough, and with every look when they are rare", () => {
    const rare = made({ url, failuresBeforeFiring: 1, intervalSeconds: 600 })
    assert.strictEqual(
      statuses(look(rare, every(600, [broken, broken, fine, broken])).told),
      "firing firing resolved firing"
    )
  })

  it("expects one status and no other", () => {
    const redirecting = made({ url, expectedStatus: 301, failuresBeforeFiring: 1 })
    const { health, told } = look(redirecting, every(60, [{ status: 301 }, { status: 302 }]))
    assert.strictEqual(statuses(told), "- firing")
    assert.strictEqual(health.lastProblem, "answered 302, expected 301")
  })

  it("tells what was wrong, since when, and where", () => {
    const { health, told } = look(
      usual,
      every(60, [broken, broken, { problem: "cannot be reached: it is away" }, fine])
    )
    const same = {
      title: "shop is down",
      fingerprint: "uptime",
      service: null,
      environment: null,
      labels: { host: "shop.example.com", expected: "200" },
      links: [{ label: "Checked address", url }],
      startedAt: iso(start),
      isReopening: false,
      isAcknowledgement: false,
      isTest: false
    }
    assert.deepStrictEqual(
      told.slice(2).map((signal) => signal && Schema.encodeSync(Signal)(signal)),
      [
        {
          ...same,
          status: "firing",
          severity: "critical",
          description: "cannot be reached: it is away",
          endedAt: null,
          at: iso(after(120))
        },
        {
          ...same,
          status: "resolved",
          severity: null,
          description: null,
          endedAt: iso(after(180)),
          at: iso(after(180))
        }
      ]
    )
    assert.deepStrictEqual(health, { ...UptimeCheck.unknown, lastAt: after(180) })
  })

  it("never tells a query", () => {
    const secret = made({ url: `${url}?key=S3CRET`, failuresBeforeFiring: 1 })
    const { told } = look(secret, every(60, [broken, fine]))
    assert.notInclude(JSON.stringify(told), "S3CRET")
    assert.deepStrictEqual(told[0]?.links, [])
  })

  it("keeps to what is told when the settings change meanwhile", () => {
    const { health } = look(usual, every(60, [broken, broken]))
    const hasty = { ...usual, failuresBeforeFiring: 1 }
    const fired = UptimeCheck.judge(named(hasty), health, broken, after(120))
    assert.strictEqual(fired.signal?.status, "firing")
    const patient = { ...usual, failuresBeforeFiring: 10 }
    assert.strictEqual(UptimeCheck.judge(named(patient), fired.health, fine, after(180)).signal?.status, "resolved")
  })

  it("alternates between firing and recovered, whatever is found", () => {
    const looks = fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.boolean()), { maxLength: 60 })
    const property = fc.property(looks, fc.integer({ min: 1, max: 10 }), (steps, failuresBeforeFiring) => {
      const check = { ...usual, failuresBeforeFiring }
      let health = UptimeCheck.unknown
      let [second, inRow, lastFiring] = [0, 0, -Infinity]
      let isFiring = false
      for (const [pause, isFine] of steps) {
        second += pause
        inRow = isFine ? 0 : inRow + 1
        const judged = UptimeCheck.judge(named(check), health, isFine ? fine : broken, after(second))
        health = judged.health
        assert.strictEqual(health.failures, inRow)
        assert.strictEqual(judged.signal?.status === "resolved", isFine && isFiring)
        if (judged.signal?.status === "firing") {
          if (isFiring) assert.isAtLeast(second - lastFiring, 300)
          else assert.strictEqual(inRow, failuresBeforeFiring)
          lastFiring = second
        } else if (!isFine) assert.isTrue(isFiring ? second - lastFiring < 300 : inRow < failuresBeforeFiring)
        isFiring = !isFine && (isFiring || judged.signal !== null)
        assert.strictEqual(health.toldAt !== null, isFiring)
      }
    })
    fc.assert(property, { numRuns: 100 })
  })
})
