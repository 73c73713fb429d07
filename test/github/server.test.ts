import { afterAll, assert, beforeAll, it } from "vitest"
import { acme, inClone, makeScene, outcome, push, remoteOf, type Scene } from "./Scene.ts"

let scene: Scene

beforeAll(async () => {
  scene = await makeScene()
})
afterAll(async () => {
  assert.deepStrictEqual(scene.server.violations, [])
  await scene.close()
})

const tokenOf = async () => ((await scene.bot.auth({ type: "installation" })) as { readonly token: string }).token

const pushed = async (branch: string, files: Readonly<Record<string, string>>) =>
  inClone(remoteOf(scene.server, scene.repository, await tokenOf()), (folder) => push(folder, branch, files))

it("an app signs in as itself, and as its installation with a narrowed token", async () => {
  const { data: app } = await scene.jwt.rest.apps.getAuthenticated()
  assert.strictEqual(app?.slug, "gatehouse-of-acme")
  const { data: found } = await scene.jwt.rest.apps.getRepoInstallation(acme)
  assert.strictEqual(found.id, scene.installation.id)
  const wanted = { installation_id: found.id, repositories: ["pay"], permissions: { contents: "read" as const } }
  const { data: token } = await scene.jwt.rest.apps.createInstallationAccessToken(wanted)
  assert.isAbove(token.token.length, 40)
  assert.deepStrictEqual(token.permissions, { metadata: "read", contents: "read" })
  const { data: list } = await scene.bot.rest.apps.listReposAccessibleToInstallation()
  assert.deepStrictEqual(
    list.repositories.map(({ full_name }) => full_name),
    ["acme/pay"]
  )
})

it("a branch that git pushes becomes a pull request that merges on the branch itself", async () => {
  const head = await pushed("feature", { "fees.txt": "1\n" })
  const wanted = { ...acme, title: "Fees", head: "feature", base: "main", body: "Why" }
  const { data: pull } = await scene.bot.rest.pulls.create(wanted)
  assert.deepStrictEqual([pull.head.sha, pull.mergeable, pull.additions], [head, null, 1])
  const again = await outcome(scene.bot.rest.pulls.create(wanted))
  assert.strictEqual(again[0], 422)
  const found = await scene.bot.rest.pulls.list({ ...acme, head: "acme:feature", state: "all" })
  assert.deepStrictEqual(
    found.data.map(({ number }) => number),
    [pull.number]
  )
  const { data: asked } = await scene.bot.rest.pulls.get({ ...acme, pull_number: pull.number })
  assert.deepStrictEqual([asked.mergeable, asked.mergeable_state], [true, "clean"])
  const stale = await outcome(scene.bot.rest.pulls.merge({ ...acme, pull_number: pull.number, sha: "0".repeat(40) }))
  assert.deepStrictEqual(stale, [409, "Head branch was modified. Review and try the merge again."])
  const { data: merged } = await scene.bot.rest.pulls.merge({ ...acme, pull_number: pull.number, sha: head })
  const { data: ref } = await scene.bot.rest.git.getRef({ ...acme, ref: "heads/main" })
  assert.strictEqual(ref.object.sha, merged.sha)
  const { data: after } = await scene.bot.rest.pulls.get({ ...acme, pull_number: pull.number })
  assert.deepStrictEqual([after.merged, after.merge_commit_sha, after.state], [true, merged.sha, "closed"])
  const { data: commit } = await scene.bot.rest.repos.getCommit({ ...acme, ref: "main" })
  assert.strictEqual(commit.parents.length, 2)
})

it("check runs and statuses of a commit are two lists", async () => {
  const { data: main } = await scene.bot.rest.git.getRef({ ...acme, ref: "heads/main" })
  const { sha } = main.object
  const { data: run } = await scene.bot.rest.checks.create({
    ...acme,
    name: "gates",
    head_sha: sha,
    status: "in_progress"
  })
  const output = { title: "Red", summary: "One gate failed" }
  await scene.bot.rest.checks.update({
    ...acme,
    check_run_id: run.id,
    status: "completed",
    conclusion: "failure",
    output
  })
  const { data: runs } = await scene.bot.rest.checks.listForRef({ ...acme, ref: "main", filter: "latest" })
  assert.deepStrictEqual(
    runs.check_runs.map(({ name, conclusion }) => [name, conclusion]),
    [["gates", "failure"]]
  )
  const { data: suites } = await scene.bot.rest.checks.listSuitesForRef({ ...acme, ref: sha })
  assert.deepStrictEqual(
    suites.check_suites.map(({ conclusion }) => conclusion),
    ["failure"]
  )
  await scene.ana.rest.repos.createCommitStatus({ ...acme, sha, state: "success", context: "ci" })
  const { data: status } = await scene.ana.rest.repos.getCombinedStatusForRef({ ...acme, ref: "main" })
  assert.deepStrictEqual([status.state, status.total_count], ["success", 1])
  const refused = await outcome(scene.ana.rest.checks.create({ ...acme, name: "gates", head_sha: sha }))
  assert.strictEqual(refused[0], 403)
})
