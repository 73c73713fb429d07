import { Cause, Deferred, Duration, Effect } from "effect"
import type { LeaseGrant } from "../../../application/runner/LeaseGrant.ts"
import { cut, printable } from "../../../domain/value/Text.ts"
import * as Loopback from "../agent/Loopback.ts"
import type { GitTokens } from "../../RunnerSettings.ts"
import { leaseTokens } from "../git/LeaseTokens.ts"
import { GitFailed } from "../git/Git.ts"
import * as Mirror from "../git/Mirror.ts"
import * as Tree from "../git/Tree.ts"
import { erase } from "../process/Folder.ts"
import * as Records from "../Records.ts"
import { type Redact, redactor } from "../SecretRedaction.ts"
import { work } from "./Attempt.ts"
import { AttemptFailed, type Bench, failed } from "./Bench.ts"
import type { GatesUnreadable } from "./Gates.ts"
import * as LeaseLine from "./LeaseLine.ts"
import { entryOf, open, save, type Site } from "./Site.ts"
import { discard, keptReason } from "./Upkeep.ts"

const failureOf = (cause: Cause.Cause<AttemptFailed | GitFailed | GatesUnreadable>): AttemptFailed => {
  const error = Cause.squash(cause)
  if (error instanceof AttemptFailed) return error
  const message = error instanceof Error ? error.message : String(error)
  const tag = typeof error === "object" && error !== null && "_tag" in error ? error._tag : ""
  if (error instanceof GitFailed) return failed(error.isOfFiles === true ? "persistent" : "dependency", message)
  if (tag === "GatesUnreadable") return failed("persistent", message)
  return failed("transient", `The runner could not go on: ${message}`)
}

/** Ends the attempt as failed, for as long as the lease is held. */
const reportFailure = (
  bench: Bench,
  grant: LeaseGrant,
  line: LeaseLine.LeaseLine,
  redact: Redact,
  failure: AttemptFailed
) =>
  Effect.gen(function* () {
    const { failureClass, outcome } = failure
    const error = cut(redact(printable(failure.error)), 4000)
    yield* bench.say("failed", `${grant.story.key}: ${error}`, { run: grant.run.key, failureClass })
    line.log(error)
    yield* line.report({ type: "failure", failureClass, error })
    yield* line.finish(outcome)
  })

/** Says why the work ended before it was done. */
const wordsOf = (end: LeaseLine.End): string => {
  switch (end.type) {
    case "released":
      if (end.raised.length > 0) return `it waits for ${end.raised.join(", ")}`
      return end.status === "waiting" ? "it waits for an answer" : `the run is ${end.status}`
    case "stopped":
      return "the run was stopped, or waits for a person"
    case "lost":
      return `the lease is lost: ${end.reason}`
    case "key_refused":
      return "the service no longer takes the key"
    case "shutdown":
      return "the runner ends"
  }
}

/** Time to push the files of an agent when the runner ends; its supervisor does not wait longer. */
const pushLimit = Duration.seconds(40)

/** Keeps the files of an agent that was stopped: pushed where the run goes on, as they are where the lease is lost. */
const keep = (site: Site, end: LeaseLine.End) => {
  if (!site.isUnsaved || end.type === "lost" || end.type === "key_refused") return Effect.void
  const saved = save(site, `Work in progress on ${site.grant.story.key}`)
  const late = () => failed("transient", `The push did not end within ${Duration.format(pushLimit)}`)
  const limited = end.type === "shutdown" ? Effect.timeoutFail(saved, { duration: pushLimit, onTimeout: late }) : saved
  return Effect.catchAll(limited, (problem) =>
    site.bench.say("unsaved", problem._tag === "AttemptFailed" ? problem.error : problem.message, {
      run: site.grant.run.key
    })
  )
}

/** Removes the trees of the run that hold nothing more, and says why the others stay. */
const settle = Effect.fn("RunLease.settle")(function* (site: Site, reason: string, isOver: boolean) {
  const { bench, grant } = site
  const { key: run } = grant.run
  Records.write(bench.places, entryOf(site))
  const own = Records.keyOf(run, grant.run.attempt, grant.fence)
  for (const entry of Records.list(bench.places).filter((one) => one.run === run)) {
    const isOwn = entry.key === own
    // Another lease of the run may have begun here already; its tree is in use.
    if (!isOwn && bench.live.has(entry.key)) continue
    // Gates may leave files in the tree of a change that is handed off; those are no work.
    const why =
      isOwn && site.isHandedOff
        ? (yield* isHeadPushed(site))
          ? null
          : "its commits are not pushed"
        : yield* keptReason(bench, entry)
    if (why === null) yield* discard(bench, entry)
    else
      yield* bench.say("tree_kept", `${entry.key} is kept: ${why}`, {
        run,
        tree: bench.places.tree(entry.run, entry.attempt, fenceOf(entry))
      })
  }
  const isDone = site.isHandedOff || reason !== wordsOf({ type: "stopped" })
  const folder = bench.places.attempt(run, grant.run.attempt)
  const others = [...bench.live].filter((key) => key !== own)
  const trees = [...Records.list(bench.places).map(({ key }) => key), ...others]
  const hasTree = trees.some((key) => key.startsWith(`${run}-${grant.run.attempt}-`))
  if (isOver && isDone && !hasTree) yield* erase(folder)
})

const fenceOf = ({ key }: Records.Entry) => Number(key.slice(key.lastIndexOf("-") + 1))

const isHeadPushed = (site: Site) =>
  Effect.flatMap(Tree.head(site.tree), (head) => Mirror.isPushed(site.mirror, head, site.grant.branch)).pipe(
    Effect.orElseSucceed(() => false)
  )

const overStatuses = new Set(["succeeded", "failed", "timed_out", "stopped"])

const aboutOf = ({ run, story }: LeaseGrant) => ({
  run: run.key,
  story: story.key,
  attempt: run.attempt,
  stage: run.stage
})

/** Opens the place of the work, works, and leaves it tidy. */
const worked = Effect.fn("RunLease.worked")(function* (
  bench: Bench,
  grant: LeaseGrant,
  line: LeaseLine.LeaseLine,
  redact: Redact,
  mcp: Loopback.Loopback,
  tokens: GitTokens
) {
  const { run, story } = grant
  const about = aboutOf(grant)
  bench.live.add(Records.keyOf(run.key, run.attempt, grant.fence))
  let site: Site | undefined
  const body = Effect.gen(function* () {
    site = yield* open(bench, grant, line, redact, mcp, tokens)
    yield* work(site)
  })
  const attempted = body.pipe(
    Effect.sandbox,
    Effect.catchAll((cause) => reportFailure(bench, grant, line, redact, failureOf(cause))),
    Effect.as(null)
  )
  const end = yield* Effect.raceFirst(attempted, Deferred.await(line.over))
  const isHandedOff = site?.isHandedOff === true && end?.type !== "lost"
  if (site !== undefined) site.isHandedOff = isHandedOff
  const isOver =
    end === null || isHandedOff || end.type === "stopped" || (end.type === "released" && overStatuses.has(end.status))
  const words = isHandedOff ? "handed off" : end === null ? "failed" : wordsOf(end)
  yield* bench.say("released", `${story.key}: ${words}`, { ...about, why: end?.type ?? "failed" })
  if (site !== undefined) {
    if (end !== null) yield* keep(site, end)
    yield* settle(site, words, isOver).pipe(
      Effect.catchAllCause((cause) => bench.say("unsettled", Cause.pretty(cause), { run: run.key }))
    )
  }
  return end
})

/** Works on one lease until it is handed off, waits for a person, has failed or is lost. */
export const runLease = Effect.fn("RunLease.run")(
  function* (bench: Bench, grant: LeaseGrant) {
    const { run, story } = grant
    const mcp = yield* Loopback.open(bench.settings.url, grant.credential)
    const tokens = leaseTokens(bench.settings.gitTokens, grant)
    const known = redactor([...bench.secrets, grant.credential, mcp.secret])
    const redact = (text: string) => known(tokens.redact(text))
    const line = yield* LeaseLine.open(bench.service, grant, bench.intervals, redact, bench.say, bench.drain, tokens)
    yield* Effect.forkScoped(Effect.flatMap(bench.shutdown, line.end))
    yield* bench.say(
      "leased",
      `${story.key}: attempt ${run.attempt} begins at the stage ${run.stage}: ${story.title}`,
      aboutOf(grant)
    )
    // An earlier lease of the attempt, which has just ended, may still push its work and clear its folder.
    return yield* bench.locked(bench.places.attempt(run.key, run.attempt))(
      worked(bench, grant, line, redact, mcp, tokens.all)
    )
  },
  (effect, bench, grant) =>
    Effect.ensuring(
      Effect.scoped(effect),
      Effect.sync(() => bench.live.delete(Records.keyOf(grant.run.key, grant.run.attempt, grant.fence)))
    )
)
