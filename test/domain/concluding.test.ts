import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either } from "effect"
import type { Change } from "../../domain/Change.ts"
import { conclude, type Concluded } from "../../domain/Concluding.ts"
import { type Decision, type DecisionKey, proposals } from "../../domain/Decision.ts"
import { Incident } from "../../domain/Incident.ts"
import type { IncidentKey } from "../../domain/IncidentKey.ts"
import type { Finding } from "../../domain/Investigation.ts"
import { Job, type JobId, queued } from "../../domain/Job.ts"
import { progress } from "../../domain/Run.ts"
import type { RunKey } from "../../domain/RunKey.ts"
import type { OnCallSettings } from "../../domain/Service.ts"
import type { StoryKey } from "../../domain/Story.ts"
import type { TeamSlug } from "../../domain/Team.ts"
import * as Sample from "./Sample.ts"
import { service } from "./TriageScene.ts"

const key = "inc-aaaa" as IncidentKey
const pullRequest = { url: "https://git.acme.test/pull/7", number: 7 }
const suspect = {
  runKey: "run-bbbb" as RunKey,
  story: "PAY-3" as StoryKey,
  pullRequest,
  mergedAt: Sample.before
}

const findings = {
  suspect: { summary: "The last merge was run-bbbb.", suspect, isCodeCaused: true },
  code: { summary: "It is in the code.", suspect: null, isCodeCaused: true },
  neither: { summary: "Nothing was merged.", suspect: null, isCodeCaused: false }
} satisfies Record<string, Finding>

const incident = (more: Partial<Incident> = {}) =>
  new Incident({
    key,
    team: "payments" as TeamSlug,
    service: service(1, "checkout").id,
    environment: null,
    status: "open",
    severity: "high",
    title: "cpu is wrong",
    alerts: 1,
    openedAt: Sample.before,
    resolvedAt: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    ...more
  })

const job = queued(
  {
    id: "00000000-0000-4000-8000-0000000000aa" as JobId,
    kind: "investigate_incident",
    team: "payments" as TeamSlug,
    story: null,
    runKey: null,
    decision: null,
    payload: { incident: key },
    lane: `investigate ${key}`
  },
  Sample.before
)

type Given = Partial<Omit<Concluded, "standing" | "service">> & {
  readonly incident?: Incident
  readonly settings?: typeof OnCallSettings.Encoded
}

const matter = ({ incident: about = incident(), settings = {}, ...more }: Given = {}): Concluded => ({
  ...Sample.raising({ story: null, run: null }),
  job,
  standing: { incident: about, firing: 1 },
  service: service(1, "checkout", settings),
  fresh: Sample.fresh,
  ...more
})

const concluded = (finding: Finding, given: Given = {}): Change =>
  Either.getOrThrow(conclude(finding)(matter(given))).change

/** Another incident made people be asked to revert the same merge. */
const askedBefore = Sample.decision("revert_approval", "open_revert", {
  key: "dec-cccc" as DecisionKey,
  subject: pullRequest.url,
  runKey: null,
  story: null
})

/** Some of what an object holds. */
const has = (actual: object | undefined, expected: object) =>
  assert.deepInclude(actual ?? {}, expected as Partial<object>)

/** All that a conclusion left behind, in short. */
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

/** In the order: observing only, starting fixes, the finding, the team is paused, the same is asked already. */
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
      const { at, isCodeCaused, summary, suspect: found } = after?.investigation ?? {}
      assert.deepStrictEqual(
        { at, isCodeCaused, summary, suspect: found },
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
      storyKey: "PAY-77",
      runKey: "run-7777"
    })
    assert.strictEqual(fact?.runKey, "run-7777")
    assert.strictEqual(concluded(findings.suspect).audit[0].details["decision"], "dec-0001")
  })
})

describe("what people are asked", () => {
  const decisionOf = (finding: Finding, more: Given = {}): Decision => {
    const [decision, ...others] = concluded(finding, more).added?.decisions ?? []
    assert.deepStrictEqual(others, [])
    return decision ?? assert.fail("nothing is asked")
  }

  it("is whether to take the merge back, which nobody but a person may say", () => {
    const decision = decisionOf(findings.suspect, { settings: { startFixes: true } })
    has(decision, {
      kind: "revert_approval",
      status: "pending",
      authority: "member",
      title: "inc-aaaa may come from a merge. Revert it?",
      body: findings.suspect.summary,
      team: "payments",
      story: null,
      runKey: null,
      recommendation: "open_revert",
      createdAt: Sample.now
    })
    assert.isTrue(DateTime.greaterThan(decision.expiresAt ?? Sample.before, Sample.now))
  })

  it("names the run when the merge had no pull request", () => {
    const bare = { ...findings.suspect, suspect: { ...suspect, pullRequest: null } }
    assert.strictEqual(decisionOf(bare).subject, "run-bbbb of PAY-3")
  })

  it("is whether to start a fix, or to leave it", () => {
    const decision = decisionOf(findings.code)
    assert.include(proposals, decision.kind)
    has(decision, { title: "Fix inc-aaaa: cpu is wrong", subject: key, authority: "member" })
    assert.deepStrictEqual(
      decision.options.map(({ action, id, recommended }) => [id, action, recommended]),
      [
        ["accept_proposal", "accept_proposal", true],
        ["decline_proposal", "decline_proposal", false]
      ]
    )
  })

  it("is asked anew when another kind or another merge is pending", () => {
    const others = [
      Sample.decision("revert_approval", "open_revert", { subject: "https://git.acme.test/pull/6" }),
      Sample.decision("merge_approval", "merge", { subject: pullRequest.url }),
      Sample.decision("revert_approval", "open_revert", { subject: null })
    ]
    const decision = decisionOf(findings.suspect, { pending: others })
    assert.strictEqual(decision.key, "dec-0001")
  })

  it("takes the place of nothing that people were asked before", () => {
    const { changed } = concluded(findings.suspect, { pending: [Sample.another, askedBefore] })
    assert.deepStrictEqual(Object.keys(changed ?? {}).toSorted(), ["incidents", "jobs"])
  })

  it.each([
    ["long", "x".repeat(500)],
    ["long and of characters that take two places", `x${"🔥".repeat(499)}`],
    ["long and of other such characters", `xx${"🔥".repeat(498)}`]
  ])("and the fix it is about have a title, though that of the incident is %s", (_, title) => {
    const long = incident({ title })
    assert.isAtMost(decisionOf(findings.code, { incident: long }).title.length, 500)
    const [story] = concluded(findings.code, { incident: long, settings: { startFixes: true } }).added?.stories ?? []
    assert.isAtMost(story?.title.length ?? Infinity, 500)
    assert.notMatch(story?.title ?? "", /\p{Surrogate}/u)
  })

  it("names a merge whatever the length of its address", () => {
    const url = `https://git.acme.test/pull/${"7".repeat(1900)}`
    const long = { ...findings.suspect, suspect: { ...suspect, pullRequest: { url, number: 7 } } }
    assert.strictEqual(decisionOf(long).kind, "revert_approval")
  })
})

describe("a fix that is started", () => {
  it("is a story that says what was found, and a run of the team's kind", () => {
    const { added } = concluded(findings.code, { settings: { startFixes: true } })
    has(added?.stories?.[0], {
      key: "PAY-77",
      title: "Fix inc-aaaa: cpu is wrong",
      description: findings.code.summary,
      team: "payments",
      draft: false,
      classOfService: "expedite",
      returnNote: null,
      createdAt: Sample.now
    })
    const [run] = added?.runs ?? []
    has(run, { key: "run-7777", story: "PAY-77", team: "payments", mergedAt: null })
    assert.strictEqual(run?.latest.status, "queued")
  })
})
