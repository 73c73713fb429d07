import { type Action, actions, type Kind, type Option } from "./Decision.ts"
import type { Role } from "../workspace/Member.ts"
import { matches } from "../value/Glob.ts"
import { ownFolder, presets, type Settings } from "../workspace/Policy.ts"
import type { Fact } from "./RunReport.ts"
import { nameFrom } from "../value/Text.ts"
import { digest } from "../value/Digest.ts"
import { allowancesOf, failuresOf, progress, type Run } from "./Run.ts"

/** A decision to raise, before it has a key and a context. */
export interface Ask {
  readonly kind: Kind
  readonly title: string
  readonly body: string
  readonly subject: string | null
  readonly authority: Role
  readonly recommendation: string
  readonly options: ReadonlyArray<Omit<Option, "recommended">>
  /** True when it never expires: something else than time ends it. */
  readonly isLasting?: boolean
}

const labels: Record<Action, string> = {
  approve_plan: "Approve",
  request_changes: "Ask for changes",
  allow_once: "Allow it for this run",
  reject: "Reject it",
  raise_budget: "Double the budget",
  abandon: "Abandon the run",
  revert_spec_and_retry: "Restore the spec and try again",
  retry: "Try again",
  answer: "Answer",
  merge: "Merge",
  open_revert: "Open a revert",
  accept_proposal: "File it as a story",
  decline_proposal: "Leave it"
}

/** Action to recommend instead of the first option. */
const cautious: Partial<Record<Kind, Action>> = { policy_exception: "request_changes" }

/** Subject of a decision. */
export type About = "run" | "story" | "team"

/** Labels where there is no run. */
const runless: Record<Exclude<About, "run">, Partial<Record<Action, string>>> = {
  story: { abandon: "Abandon the story", allow_once: "Allow it" },
  team: { abandon: "Leave it", allow_once: "Allow it" }
}

/** The usual options of a kind: every action it may offer. */
export const usual = (kind: Kind, about: About = "run"): Pick<Ask, "options" | "recommendation"> => ({
  options: actions[kind].map((action) => ({
    id: action,
    label: (about === "run" ? undefined : runless[about][action]) ?? labels[action],
    action
  })),
  recommendation: cautious[kind] ?? actions[kind][0] ?? ""
})

const ask = (kind: Kind, title: string, body: string, subject: string | null = null): Ask => ({
  kind,
  title: nameFrom(title, 500, title && kind.replaceAll("_", " ")),
  body,
  subject,
  authority: "member",
  ...usual(kind)
})

/** The reasoning, after a sentence that names the subject. */
const about = (subject: string, reason: string): string => [subject, reason].filter((text) => text !== "").join("\n\n")

const times = (count: number): string => (count === 1 ? "once" : `${count} times`)

/** Says which gates failed, and by which decisions people allowed it. */
const allowedFailure = (run: Run | null): string => {
  const gates = (run?.evidence?.gates ?? []).filter(({ status }) => status === "failed").map(({ name }) => name)
  const decisions = run === null ? [] : allowancesOf(run)
  const failed =
    gates.length === 0 ? "" : `: ${gates.length === 1 ? "the gate" : "the gates"} ${gates.join(", ")} failed`
  const by =
    decisions.length === 0
      ? "No decision of the run allowed that"
      : `A person allowed the run to go on in ${decisions.map(({ decision }) => decision).join(", ")}`
  return `The verification did not pass${failed}. ${by}.`
}

const mergeUnverified = (run: Run | null, summary: string): Ask => {
  const pullRequest = run?.pullRequest ?? null
  return ask(
    "merge_approval",
    `Merge ${pullRequest === null ? "the change" : `pull request #${pullRequest.number}`} although its verification failed?`,
    about(about(pullRequest === null ? "" : `The pull request is ${pullRequest.url}.`, allowedFailure(run)), summary)
  )
}

const mergeAsk = (run: Run | null, summary: string): Ask => {
  const pullRequest = run?.pullRequest ?? null
  return pullRequest === null
    ? ask("merge_approval", "Merge the verified change?", summary)
    : ask(
        "merge_approval",
        `Merge the verified pull request #${pullRequest.number}?`,
        about(`The pull request is ${pullRequest.url}.`, summary)
      )
}

/** A team without a policy requires a decision for everything. */
export const settingsOf = (policy: Settings | null): Settings => policy ?? presets.guarded

/** `./a/../b` is `b`: a path is judged by its target. */
export const normalise = (path: string): string => {
  const steps: Array<string> = []
  for (const step of path.replaceAll("\\", "/").split("/")) {
    if (step === "..") steps.pop()
    else if (step !== "" && step !== ".") steps.push(step)
  }
  return steps.join("/") || "."
}

/** Gates and specs are always denied. A request for a folder includes the paths denied in it. */
export const isDenied = ({ deniedPaths }: Settings, path: string): boolean =>
  [ownFolder, ...deniedPaths.map(normalise)].some((glob) => matches(glob, path) || matches(glob, `${path}/`))

const isGranted = (run: Run | null, kind: Kind, subject: string | null): boolean =>
  run?.exceptions.some((exception) => exception.kind === kind && exception.subject === subject) ?? false

const linesOf = (run: Run | null): number =>
  run?.evidence?.diff ? run.evidence.diff.additions + run.evidence.diff.deletions : Number.POSITIVE_INFINITY

const mergesAlone = (policy: Settings, run: Run | null): boolean =>
  policy.mergePolicy === "verified" || (policy.mergePolicy === "small_changes" && linesOf(run) <= policy.mergeMaxLines)

const plans = (policy: Settings, size: string | null): boolean =>
  policy.planApproval === "always" || (policy.planApproval === "large_stories" && (size === "l" || size === "xl"))

/** The decision that a reported fact requires, if any; `run` is the state before the report. */
export const raisedBy = (policy: Settings, run: Run | null, fact: Fact): Ask | null => {
  switch (fact.type) {
    case "plan_ready":
      return plans(policy, fact.size) ? ask("plan_approval", "Approve the plan?", fact.plan) : null
    case "path_needed": {
      const path = normalise(fact.path)
      return isDenied(policy, path) && !isGranted(run, "policy_exception", path)
        ? ask(
            "policy_exception",
            `May it change ${path}?`,
            about(`The run needs to change \`${path}\`, which the policy denies.`, fact.reason),
            path
          )
        : null
    }
    case "question":
      return {
        ...ask("clarification", "The agent has a question", fact.question, digest(fact.question)),
        ...usual("clarification", run === null ? "story" : "run")
      }
    case "cost": {
      if (run === null) return null
      const total = progress(run).costCents + Math.max(0, fact.costCents - run.latest.costCents)
      return total >= run.budgetCents
        ? ask("budget_stop", "The budget is used up", `The run cost ${total} of ${run.budgetCents} cents so far.`)
        : null
    }
    case "verification": {
      if (fact.status === "failed" && fact.allowed === true) return mergeUnverified(run, fact.summary)
      if (fact.status === "failed")
        return run?.latest.verification?.status === "failed" && !isGranted(run, "verification_failed", null)
          ? ask("verification_failed", "Verification failed again after rework", fact.summary)
          : null
      return fact.status === "passed" && !mergesAlone(policy, run) ? mergeAsk(run, fact.summary) : null
    }
    case "spec_failed":
      return isGranted(run, "gate_failure", null)
        ? null
        : ask("gate_failure", "No working acceptance spec could be written", fact.reason)
    case "spec_changed":
      return isGranted(run, "diff_guard", null)
        ? null
        : ask("diff_guard", "The implementation changed the acceptance spec", fact.reason)
    case "gate_failed": {
      const failures = (run === null ? 0 : failuresOf(run, fact.gate)) + 1
      return failures > policy.gateFailureBudget && !isGranted(run, "repeated_gate_failure", fact.gate)
        ? ask(
            "repeated_gate_failure",
            `The gate ${fact.gate} failed ${times(failures)}`,
            about(
              `The gate ${fact.gate} failed ${times(failures)} in this run; the policy allows ${policy.gateFailureBudget}.`,
              fact.reason
            ),
            fact.gate
          )
        : null
    }
    case "main_broken":
      return ask(
        "revert_approval",
        `A merge broke the main branch. Revert ${fact.merge}?`,
        about(`The merge is ${fact.merge}.`, fact.reason),
        fact.merge
      )
    case "main_red":
      return ask("main_red_incident", "The main branch is red; merges are held", fact.reason)
    case "maintenance_found":
      return ask("maintenance_proposal", fact.title, fact.reason)
    case "feature_idea":
      return ask("strategy_proposal", fact.title, fact.reason)
    case "scope_grew":
      return ask("scope_change", "Doing it well would change its scope", fact.reason)
    case "stage":
    case "answer_awaited":
    case "evidence":
    case "handed_off":
    case "pull_request":
    case "merged":
    case "failure":
      return null
  }
}
