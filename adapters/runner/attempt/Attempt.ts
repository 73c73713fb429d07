import { Effect } from "effect"
import { cut, printable } from "../../../domain/value/Text.ts"
import * as History from "../git/History.ts"
import * as Tree from "../git/Tree.ts"
import { agentStep, refusals, textOf } from "./AgentStep.ts"
import { failed } from "./Bench.ts"
import * as Gates from "./Gates.ts"
import { specFolder } from "./Prompts.ts"
import { checkResolved, deniedIn, isAskable, refresh, save, showConflicts, type Site } from "./Site.ts"
import { isIntact, specStep } from "./Spec.ts"
import { type Verified, verify } from "./Verify.ts"

/** Lets the agent plan; an approval that the policy requires ends the lease here. */
const plan = Effect.fn("Attempt.plan")(function* (site: Site) {
  const text = textOf(site, yield* agentStep(site, "plan"))
  if (text === "") return yield* failed("persistent", "The agent printed no plan in the step plan.")
  if ((yield* Tree.stage(site.tree)).length > 0) {
    site.line.log("The step plan may not change files; its changes are dropped.")
    yield* refresh(site)
  }
  yield* site.line.report({ type: "plan_ready", plan: text, size: null })
})

/** Checks the diff against the policy and the spec; asks where it goes too far. */
const guard = Effect.fn("Attempt.guard")(function* (site: Site, spec: string | null, head: string) {
  const { bench, grant, line, mirror } = site
  const changed = yield* History.changedPaths(mirror, site.baseCommit, head)
  const own = `${specFolder(grant.story.key)}/`
  if (!changed.some((path) => spec === null || !path.startsWith(own)))
    return yield* failed(
      site.refused.length === 0 ? "persistent" : "policy",
      `The agent changed no files.${refusals(site)}`
    )
  const denied = deniedIn(site, changed, spec !== null)
  const isSpecIntact = spec === null || (yield* isIntact(site, spec))
  if (denied.length === 0 && isSpecIntact) return yield* line.report({ type: "stage", stage: "verifying" })
  const words = [...denied.slice(0, 20), ...(isSpecIntact ? [] : [own])].join(", ")
  yield* bench.say("denied", `${grant.story.key}: the change touches ${words}`, { run: grant.run.key })
  const odd = denied.find((path) => !isAskable(path))
  if (odd !== undefined)
    return yield* failed(
      "policy",
      `The change touches ${printable(cut(odd, 200))}, which the policy denies, and nobody can allow it: a path has at most 500 characters, and no step that is empty, '.' or '..'. Rename the file`
    )
  yield* line.report(
    { type: "stage", stage: "verifying" },
    ...denied.slice(0, 20).map((path) => ({
      type: "path_needed" as const,
      path,
      reason: `The change of attempt ${grant.run.attempt} touches it.`
    })),
    ...(isSpecIntact
      ? []
      : [{ type: "spec_changed" as const, reason: `The change of attempt ${grant.run.attempt} touches ${own}` }])
  )
  return yield* failed("policy", `The change touches paths that the policy denies: ${words}`)
})

/** Reports the pushed branch and whether it was verified; the service opens the pull request, and the lease is over. */
const handOff = Effect.fn("Attempt.handOff")(function* (site: Site, head: string, verified: Verified) {
  const { evidence, isPassed, summary } = verified
  const { base, bench, grant, line } = site
  yield* bench.say(
    "hand_off",
    `${grant.story.key}: ${grant.branch} is ${isPassed ? "verified" : "allowed"} and pushed`,
    {
      run: grant.run.key,
      branch: grant.branch,
      head
    }
  )
  site.isHandedOff = true
  yield* line.report(
    { type: "evidence", evidence },
    {
      type: "handed_off",
      repository: grant.repository,
      branch: grant.branch,
      head,
      base,
      title: printable(cut(`${grant.story.key}: ${grant.story.title}`, 500)),
      summary,
      verified: isPassed
    }
  )
})

/** One automatic rework follows a failed verification; a second failure is a person's. */
const mostReworks = 1

/** Works on the leased attempt from its stage to the hand-off. */
export const work = Effect.fn("Attempt.work")(function* (site: Site) {
  const { grant, line, mirror } = site
  if (grant.run.stage === "planning") yield* plan(site)
  const gates = yield* Gates.at(mirror, site.baseCommit)
  const spec = yield* specStep(site, gates)
  const isWritten = grant.run.stage === "verifying" || grant.run.stage === "handing_off"
  const subject = `${grant.story.key}: ${printable(cut(grant.story.title.replace(/\s+/g, " "), 200))}`
  if (!isWritten) {
    yield* showConflicts(site)
    site.isUnsaved = true
    yield* agentStep(site, "implement")
  }
  for (let reworks = 0; ; reworks++) {
    const head = yield* save(site, reworks === 0 ? subject : `Rework ${grant.story.key} after its verification`)
    yield* checkResolved(site, head)
    yield* guard(site, spec, head)
    const verified = yield* verify(site, gates, spec, head)
    if (verified.isPassed || verified.isAllowed) return yield* handOff(site, head, verified)
    yield* line.report({ type: "evidence", evidence: verified.evidence }, ...verified.failures, {
      type: "verification",
      status: "failed",
      summary: verified.summary
    })
    if (reworks >= mostReworks) return yield* failed("gate", verified.summary)
    site.isUnsaved = true
    yield* agentStep(site, "rework", verified.prompt)
  }
})
