import { assert, describe, it } from "@effect/vitest"
import type { Change } from "../../../domain/Change.ts"
import * as Errors from "../../../domain/runner/Runner.ts"
import { endsTokens, type HeldWork, withOffline } from "../../../domain/runner/TakeOffline.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import { Run } from "../../../domain/work/Run.ts"
import type { ApiToken } from "../../../domain/workspace/ApiToken.ts"
import * as Audit from "../../../domain/workspace/Audit.ts"
import type { Member } from "../../../domain/workspace/Member.ts"
import { recorded } from "../Outcome.ts"
import * as Sample from "../Sample.ts"
import { leased } from "../work/LeasedRun.ts"
import { id, runner, token } from "./RunnerScene.ts"

const tokenOf = (revokedAt: ApiToken["revokedAt"]) => ({ id: token, revokedAt }) as ApiToken
const leaver = { email: "ana@acme.test" } as unknown as Member
const fact = (event: Audit.Event) => Audit.fact(Sample.ana, event, { type: "token", id: token, name: "ci" })
const change = (more: Partial<Change>): Change => ({ ...more, audit: [fact("token_revoked")] })
const revocation = change({ changed: { tokens: [tokenOf(Sample.now)] } })

describe("a change", () => {
  it.each([
    ["that revokes a token", revocation, true],
    ["by which a member leaves", change({ leaving: [leaver] }), true],
    ["that changes a token", change({ changed: { tokens: [tokenOf(null)] } }), false],
    ["by which nobody leaves", change({ leaving: [] }), false],
    ["of something else", change({}), false]
  ])("%s ends tokens, or none", (_, of, expected) => assert.strictEqual(endsTokens(of), expected))
})

describe("the end of a token", () => {
  const online = runner()
  const offline = runner({ id: id(2), name: "build-2", offlineAt: Sample.before })
  const other = new Run({ ...leased.run, key: "run-bbbb" as RunKey })
  const work: HeldWork = { runners: [online, offline], held: [leased.run, other] }

  it.each([
    ["revoked", revocation, "the token was revoked"],
    ["of a member who leaves", change({ leaving: [leaver] }), "the owner of the token left"]
  ])("%s takes its runners offline, and their runs go on elsewhere", (_, of, reason) => {
    const after = withOffline(of, work, Sample.now)
    assert.deepStrictEqual(
      after.changed?.runners?.map((one) => [one.id, one.offlineAt]),
      [[id(1), Sample.now]]
    )
    assert.deepStrictEqual(
      after.changed?.runs?.map(({ key, latest, lease }) => [key as string, latest.status, lease]),
      [
        ["run-aaaa", "queued", null],
        ["run-bbbb", "queued", null]
      ]
    )
    assert.deepStrictEqual(recorded(after), [
      "token_revoked token ci",
      "runner_offline runner build-1",
      "lease_lost run run-aaaa",
      "run_state_changed run run-aaaa",
      "lease_lost run run-bbbb",
      "run_state_changed run run-bbbb"
    ])
    const [, gone, lost] = after.audit
    assert.deepInclude(gone?.details, { requestId: Sample.ana.requestId, reason })
    assert.deepInclude(lost, { actor: Sample.ana.actor, team: leased.run.team, runKey: leased.run.key })
    assert.deepInclude(lost?.details, { fence: 1, runner: leased.run.lease?.runner, reason })
    assert.deepStrictEqual([after.changed?.tokens, after.leaving], [of.changed?.tokens, of.leaving])
  })

  it("leaves a run that the same change ends as it ended", () => {
    const ended = Sample.run("stopped")
    const second = fact("member_removed")
    const of: Change = { ...revocation, changed: { runs: [ended] }, audit: [...revocation.audit, second] }
    const after = withOffline(of, work, Sample.now)
    assert.deepStrictEqual(after.changed?.runs?.[0], ended)
    assert.deepStrictEqual(
      after.changed?.runs?.slice(1).map(({ key }) => key as string),
      ["run-bbbb"]
    )
    assert.deepStrictEqual(after.audit.slice(0, 2), [...of.audit])
    assert.strictEqual(after.audit.length, 5)
  })

  it("by no request is recorded without one", () => {
    const [first] = revocation.audit
    const of: Change = { ...revocation, audit: [{ ...first, details: {} }] }
    assert.isNull(withOffline(of, work, Sample.now).audit[1]?.details["requestId"])
  })
})

describe("a refusal of a runner", () => {
  it.each([
    [new Errors.RunnerDraining({ runner: "build-1" }), ["'build-1'", "Started again"]],
    [new Errors.RunnerOffline({ runner: "build-1" }), ["'build-1'", "offline"]],
    [new Errors.SeveralRunners({ runner: "build-1", ids: [id(1), id(2)] }), ["2 runners", `${id(1)}, ${id(2)}.`]]
  ])("names it and the way out", (error, parts) => {
    for (const part of parts) assert.include(error.message, part)
  })
})
