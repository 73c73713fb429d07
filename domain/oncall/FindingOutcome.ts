import { Either } from "effect"
import { byService } from "../workspace/Actor.ts"
import { answered, type Decided } from "../Change.ts"
import { expediteFix } from "../work/ExpediteFix.ts"
import { followUp } from "./NotifyPlan.ts"
import { Incident, incidentFact, type Standing } from "./Incident.ts"
import type { Finding, Merge } from "./Investigation.ts"
import type { Fresh } from "../work/Fresh.ts"
import { Job } from "../work/Job.ts"
import { asked, type RaiseContext } from "../work/RaiseDecision.ts"
import { type Ask, usual } from "../work/DecisionTriggers.ts"
import type { Service } from "./Service.ts"
import { cut } from "../value/Text.ts"

/** An investigated incident with its work context. */
export interface FindingContext extends RaiseContext {
  readonly job: Job
  readonly standing: Standing
  readonly service: Service
  readonly fresh: Fresh
}

const fixTitle = ({ key, title }: Incident) => cut(`Fix ${key}: ${title}`, 400)

/** Names a merge by its pull request's address, if it fits a decision's subject. */
const named = ({ pullRequest, runKey, story }: Merge) =>
  pullRequest !== null && pullRequest.url.length <= 500 ? pullRequest.url : `${runKey} of ${story}`

/** A change is reverted only after a person approves it. */
const revert = (incident: Incident, suspect: Merge, summary: string): Ask => ({
  kind: "revert_approval",
  title: `${incident.key} likely comes from a merge. Revert it?`,
  body: summary,
  subject: named(suspect),
  authority: "member",
  ...usual("revert_approval")
})

const proposal = (incident: Incident, summary: string): Ask => ({
  kind: "maintenance_proposal",
  title: fixTitle(incident),
  body: summary,
  subject: incident.key,
  authority: "member",
  recommendation: "accept_proposal",
  options: [
    { id: "accept_proposal", label: "Start the expedite fix", action: "accept_proposal" },
    { id: "decline_proposal", label: "Leave it to the person on call", action: "decline_proposal" }
  ]
})

type Step = { readonly type: "nothing" } | { readonly type: "fix" } | { readonly type: "ask"; readonly ask: Ask }

/** The step that a finding requires; none for a service that only observes. */
export const step = ({ settings }: Service, incident: Incident, finding: Finding): Step => {
  if (settings.observeOnly || incident.status === "resolved") return { type: "nothing" }
  if (finding.suspect !== null) return { type: "ask", ask: revert(incident, finding.suspect, finding.summary) }
  if (!finding.isCodeCaused) return { type: "nothing" }
  return settings.startFixes ? { type: "fix" } : { type: "ask", ask: proposal(incident, finding.summary) }
}

/** Records a finding and takes or asks for its step; once for each incident. */
export const conclude =
  (finding: Finding) =>
  (at: FindingContext): Either.Either<Decided<void>, "concluded already"> => {
    const { now, standing } = at
    const { incident } = standing
    if (incident.investigation !== null || at.job.status === "done") return Either.left("concluded already")
    const next = step(at.service, incident, finding)
    const done = new Job({ ...at.job, status: "done", tries: at.job.tries + 1, error: null, updatedAt: now })
    const fix =
      next.type === "fix"
        ? expediteFix(byService, at, { title: fixTitle(incident), description: finding.summary, note: null })
        : null
    const before =
      next.type === "ask"
        ? (at.pending.find(({ kind, subject }) => kind === next.ask.kind && subject === next.ask.subject) ?? null)
        : null
    const raised =
      next.type === "ask" && before === null
        ? Either.getOrThrow(asked(byService, { ...at, run: null, story: null }, [next.ask]))
        : null
    const decision = raised?.decisions[0] ?? before
    const storyKey = fix?.story.key ?? null
    const runKey = fix?.run?.key ?? null
    const after = new Incident({
      ...incident,
      investigation: { ...finding, at: now, decision: decision?.key ?? null, storyKey, runKey }
    })
    const details = {
      investigation: finding.summary,
      confidence: finding.confidence,
      ...(decision && { decision: decision.key }),
      ...(fix && { storyKey, runKey })
    }
    return answered(
      {
        added: {
          ...(fix && { stories: [fix.story] }),
          ...(fix?.run && { runs: [fix.run] }),
          decisions: raised?.decisions ?? [],
          jobs: decision === null ? [] : [followUp(at.fresh.job, incident, "asked", now, { decision: decision.key })]
        },
        changed: { incidents: [after], jobs: [done] },
        audit: [
          incidentFact(byService, "incident_updated", incident, details, runKey),
          ...(fix?.audit ?? []),
          ...(raised?.audit ?? [])
        ]
      },
      undefined
    )
  }
