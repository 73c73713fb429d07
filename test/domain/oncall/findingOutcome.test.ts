import {
  askedBefore,
  concluded,
  findings,
  type Given,
  has,
  incident,
  job,
  key,
  matter,
  pullRequest
} from "./FindingScene.ts"
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import type { Change } from "../../../domain/Change.ts"
import { conclude } from "../../../domain/oncall/FindingOutcome.ts"
import { Job } from "../../../domain/work/Job.ts"
import { progress } from "../../../domain/work/Run.ts"
import * as Sample from "../Sample.ts"

/** All effects of a finding, in short. */
const observed = ({ added, audit, changed }: Change) => {
  const { decision, runKey, storyKey } = changed?.incidents?.[0]?.investigation ?? {}
  return {
    decisions: added?.decisions?.map(({ key, kind, subject }) => [key, kind, subject]),
    stories: added?.stories?.map(({ classOfService, column, key }) => [key, classOfService, column.role]) ?? [],
    runs: added?.runs?.map((run) => [run.key, run.story, progress(run).status]) ?? [],
    jobs: added?.jobs?.map(({ kind, payload }) => [kind, payload["event"], payload["decision"]]),
    noted: { decision, storyKey, runKey },
    audit: audit.map(({ entity, event }) => [event, entity.id])
  }
}

const updated = ["incident_updated", key]
const nothing = {
  decisions: [],
  stories: [],
  runs: [],
  jobs: [],
  noted: { decision: null, storyKey: null, runKey: null },
  audit: [updated]
}
const asked = (kind: string, subject: string) => ({
  ...nothing,
  decisions: [["dec-0001", kind, subject]],
  jobs: [["follow_incident", "asked", "dec-0001"]],
  noted: { ...nothing.noted, decision: "dec-0001" },
  audit: [updated, ["decision_raised", "dec-0001"]]
})

const outcomes: Record<string, unknown> = {
  nothing,
  "asks to revert": asked("revert_approval", pullRequest.url),
  "shows what is asked already": {
    ...nothing,
    jobs: [["follow_incident", "asked", "dec-cccc"]],
    noted: { ...nothing.noted, decision: "dec-cccc" }
  },
  "proposes a fix": asked("maintenance_proposal", key),
  "starts a fix": {
    ...nothing,
    stories: [["PAY-77", "expedite", "in_progress"]],
    runs: [["run-7777", "PAY-77", "queued"]],
    noted: { decision: null, storyKey: "PAY-77", runKey: "run-7777" },
    audit: [updated, ["run_state_changed", "run-7777"], ["story_moved", "PAY-77"]]
  },
  "files a fix": {
    ...nothing,
    stories: [["PAY-77", "expedite", "ready"]],
    noted: { decision: null, storyKey: "PAY-77", runKey: null }
  }
}

/** Columns: observes only, starts fixes, the finding, the team is paused, the same decision is pending. */
const rows: ReadonlyArray<readonly [string, string]> = [
  ["observe * * * *", "nothing"],
  ["act * neither * *", "nothing"],
  ["act * suspect * fresh", "asks to revert"],
  ["act * suspect * asked", "shows what is asked already"],
  ["act propose code * *", "proposes a fix"],
  ["act start code works *", "starts a fix"],
  ["act start code paused *", "files a fix"]
]

const every = ["observe", "act"].flatMap((observing) =>
  ["start", "propose"].flatMap((fixing) =>
    (["suspect", "code", "neither"] as const).flatMap((finding) =>
      ["works", "paused"].flatMap((team) =>
        ["fresh", "asked"].map((before) => ({ observing, fixing, finding, team, before }))
      )
    )
  )
)
type Case = (typeof every)[number]

const matches = (pattern: string, one: Case) => {
  const words = [one.observing, one.fixing, one.finding, one.team, one.before]
  return pattern.split(" ").every((word, index) => word === "*" || word === words[index])
}

const given = ({ before, fixing, observing, team }: Case): Given => ({
  settings: { observeOnly: observing === "observe", startFixes: fixing === "start" },
  team: Sample.team(Sample.policy(), { pausedAt: team === "paused" ? Sample.before : null }),
  pending: before === "asked" ? [Sample.another, askedBefore] : [Sample.another]
})

describe("what follows from a finding", () => {
  it("is said once for every case", () => {
    for (const one of every)
      assert.strictEqual(rows.filter(([pattern]) => matches(pattern, one)).length, 1, JSON.stringify(one))
  })

  it.each(rows)("%s: %s", (pattern, outcome) => {
    for (const one of every.filter((each) => matches(pattern, each)))
      assert.deepStrictEqual<unknown>(
        observed(concluded(findings[one.finding], given(one))),
        outcomes[outcome],
        JSON.stringify(one)
      )
  })

  it("is nothing but a note once the incident is over, whatever was found", () => {
    const over = incident({ status: "resolved", resolvedAt: Sample.before })
    for (const one of every)
      assert.deepStrictEqual<unknown>(
        observed(concluded(findings[one.finding], { ...given(one), incident: over })),
        nothing,
        JSON.stringify(one)
      )
  })

  it("follows once: not of what was concluded already, nor by a job that is done", () => {
    const investigation = { ...findings.code, at: Sample.before, decision: null, storyKey: null, runKey: null }
    const done = new Job({ ...job, status: "done" })
    for (const one of every)
      for (const more of [{ incident: incident({ investigation }) }, { job: done }])
        assert.deepStrictEqual(
          conclude(findings[one.finding])(matter({ ...given(one), ...more })),
          Either.left("concluded already" as const)
        )
  })

  it("is written down with the finding and the moment, and nothing else of the incident changes", () => {
    for (const one of every) {
      const about = incident({ told: "open", notifiedAt: Sample.before, acknowledgedBy: "Ann" })
      const { changed } = concluded(findings[one.finding], { ...given(one), incident: about })
      const [after, ...more] = changed?.incidents ?? []
      assert.deepStrictEqual(more, [])
      const { at, confidence, isCodeCaused, reasons, summary, suspect: found } = after?.investigation ?? {}
      assert.deepStrictEqual<unknown>(
        { at, confidence, isCodeCaused, reasons, summary, suspect: found },
        { at: Sample.now, ...findings[one.finding] }
      )
      assert.deepStrictEqual({ ...after, investigation: null }, { ...about })
      assert.deepStrictEqual(
        changed?.jobs?.map((each) => ({ ...each })),
        [{ ...job, status: "done", tries: 1, error: null, updatedAt: Sample.now }]
      )
    }
  })

  it("is on record as the service's own, in the team", () => {
    for (const one of every)
      for (const { actor, result, team } of concluded(findings[one.finding], given(one)).audit)
        assert.deepStrictEqual([actor.type, result, team], ["service", "success", "payments"])
    const [fact] = concluded(findings.code, { settings: { startFixes: true } }).audit
    has(fact?.details, {
      investigation: findings.code.summary,
      confidence: findings.code.confidence,
      storyKey: "PAY-77",
      runKey: "run-7777"
    })
    assert.strictEqual(fact?.runKey, "run-7777")
    assert.strictEqual(concluded(findings.suspect).audit[0].details["decision"], "dec-0001")
  })
})
