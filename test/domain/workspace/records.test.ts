import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Either, Option, Redacted } from "effect"
import { createHash } from "node:crypto"
import { isWellFormed } from "../../../domain/workspace/ApiToken.ts"
import * as Audit from "../../../domain/workspace/Audit.ts"
import { link, origin, type Stored } from "../../../domain/workspace/AuditChain.ts"
import { byEmail } from "../../../domain/workspace/Member.ts"
import { Policy, presets, summary } from "../../../domain/workspace/Policy.ts"
import * as RateLimit from "../../../domain/workspace/RateLimit.ts"
import { setPolicy } from "../../../domain/workspace/SetPolicy.ts"
import { type TeamSlug, view } from "../../../domain/workspace/Team.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import { ana, before, now, policy, team } from "../Sample.ts"

const entry: Stored = {
  seq: 7n,
  id: "00000000-0000-4000-8000-000000000009",
  timestamp: now,
  actor: { type: "human", name: "Änne", userId: null },
  team: "payments" as TeamSlug,
  runKey: "run-aaaa" as RunKey,
  event: "run_state_changed",
  result: "success",
  entity: { type: "run", id: "run-aaaa", name: "run-aaaa" },
  details: '{"v":1}'
}

describe("an audit entry", () => {
  it.effect("is chained by SHA-256 over the previous hash and every field with its length in bytes", () =>
    Effect.gen(function* () {
      assert.strictEqual(origin, "0".repeat(64))
      const text = [
        `64:${origin};1:7;36:${entry.id};24:2026-03-02T10:00:00.000Z;`,
        "5:human;5:Änne;-;8:payments;8:run-aaaa;17:run_state_changed;7:success;",
        '3:run;8:run-aaaa;8:run-aaaa;7:{"v":1};'
      ].join("")
      assert.strictEqual(yield* link(origin, entry), createHash("sha256").update(text).digest("hex"))
    })
  )

  it.each([
    ["signal_received", "signal_received"],
    [" Signal received ", "signal_received"],
    ["TEAM_PAUSED", "team_paused"],
    ["access denied", "access_denied"],
    ["accessdenied", null],
    ["", null],
    [`access_denied${" ".repeat(200)}x`, null]
  ])("is found by its event '%s': %s", (text, event) =>
    assert.strictEqual(Option.getOrNull(Audit.parseEvent(text)), event)
  )

  it("names who did what, through which channel", () => {
    const entity = { type: "team", id: "t", name: "Payments" } as const
    assert.deepStrictEqual(Audit.fact(ana, "team_paused", entity), {
      actor: ana.actor,
      team: null,
      runKey: null,
      event: "team_paused",
      result: "success",
      entity,
      details: { v: 1, requestId: "req-1", channel: "slack" }
    })
    const { channel: _, ...quiet } = ana
    const more = { team: entry.team ?? undefined, runKey: entry.runKey, details: { why: "x" } }
    const fact = Audit.fact(quiet, "team_paused", entity, more as Parameters<typeof Audit.fact>[3])
    assert.deepStrictEqual(
      [fact.team, fact.runKey, fact.details],
      [entry.team, entry.runKey, { v: 1, requestId: "req-1", why: "x" }]
    )
  })
})

it("members are found by their address in any case", () => {
  const members = [{ email: "Ana@acme.test" }, { email: "bo@acme.test" }] as unknown as Parameters<typeof byEmail>[0]
  assert.strictEqual(byEmail(members, "aNA@Acme.test"), members[0])
  assert.strictEqual(byEmail(members, "bo@acme.test"), members[1])
  assert.isUndefined(byEmail(members, "c@acme.test"))
})

it.each([
  [`tk_${"a".repeat(32)}`, true],
  [`xtk_${"a".repeat(32)}`, false],
  [`tk_${"a".repeat(33)}`, false],
  [`tk_${"a".repeat(31)}-`, false]
])("%s is a token: %s", (token, isToken) => assert.strictEqual(isWellFormed(Redacted.make(token)), isToken))

describe("a window of requests", () => {
  const after = (seconds: number) => DateTime.add(now, { millis: seconds * 1000 })

  it("has 120 requests and lasts a minute", () =>
    assert.deepStrictEqual(RateLimit.untouched(now), { remaining: 120, resetAt: after(60) }))

  it.each([
    [0, false],
    [59.999, false],
    [60, true],
    [-60, false],
    [-60.001, true]
  ])("is over %d s after its start: %s", (seconds, isOver) =>
    assert.strictEqual(RateLimit.isOver(now, after(seconds)), isOver)
  )

  it.each([
    [5, 60],
    [-1, 60],
    [-1.001, 58.999]
  ])("seen %d s after its start ends %d s after it", (seconds, end) =>
    assert.deepStrictEqual(RateLimit.endOf(now, after(seconds)), after(end))
  )

  it("makes a caller wait until it ends, whatever the time of day", () =>
    assert.strictEqual(RateLimit.retryAfter(now, after(7.5)), 8))
})

describe("a policy", () => {
  const make = (change: object) => () =>
    new Policy({ ...presets.standard, preset: "standard", custom: false, version: 1, updatedAt: before, ...change })

  it("that is refused says why", () => {
    assert.throws(make({ deniedPaths: [] }), "deniedPaths must hold '.kanman/acceptance/**'")
    assert.throws(
      make({ acceptanceSpecRequired: false }),
      "acceptanceSpecRequired can be turned off only on the trial preset"
    )
  })

  it.each([
    [{ decisionHours: 0 }, /^decisionHours: .+\. The policy is unchanged\.$/],
    [{ acceptanceSpecRequired: false }, /^acceptanceSpecRequired can be .+ preset\. The policy is unchanged\.$/]
  ])("change %j is refused by name", (settings, message) =>
    assert.match(Either.getOrThrow(Either.flip(setPolicy(null, { settings }, now))).message, message)
  )

  it("keeps what a change does not state", () => {
    const old = policy({ maxConcurrency: 9, decisionHours: 5 })
    const changed = Either.getOrThrow(setPolicy(old, { settings: { decisionHours: 6 } }, now))
    assert.deepStrictEqual([changed.maxConcurrency, changed.decisionHours, changed.version], [9, 6, 2])
  })

  it("and its team are shown without what is internal", () => {
    const { decisionHours: _, deniedPaths: __, ...own } = policy()
    const shown = {
      preset: own.preset,
      custom: own.custom,
      version: own.version,
      executor: own.executor,
      maxConcurrency: own.maxConcurrency,
      budgets: own.budgets,
      planApproval: own.planApproval,
      mergePolicy: own.mergePolicy,
      pausedAt: null,
      updatedAt: own.updatedAt
    }
    assert.deepStrictEqual(summary(policy(), null), shown)
    const { createdAt, description, id, keyPrefix, name, slug, updatedAt } = team()
    const rest = { createdAt, description, id, keyPrefix, name, slug, updatedAt }
    assert.deepStrictEqual(view(team()), { ...rest, paused: false, policy: shown })
    assert.deepStrictEqual(view(team(policy(), { pausedAt: now })), {
      ...rest,
      paused: true,
      policy: { ...shown, pausedAt: now }
    })
    assert.deepStrictEqual(view(team(null)), { ...rest, paused: false, policy: null })
  })
})
