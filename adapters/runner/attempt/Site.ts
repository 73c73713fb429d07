import type { GitTokens } from "../../RunnerSettings.ts"
import { Effect, Schema } from "effect"
import { chmod, mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { LeaseGrant } from "../../../application/runner/LeaseGrant.ts"
import { isDenied, normalise } from "../../../domain/work/DecisionTriggers.ts"
import { Line } from "../../../domain/value/Text.ts"
import type { Loopback } from "../agent/Loopback.ts"
import * as History from "../git/History.ts"
import * as Merge from "../git/Merge.ts"
import * as Mirror from "../git/Mirror.ts"
import * as Tree from "../git/Tree.ts"
import { valuesOf } from "../process/Environment.ts"
import { give } from "../process/Folder.ts"
import type { Marked } from "../process/Survivors.ts"
import * as Records from "../Records.ts"
import type { Redact } from "../SecretRedaction.ts"
import { type Bench, failed } from "./Bench.ts"
import type { LeaseLine } from "./LeaseLine.ts"
import { specFolder } from "./Prompts.ts"

/** The place of one lease's work: repository, working tree, agent's home and the line to the service. */
export interface Site {
  readonly bench: Bench
  readonly grant: LeaseGrant
  readonly line: LeaseLine
  readonly redact: Redact
  readonly mirror: Mirror.Mirror
  readonly base: string
  /** The commit of the base that the branch starts from, or that is merged into it; gates are read there. */
  readonly baseCommit: string
  readonly tree: Tree.Tree
  readonly env: Readonly<Record<string, string>>
  readonly mcp: Loopback
  readonly author: Tree.Author
  readonly onStart: (marked: Marked) => void
  /** True while the agent implements, so that an early end keeps its files. */
  isUnsaved: boolean
  /** True while the base conflicts with the branch and is not merged into it. */
  isBehind: boolean
  /** Files that the agent has to bring together with the base. */
  conflicts: ReadonlyArray<string>
  isHandedOff: boolean
  /** Calls of tools that the agent's own program refused in its last step. */
  refused: ReadonlyArray<string>
}

export const entryOf = (site: Site): Records.Entry => ({
  key: Records.keyOf(site.grant.run.key, site.grant.run.attempt, site.grant.fence),
  run: site.grant.run.key,
  attempt: site.grant.run.attempt,
  story: site.grant.story.key,
  url: site.mirror.url,
  mirror: site.mirror.folder,
  branch: site.grant.branch,
  processes: []
})

/** The environment of agents and gates: an allow-list, and the variables that the operator named. */
const environmentOf = (bench: Bench, { run, story }: LeaseGrant, home: string, temporary: string) => ({
  PATH: "/usr/local/bin:/usr/bin:/bin",
  ...valuesOf(["PATH", ...bench.settings.agentVariables]),
  HOME: home,
  TMPDIR: temporary,
  LANG: "C.UTF-8",
  TERM: "dumb",
  GATEHOUSE_STORY: story.key,
  GATEHOUSE_RUN: run.key,
  GATEHOUSE_ATTEMPT: `${run.attempt}`
})

interface Beginning {
  readonly commit: string
  readonly baseCommit: string
  readonly isBehind: boolean
}

/** The commit to start from. Work goes on from the current base, which is merged into the branch unless it conflicts. */
const beginningOf = Effect.fn("Site.beginningOf")(function* (
  { base, baseHead, branchHead, mirror }: Mirror.Start,
  grant: LeaseGrant,
  author: Tree.Author
) {
  const at = (commit: string, baseCommit: string, isBehind = false): Beginning => ({ commit, baseCommit, isBehind })
  if (branchHead === null) return at(baseHead, baseHead)
  const fork = yield* History.commonBase(mirror, baseHead, branchHead)
  // A written change is verified as it is.
  const isWritten = grant.run.stage === "verifying" || grant.run.stage === "handing_off"
  if (isWritten || fork === baseHead) return at(branchHead, fork)
  if (fork === branchHead) return at(baseHead, baseHead)
  const { conflicts, tree } = yield* Merge.mergeTrees(mirror, branchHead, baseHead)
  if (conflicts.length > 0) return at(branchHead, baseHead, true)
  const text = message({ grant }, `Merge ${base} into ${grant.branch}`)
  const commit = yield* Tree.writeCommit(mirror, tree, [branchHead, baseHead], text, author)
  yield* Mirror.push(mirror, commit, grant.branch)
  return at(commit, baseHead)
})

/** Fetches the repository and checks the branch out into a fresh tree: where it was pushed, else at the base. */
export const open = Effect.fn("Site.open")(function* (
  bench: Bench,
  grant: LeaseGrant,
  line: LeaseLine,
  redact: Redact,
  mcp: Loopback,
  tokens: GitTokens
) {
  const { places, settings } = bench
  const { branch, fence, repository, run } = grant
  const author = { name: "Gatehouse", email: `gatehouse@${new URL(settings.url).hostname}` }
  const { base, baseCommit, commit, isBehind, mirror } = yield* Mirror.prepare(
    places.mirrors,
    tokens,
    repository,
    grant.base,
    branch
  ).pipe(
    Effect.flatMap((start) => Effect.map(beginningOf(start, grant, author), (found) => ({ ...start, ...found }))),
    bench.locked(repository)
  )
  const folder = places.attempt(run.key, run.attempt)
  yield* Effect.promise(async () => {
    await mkdir(folder, { recursive: true })
    await chmod(folder, 0o711)
  })
  const home = yield* give(join(folder, "home"), bench.isolation)
  const temporary = yield* give(join(folder, "tmp"), bench.isolation)
  const key = Records.keyOf(run.key, run.attempt, fence)
  const tree: Tree.Tree = {
    mirror,
    path: places.tree(run.key, run.attempt, fence),
    index: places.index(key),
    ref: `refs/heads/${key}`,
    desk: places.desk,
    isolation: bench.isolation
  }
  const started: Array<Marked> = []
  const site: Site = {
    bench,
    grant,
    line,
    redact,
    mirror,
    base,
    baseCommit,
    tree,
    env: environmentOf(bench, grant, home, temporary),
    mcp,
    author,
    onStart: (marked) => {
      started.push(marked)
      Records.write(places, { ...entryOf(site), processes: started })
    },
    isUnsaved: false,
    isBehind,
    conflicts: [],
    isHandedOff: false,
    refused: []
  }
  yield* bench.locked(repository)(Tree.create(tree, { commit, branch, base, baseCommit }))
  Records.write(places, entryOf(site))
  return site
})

/** Discards the files and checks the head out again, when a step changed files that are not its own. */
export const refresh = Effect.fn("Site.refresh")(function* (site: Site) {
  const { base, baseCommit, grant, tree } = site
  yield* Tree.create(tree, { commit: yield* Tree.head(tree), branch: grant.branch, base, baseCommit })
})

/** Merges the base into the files, where it conflicts with the branch; the agent resolves the conflicts. */
export const showConflicts = Effect.fn("Site.showConflicts")(function* (site: Site) {
  const { base, baseCommit, bench, grant, mirror, tree } = site
  const head = yield* Tree.head(tree)
  const left = [
    ...(yield* Merge.unresolved(mirror, baseCommit, head)),
    ...(yield* Merge.untouched(mirror, baseCommit, head))
  ]
  const merged = site.isBehind ? yield* Merge.mergeTrees(mirror, head, baseCommit) : null
  site.conflicts = [...new Set([...left, ...(merged?.conflicts ?? [])])]
  if (site.conflicts.length > 0) site.line.log(`The branch conflicts with ${base}: ${site.conflicts.join(", ")}`)
  if (merged !== null)
    yield* bench.locked(grant.repository)(
      Tree.create(tree, { commit: head, files: merged.tree, branch: grant.branch, base, baseCommit })
    )
})

/** Fails when the agent left markers of a conflict in the change. */
export const checkResolved = Effect.fn("Site.checkResolved")(function* (
  { base, baseCommit, mirror }: Site,
  head: string
) {
  const left = yield* Merge.unresolved(mirror, baseCommit, head)
  if (left.length > 0)
    return yield* failed(
      "persistent",
      `The agent left conflict markers of the merge with ${base} in ${left.slice(0, 20).join(", ")}. Retry the run.`
    )
})

export const message = ({ grant }: Pick<Site, "grant">, subject: string): string =>
  `${subject}\n\nStory: ${grant.story.key}\nRun: ${grant.run.key}\nAttempt: ${grant.run.attempt}\n`

/** Commits what the agent changed and pushes it; returns the head. */
export const save = Effect.fn("Site.save")(function* (site: Site, subject: string) {
  const changed = yield* Tree.stage(site.tree)
  if (changed.length > 0 || site.isBehind)
    yield* Tree.commit(site.tree, message(site, subject), site.author, site.isBehind ? [site.baseCommit] : [])
  site.isBehind = false
  const head = yield* Tree.head(site.tree)
  if (head !== site.baseCommit) yield* push(site, head)
  site.isUnsaved = false
  return head
})

export const push = (site: Site, head: string) =>
  site.bench.locked(site.grant.repository)(Mirror.push(site.mirror, head, site.grant.branch))

export const hasException = ({ grant }: Site, kind: string, subject: string | null) =>
  grant.exceptions.some((exception) => exception.kind === kind && exception.subject === subject)

const specSubject = (story: string) => `Acceptance spec for ${story}`

/** The commit of the acceptance spec: the first of the branch, which the runner made in that step. */
export const specCommit = Effect.fn("Site.specCommit")(function* ({ baseCommit, grant, mirror, tree }: Site) {
  const [first] = yield* History.commits(mirror, baseCommit, yield* Tree.head(tree))
  if (first === undefined) return null
  const subject = (yield* Mirror.on(mirror, ["show", "--no-patch", "--format=%s", first])).trim()
  return subject === specSubject(grant.story.key) ? first : null
})

/** Commits the folder of the spec and nothing else; null when it is empty. */
export const commitSpec = (site: Site) => {
  const { key } = site.grant.story
  return Tree.commitFolder(site.tree, specFolder(key), message(site, specSubject(key)), site.author)
}

const isLine = Schema.is(Line(500))

/** True for a path that a person can allow: it fits into a decision, and the service takes it for no other one. */
export const isAskable = (path: string): boolean => isLine(path) && normalise(path) === path.replaceAll("\\", "/")

const isAllowed = (site: Site, path: string): boolean =>
  isAskable(path) && hasException(site, "policy_exception", normalise(path))

/** Changed paths that need an exception the run does not have; the diff decides. */
export const deniedIn = (site: Site, changed: ReadonlyArray<string>, hasSpec: boolean): ReadonlyArray<string> => {
  const own = `${specFolder(site.grant.story.key)}/`
  return changed.filter(
    (path) =>
      !(hasSpec && path.startsWith(own)) &&
      [path, normalise(path)].some((one) => isDenied(site.grant.policy, one)) &&
      !isAllowed(site, path)
  )
}
