import type { AuditEntry } from "../../../domain/workspace/Audit.ts"
import type { Step } from "../../../domain/work/Step.ts"
import type { Decision } from "../../../domain/work/Decision.ts"
import type { PolicySummary } from "../../../domain/workspace/Policy.ts"
import type { Attempt, RunSummary, RunView } from "../../../domain/work/Run.ts"
import type { StorySummary, StoryView } from "../../../domain/work/Story.ts"
import type { TeamView } from "../../../domain/workspace/Team.ts"

interface Note<A> {
  readonly about: string
  readonly fields: { readonly [Field in keyof A]?: string }
}

const Team: Note<TeamView> = {
  about: "One AI team, bound to one tracker project and one or more repositories.",
  fields: {
    slug: "Names the team in paths, filters and app addresses.",
    keyPrefix: "First part of the team's story keys.",
    paused: "A paused team starts no new work; running work finishes.",
    policy: "null for a team without a policy.",
    updatedAt: "null until the team changes for the first time."
  }
}

const Policy: Note<PolicySummary> = {
  about: "What a team may do on its own.",
  fields: {
    custom: "true when a single setting departs from the preset.",
    version: "Rises with every change.",
    executor: "The coding agent: claude-code, codex, gemini-cli, opencode, custom or another.",
    maxConcurrency: "How many runs may work at the same time.",
    budgets: "In euro cents; null where there is no limit.",
    planApproval: "Which stories wait for a person to approve the plan.",
    mergePolicy: "Which changes are merged without asking.",
    pausedAt: "null while the team is not paused."
  }
}

const story: Note<StorySummary>["fields"] = {
  key: "The tracker's own key of the issue can differ.",
  team: "Team slug.",
  column: "Where the story stands. Names can differ from team to team, roles do not.",
  draft: "true for a draft that nobody has approved yet.",
  readinessScore: "0 to 100; 100 means ready.",
  tracker: "The issue that the story mirrors, which owns title and description; null when there is none."
}

const run: Note<RunSummary>["fields"] = {
  team: "Team slug.",
  status: "Of the latest attempt; waiting means that a decision is pending.",
  stage: "Of the latest attempt.",
  executor: "The coding agent of the latest attempt.",
  attempts: "How many attempts there were.",
  costCents: "All attempts together, in euro cents.",
  budgetCents: "In euro cents.",
  failureClass: "Why the latest attempt failed; otherwise null.",
  startedAt: "When the first attempt started; null before.",
  completedAt: "When the latest attempt ended; null before."
}

const attempt: Note<Attempt> = {
  about: "One try at a story.",
  fields: {
    attempt: "1 for the first.",
    costCents: "In euro cents.",
    failureClass: "Why it failed; otherwise null.",
    verification: "null until the attempt was verified."
  }
}

const decision: Note<typeof Decision.Encoded> = {
  about: "A point where the service needs a human.",
  fields: {
    authority: "The least role that may answer.",
    body: "The reasoning, in Markdown.",
    recommendation: "id of the recommended option.",
    team: "Team slug.",
    story: "Story key; null when the decision is about no story.",
    runKey: "null when the decision is about no run.",
    resolution: "null until resolved.",
    resolvedVia: "The channel of the answer; null until resolved.",
    resolvedAt: "null until resolved.",
    expiresAt: "When the decision expires unanswered; null when it does not."
  }
}

const step: Note<Step> = {
  about: "A step that an answer took.",
  fields: {
    type: "What happened, as a fact.",
    status: "done is committed; queued waits until somebody outside confirms it.",
    summary: "The step in a sentence.",
    ref: "What the step was about, by its key or id; null when there is nothing to point to."
  }
}

/** Descriptions of the components that show the domain. */
export const notes: { readonly [component: string]: Note<Record<string, unknown>> } = {
  Team,
  Policy,
  StorySummary: { about: "A story as lists show it.", fields: story },
  Story: {
    about: "What teams work on; it mirrors an issue of an external tracker.",
    fields: {
      ...story,
      acceptanceCriteria: "In order.",
      runKeys: "Newest first."
    } satisfies Note<StoryView>["fields"]
  },
  RunSummary: { about: "A run as lists show it.", fields: run },
  Run: {
    about: "The service working on one story; all attempts share the key.",
    fields: {
      ...run,
      attemptList: "Oldest first.",
      evidence: "null until the gates have run.",
      decisions: "Newest first."
    } satisfies Note<RunView>["fields"]
  },
  Attempt: attempt,
  Evidence: { about: "What the gates found, and what was shown.", fields: {} },
  Decision: decision,
  Resolution: { about: "The answer to a decision. Other fields are ignored.", fields: {} },
  ResolvedDecision: {
    about: "The decision as it is now, with the steps that the answer took.",
    fields: { ...decision.fields, effects: "In the order in which they were taken." }
  },
  ResolutionStep: step,
  GenericAlert: {
    about: "One alert in the generic format. Odd values of optional fields are read as well as they can be.",
    fields: {
      title: "A short description, shown as the incident's title.",
      status: "firing unless told.",
      fingerprint:
        "Identity of the alert: a resolved one recovers it. `id` unless told, else a hash of title and labels.",
      id: "The sender's id of the alert.",
      severity: "critical, high, medium, low, info, P1 to P5 and other tools' words; medium unless told.",
      service: "Picks the service when the source feeds several.",
      labels: "String pairs.",
      startedAt: "When it began, by the sender's clock.",
      endedAt: "When it was over, by the sender's clock."
    }
  },
  GenericAlerts: { about: "Several alerts in the generic format.", fields: {} },
  Accepted: {
    about: "What became of a delivery that is stored.",
    fields: {
      deliveryId: "Names the delivery in its source's ledger.",
      accepted: "How many alerts will be judged.",
      duplicates: "How many were delivered before.",
      rejected: "Alerts that cannot be read, by their index."
    }
  },
  AuditEntry: {
    about: "One thing that happened: who did what to what, and how it ended.",
    fields: {
      actor: "A person, the service, or the system.",
      team: "Team slug, or null.",
      runKey: "Run key, or null.",
      details: "`{v: 1, requestId, …}`, then what belongs to the event; only what changed, never a secret."
    } satisfies Note<AuditEntry>["fields"]
  }
}
