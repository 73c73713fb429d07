import { Effect } from "effect"
import * as History from "../git/History.ts"
import * as Tree from "../git/Tree.ts"
import { agentStep } from "./AgentStep.ts"
import { apart, type Checked, check, isUnusable } from "./Check.ts"
import type { Gates } from "./Gates.ts"
import { specFolder } from "./Prompts.ts"
import { commitSpec, hasException, message, push, refresh, type Site, specCommit } from "./Site.ts"

/** A check that a gate or another check has changed says nothing. */
const tampered = (name: string, altered: ReadonlyArray<string>): Checked => ({
  name,
  ending: { type: "not_started", problem: "the spec was changed while it ran" },
  isPassed: false,
  summary: `the spec was changed while the change was verified: ${altered.join(", ")}`,
  tail: ""
})

/** Runs the checks of the spec as the commit has them: one command for all, or each executable file. */
export const runSpec = Effect.fn("Spec.run")(function* (site: Site, gates: Gates, commit: string) {
  const limit = site.bench.settings.gateLimit
  const folder = specFolder(site.grant.story.key)
  const files = yield* History.executables(site.mirror, commit, folder)
  const commands =
    gates.acceptance === null
      ? files.map((file) => ({ name: file, command: [`./${file}`] as const, limit }))
      : [{ name: "acceptance", command: gates.acceptance, limit }]
  const checks: Array<Checked> = []
  for (const command of commands) {
    const altered = yield* Tree.alteredIn(site.tree, folder)
    checks.push(altered.length === 0 ? yield* check(site, command) : tampered(command.name, altered))
  }
  return checks
})

/** The reason that checks prove nothing, if any. */
const weakness = (checks: ReadonlyArray<Checked>): string | null => {
  if (checks.length === 0) return "The spec has no check: no executable file, and no acceptance command at the base."
  const broken = checks.find(isUnusable)
  if (broken !== undefined) return `The check ${broken.name} cannot be run: ${broken.summary}.`
  return checks.every(({ isPassed }) => isPassed)
    ? "Every check passes before the work has begun, so the spec proves nothing."
    : null
}

const skipReason = (site: Site): string | null => {
  if (!site.grant.policy.acceptanceSpecRequired) return "the policy does not require it"
  return hasException(site, "gate_failure", null) ? "a person allowed the run to go on without it" : null
}

/** Puts the folder of the spec back as its commit has it. */
const restore = Effect.fn("Spec.restore")(function* (site: Site, commit: string) {
  const { key } = site.grant.story
  const text = message(site, `Restore the acceptance spec of ${key}`)
  yield* Tree.commitFolder(site.tree, specFolder(key), text, site.author, commit)
  yield* refresh(site)
  yield* push(site, yield* Tree.head(site.tree))
  site.line.log("The acceptance spec is restored.")
})

/** True when the folder of the spec is as its commit has it, or a person allowed the change. */
export const isIntact = Effect.fn("Spec.isIntact")(function* (site: Site, commit: string) {
  if (hasException(site, "diff_guard", null)) return true
  const folder = specFolder(site.grant.story.key)
  const [own, now] = [
    yield* Tree.folderOf(site.tree, commit, folder),
    yield* Tree.folderOf(site.tree, yield* Tree.head(site.tree), folder)
  ]
  return own === now
})

/** Returns the commit of the acceptance spec, which is written first where there is none; null when it is skipped. */
export const specStep = Effect.fn("Spec.step")(function* (site: Site, gates: Gates) {
  const { bench, grant, line } = site
  const known = yield* specCommit(site)
  if (known !== null) {
    if (!(yield* isIntact(site, known))) yield* restore(site, known)
    return known
  }
  const skipped = skipReason(site)
  if (skipped !== null || (yield* Tree.head(site.tree)) !== site.baseCommit) {
    const reason = skipped ?? "the branch already has commits without it"
    line.log(`The acceptance spec is skipped: ${reason}.`)
    yield* bench.say("spec_skipped", `${grant.story.key}: the acceptance spec is skipped: ${reason}`, {
      run: grant.run.key
    })
    return null
  }
  yield* agentStep(site, "spec")
  const folder = `${specFolder(grant.story.key)}/`
  const elsewhere = (yield* Tree.stage(site.tree)).filter((path) => !path.startsWith(folder))
  const commit = yield* commitSpec(site)
  if (elsewhere.length > 0) {
    line.log(
      `The step spec may only write ${folder}; its other changes are dropped: ${elsewhere.slice(0, 20).join(", ")}`
    )
    yield* refresh(site)
  }
  const checks = commit === null ? [] : yield* apart(site, (own) => runSpec(own, gates, commit))
  const reason = weakness(checks)
  if (reason === null && commit !== null) {
    yield* push(site, commit)
    return commit
  }
  yield* Tree.reset(site.tree, site.baseCommit)
  yield* refresh(site)
  yield* bench.say("spec_failed", `${grant.story.key}: ${reason ?? ""}`, { run: grant.run.key })
  yield* line.report({ type: "spec_failed", reason: reason ?? "" })
  return null
})
