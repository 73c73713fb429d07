import { assert } from "@effect/vitest"
import { Either } from "effect"
import type { Change } from "../../../domain/Change.ts"
import { conclude, type FindingContext } from "../../../domain/oncall/FindingOutcome.ts"
import { type DecisionKey } from "../../../domain/work/Decision.ts"
import { Incident } from "../../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import type { Finding } from "../../../domain/oncall/Investigation.ts"
import { type JobId, queued } from "../../../domain/work/Job.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { OnCallSettings } from "../../../domain/oncall/Service.ts"
import type { StoryKey } from "../../../domain/work/Story.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import * as Sample from "../Sample.ts"
import { service } from "./TriageScene.ts"

export const key = "inc-aaaa" as IncidentKey
export const pullRequest = { url: "https://git.acme.test/pull/7", number: 7 }
export const suspect = {
  runKey: "run-bbbb" as RunKey,
  story: "PAY-3" as StoryKey,
  pullRequest,
  mergedAt: Sample.before
}

export const findings = {
  suspect: {
    summary: "run-bbbb is the likely cause.",
    suspect,
    isCodeCaused: true,
    confidence: "high",
    reasons: ["it was merged 5 minutes before the first alert"]
  },
  code: { summary: "It is in the code.", suspect: null, isCodeCaused: true, confidence: "low", reasons: [] },
  neither: { summary: "Nothing was merged.", suspect: null, isCodeCaused: false, confidence: null, reasons: [] }
} satisfies Record<string, Finding>

export const incident = (more: Partial<Incident> = {}) =>
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

export const job = queued(
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

export type Given = Partial<Omit<FindingContext, "standing" | "service">> & {
  readonly incident?: Incident
  readonly settings?: typeof OnCallSettings.Encoded
}

export const matter = ({ incident: about = incident(), settings = {}, ...more }: Given = {}): FindingContext => ({
  ...Sample.raising({ story: null, run: null }),
  job,
  standing: { incident: about, firing: 1 },
  service: service(1, "checkout", settings),
  fresh: Sample.fresh,
  ...more
})

export const concluded = (finding: Finding, given: Given = {}): Change =>
  Either.getOrThrow(conclude(finding)(matter(given))).change

/** Another incident raised a decision to revert the same merge. */
export const askedBefore = Sample.decision("revert_approval", "open_revert", {
  key: "dec-cccc" as DecisionKey,
  subject: pullRequest.url,
  runKey: null,
  story: null
})

/** Asserts some fields of an object. */
export const has = (actual: object | undefined, expected: object) =>
  assert.deepInclude(actual ?? {}, expected as Partial<object>)
