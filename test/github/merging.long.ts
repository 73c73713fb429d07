import { afterAll, assert, beforeAll, it } from "vitest"
import { git } from "./Git.ts"
import { mergeFromQueue } from "./MergeQueue.ts"
import { acme, clientOf, commit, makeScene, outcome, personOf, type Scene } from "./Scene.ts"
import { isPullRequest } from "./State.ts"

let scene: Scene

beforeAll(async () => {
  scene = await makeScene()
})
afterAll(async () => {
  assert.deepStrictEqual(scene.server.violations, [])
  await scene.close()
})

let last = 0

/** A pull request that changes a file of its own. */
const opened = async (more: { readonly draft?: boolean; readonly base?: string } = {}, file = `file${last}.txt`) => {
  const branch = `branch${++last}`
  const head = await commit(scene, branch, { [file]: `${branch}\n` }, more.base)
  const wanted = { ...acme, title: branch, head: branch, base: "main", ...more }
  const { data } = await scene.bot.rest.pulls.create(wanted)
  return { head, number: data.number, node: data.node_id, branch }
}

const merged = (number: number, more: object = {}) =>
  outcome(scene.bot.rest.pulls.merge({ ...acme, pull_number: number, ...more }))

const protect = async <A>(rules: object, work: () => Promise<A>): Promise<A> => {
  const none = { requiredChecks: [], isStrict: false, reviews: 0, mergeQueue: false }
  scene.repository.protections.set("main", { ...none, ...rules })
  try {
    return await work()
  } finally {
    scene.repository.protections.delete("main")
  }
}

it("two pull requests in conflict: the second is not mergeable, and says so twice", async () => {
  const [one, other] = [await opened({}, "same.txt"), await opened({}, "same.txt")]
  assert.strictEqual((await merged(one.number))[0], 200)
  assert.deepStrictEqual(await merged(other.number), [405, "Pull Request is not mergeable"])
  const { data } = await scene.bot.rest.pulls.get({ ...acme, pull_number: other.number })
  assert.deepStrictEqual([data.mergeable, data.mergeable_state], [false, "dirty"])
  assert.deepStrictEqual(await merged(one.number), [405, "Pull Request is not mergeable"])
})

it("a squash has one parent, a rebase keeps the commits", async () => {
  const [one, other] = [await opened(), await opened()]
  await scene.bot.rest.pulls.merge({ ...acme, pull_number: one.number, merge_method: "squash" })
  const squashed = await git(scene.repository.path, ["log", "-1", "--format=%s %P", "main"])
  assert.strictEqual(squashed.split(" ").length, 3)
  const rebase = { ...acme, pull_number: other.number, merge_method: "rebase" as const }
  await scene.bot.rest.pulls.merge(rebase)
  assert.strictEqual(await git(scene.repository.path, ["log", "-1", "--format=%s", "main"]), "A change")
})

it("drafts, methods and rules stand in the way with their own words", async () => {
  const draft = await opened({ draft: true })
  assert.deepStrictEqual(await merged(draft.number), [405, "Pull Request is still a draft"])
  const pull = await opened()
  scene.repository.mergeMethods.delete("squash")
  const squash = await merged(pull.number, { merge_method: "squash" })
  assert.deepStrictEqual(squash, [405, "Squash merges are not allowed on this repository."])
  await protect({ requiredChecks: ["ci"] }, async () => {
    const [status, message] = await merged(pull.number)
    assert.strictEqual(status, 405)
    assert.include(message, 'Required status check "ci" is expected.')
    const rules = await scene.bot.rest.repos.getBranchRules({ ...acme, branch: "main" })
    assert.deepStrictEqual(
      rules.data.map(({ type }) => type),
      ["required_status_checks"]
    )
    const { data: branch } = await scene.bot.rest.repos.getBranch({ ...acme, branch: "main" })
    assert.isTrue(branch.protected)
    await scene.ana.rest.repos.createCommitStatus({ ...acme, sha: pull.head, state: "success", context: "ci" })
    assert.strictEqual((await merged(pull.number, { sha: pull.head }))[0], 200)
  })
})

it("a push to the head makes the verified commit stale, a deleted head closes", async () => {
  const pull = await opened()
  await commit(scene, pull.branch, { "more.txt": "more\n" })
  const stale = await merged(pull.number, { sha: pull.head })
  assert.deepStrictEqual(stale, [409, "Head branch was modified. Review and try the merge again."])
  await scene.bot.rest.git.deleteRef({ ...acme, ref: `heads/${pull.branch}` })
  const { data } = await scene.bot.rest.pulls.get({ ...acme, pull_number: pull.number })
  assert.deepStrictEqual([data.state, data.merged], ["closed", false])
})

it("a push to main that contains the head merges the pull request", async () => {
  const pull = await opened()
  await scene.ana.rest.git.updateRef({ ...acme, ref: "heads/main", sha: pull.head, force: true })
  const { data } = await scene.bot.rest.pulls.get({ ...acme, pull_number: pull.number })
  assert.deepStrictEqual([data.merged, data.merge_commit_sha], [true, pull.head])
})

it("a merge queue refuses the direct way, takes the pull request once, and merges later", async () => {
  const pull = await opened()
  await protect({ mergeQueue: true }, async () => {
    assert.include((await merged(pull.number))[1], "Changes must be made through the merge queue")
    const document = `mutation ($id: ID!, $head: GitObjectID) {
      enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) { mergeQueueEntry { position state } }
    }`
    const enqueue = () => scene.bot.graphql<unknown>(document, { id: pull.node, head: pull.head })
    assert.deepStrictEqual(await enqueue(), {
      enqueuePullRequest: { mergeQueueEntry: { position: 1, state: "AWAITING_CHECKS" } }
    })
    assert.match(String(await enqueue().catch(String)), /already in the queue/)
    const found = scene.repository.issues.filter(isPullRequest).find(({ number }) => number === pull.number)
    if (found !== undefined) await mergeFromQueue(scene.server.world, scene.repository, found)
  })
  const { data } = await scene.bot.rest.pulls.get({ ...acme, pull_number: pull.number })
  assert.isTrue(data.merged)
})

it("GraphQL reverts a merged pull request on a branch of its own", async () => {
  const pull = await opened({}, "reverted.txt")
  await merged(pull.number)
  const document = `mutation ($id: ID!) {
    revertPullRequest(input: { pullRequestId: $id, title: "Undo" }) { revertPullRequest { number url headRefName } }
  }`
  const answer = await scene.bot.graphql<{
    readonly revertPullRequest: {
      readonly revertPullRequest: { readonly number: number; readonly headRefName: string }
    }
  }>(document, { id: pull.node })
  const made = answer.revertPullRequest.revertPullRequest
  assert.strictEqual(made.headRefName, `revert-${pull.number}-${pull.branch}`)
  assert.strictEqual((await merged(made.number))[0], 200)
  const files = await git(scene.repository.path, ["ls-tree", "--name-only", "main"])
  assert.notInclude(files.split("\n"), "reverted.txt")
  assert.match(
    String(await scene.bot.graphql(document, { id: pull.node }).catch(String)),
    /already exists|cannot be reverted/
  )
})

it("rights: a missing permission is named, a stranger sees nothing", async () => {
  const pull = await opened()
  const ids = { installation_id: scene.installation.id, permissions: { pull_requests: "write" as const } }
  const { data } = await scene.jwt.rest.apps.createInstallationAccessToken(ids)
  const call = clientOf(scene.server, data.token).rest.pulls.merge({ ...acme, pull_number: pull.number })
  const refused = (await call.catch((error: unknown) => error)) as {
    readonly status: number
    readonly response: { readonly headers: Readonly<Record<string, string>> }
  }
  assert.strictEqual(refused.status, 403)
  assert.strictEqual(refused.response.headers["x-accepted-github-permissions"], "contents=write")
  assert.strictEqual((await outcome(personOf(scene.server, "eve").rest.repos.get(acme)))[0], 404)
})
