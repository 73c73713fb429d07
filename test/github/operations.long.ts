import { Octokit } from "@octokit/rest"
import { request } from "node:http"
import { afterAll, assert, beforeAll, it } from "vitest"
import { startGitHub } from "./GitHubServer.ts"
import { checkResponse, operations } from "./OpenApi.ts"
import { handlers } from "./Rest.ts"
import { acme, commit, inClone, makeScene, outcome, personOf, push, remoteOf, type Scene } from "./Scene.ts"
import { makeClock } from "./State.ts"
import { addPersonalToken, addRepository } from "./World.ts"

let scene: Scene

beforeAll(async () => {
  scene = await makeScene()
})
afterAll(async () => {
  assert.deepStrictEqual(scene.server.violations, [])
  await scene.close()
})

it("every operation of the extract is answered", () =>
  assert.deepStrictEqual(
    operations.map(({ id }) => id).filter((id) => id !== "rate-limit/get" && handlers[id] === undefined),
    []
  ))

it("an answer that GitHub does not describe is noted", () => {
  const operation = operations.find(({ id }) => id === "pulls/merge")
  assert.isDefined(operation)
  assert.deepStrictEqual(checkResponse(operation, 200, { sha: "a", merged: true, message: "" }), [])
  assert.deepStrictEqual(checkResponse(operation, 200, { sha: 1, merged: true }).length, 2)
  assert.deepStrictEqual(checkResponse(operation, 418, { message: "No" }), ["status 418 is not described"])
})

it("repositories, branches, refs and commits", async () => {
  const { ana, bot, repository } = scene
  repository.collaborators.set("ana", "admin")
  const sha = await commit(scene, "feature", { "a.txt": "a\n" })
  assert.strictEqual((await ana.rest.repos.get(acme)).data.permissions?.admin, true)
  assert.strictEqual((await ana.rest.repos.listForAuthenticatedUser()).data.length, 1)
  assert.strictEqual((await bot.rest.repos.listBranches(acme)).data.length, 2)
  assert.strictEqual((await bot.rest.git.getCommit({ ...acme, commit_sha: sha })).data.sha, sha)
  assert.strictEqual((await bot.rest.repos.listCommits({ ...acme, sha: "feature" })).data.length, 2)
  const { data } = await bot.rest.repos.compareCommitsWithBasehead({ ...acme, basehead: "main...feature" })
  assert.deepStrictEqual([data.status, data.ahead_by, data.files?.[0]?.filename], ["ahead", 1, "a.txt"])
  await bot.rest.git.createRef({ ...acme, ref: "refs/heads/copy", sha })
  assert.strictEqual((await outcome(bot.rest.git.createRef({ ...acme, ref: "refs/heads/copy", sha })))[0], 422)
  assert.strictEqual((await bot.rest.git.listMatchingRefs({ ...acme, ref: "heads/" })).data.length, 3)
  assert.strictEqual((await outcome(bot.rest.git.getRef({ ...acme, ref: "heads/none" })))[0], 404)
  const { data: role } = await bot.rest.repos.getCollaboratorPermissionLevel({ ...acme, username: "ana" })
  assert.strictEqual(role.permission, "admin")
  assert.strictEqual((await ana.rest.users.getByUsername({ username: "ana" })).data.login, "ana")
  assert.strictEqual((await outcome(ana.rest.meta.get()))[0], 200)
})

it("pull requests name their commits and files", async () => {
  const { bot } = scene
  const { data } = await bot.rest.pulls.create({ ...acme, title: "A", head: "feature", base: "main" })
  const at = { ...acme, pull_number: data.number }
  assert.strictEqual((await bot.rest.pulls.listCommits(at)).data.length, 1)
  assert.deepStrictEqual((await bot.rest.pulls.listFiles(at)).data[0]?.filename, "a.txt")
  assert.strictEqual((await outcome(bot.rest.pulls.checkIfMerged(at)))[0], 404)
  await bot.rest.pulls.merge(at)
  assert.strictEqual((await bot.rest.pulls.checkIfMerged(at)).status, 204)
})

it("a client writes trees, commits and merges of its own", async () => {
  const { bot } = scene
  const { data: main } = await bot.rest.repos.getCommit({ ...acme, ref: "main" })
  const base = { ...acme, tree_sha: main.commit.tree.sha }
  const { data: old } = await bot.rest.git.getTree({ ...base, recursive: "1" })
  const [file] = old.tree
  const entry = { path: "copy.txt", mode: "100644" as const, type: "blob" as const, sha: file?.sha ?? "" }
  const { data: tree } = await bot.rest.git.createTree({ ...acme, base_tree: base.tree_sha, tree: [entry] })
  const wanted = { ...acme, message: "Copy", tree: tree.sha, parents: [main.sha] }
  const { data: made } = await bot.rest.git.createCommit(wanted)
  await bot.rest.git.createRef({ ...acme, ref: "refs/heads/copied", sha: made.sha })
  const { data: merged } = await bot.rest.repos.merge({ ...acme, base: "main", head: "copied" })
  assert.strictEqual(scene.repository.refs.get("refs/heads/main"), merged.sha)
})

it("check suites hold their runs, and an app changes only its own", async () => {
  const { bot } = scene
  const sha = scene.repository.refs.get("refs/heads/main") ?? ""
  const { data: run } = await bot.rest.checks.create({ ...acme, name: "gates", head_sha: sha })
  assert.strictEqual((await bot.rest.checks.get({ ...acme, check_run_id: run.id })).data.status, "queued")
  const suite = { ...acme, check_suite_id: run.check_suite?.id ?? 0 }
  assert.strictEqual((await bot.rest.checks.getSuite(suite)).data.status, "in_progress")
  assert.strictEqual((await bot.rest.checks.listForSuite(suite)).data.total_count, 1)
  await bot.rest.repos.createCommitStatus({ ...acme, sha, state: "error", context: "ci" })
  assert.strictEqual((await bot.rest.repos.listCommitStatusesForRef({ ...acme, ref: sha })).data.length, 1)
})

it("labels and comments of issues", async () => {
  const { ana } = scene
  await ana.rest.issues.createLabel({ ...acme, name: "size: s", color: "00ff00" })
  await ana.rest.issues.updateLabel({ ...acme, name: "size: s", new_name: "size: m" })
  assert.strictEqual((await ana.rest.issues.getLabel({ ...acme, name: "size: m" })).data.color, "00ff00")
  const { data } = await ana.rest.issues.create({ ...acme, title: "Fees" })
  const at = { ...acme, issue_number: data.number }
  await ana.rest.issues.setLabels({ ...at, labels: ["size: m"] })
  assert.strictEqual((await ana.rest.issues.listLabelsOnIssue(at)).data.length, 1)
  await ana.rest.issues.deleteLabel({ ...acme, name: "size: m" })
  assert.strictEqual((await ana.rest.issues.listLabelsForRepo(acme)).data.length, 0)
  const { data: comment } = await ana.rest.issues.createComment({ ...at, body: "Plan" })
  assert.strictEqual((await ana.rest.issues.getComment({ ...acme, comment_id: comment.id })).data.body, "Plan")
  assert.strictEqual((await ana.rest.issues.listComments(at)).data.length, 1)
  assert.strictEqual((await ana.rest.issues.listCommentsForRepo(acme)).data.length, 1)
})

it("an issue names who labelled, renamed and edited it", async () => {
  const { ana, bot } = scene
  const { data } = await ana.rest.issues.create({ ...acme, title: "Fees", labels: ["ready"] })
  const at = { ...acme, issue_number: data.number }
  await bot.rest.issues.update({ ...at, title: "Fees!", body: "New", state: "closed" })
  const { data: events } = await ana.rest.issues.listEvents(at)
  assert.deepStrictEqual(
    events.map(({ event, actor }) => [event, actor?.login]),
    [
      ["labeled", "ana"],
      ["renamed", "gatehouse-of-acme[bot]"],
      ["closed", "gatehouse-of-acme[bot]"]
    ]
  )
  assert.isAtLeast((await ana.rest.issues.listEventsForRepo(acme)).data.length, 3)
  const document = `query ($number: Int!) {
    repository(owner: "acme", name: "pay") { issue(number: $number) { state editor { login } } }
  }`
  const answer = await ana.graphql(document, { number: data.number })
  const issue = { state: "CLOSED", editor: { login: "gatehouse-of-acme" } }
  assert.deepStrictEqual(answer, { repository: { issue } })
})

it("a stranger in an open repository writes issues, and changes only their own", async () => {
  Object.assign(scene.repository, { isPrivate: false })
  const eve = personOf(scene.server, "eve")
  const { data } = await eve.rest.issues.create({ ...acme, title: "Mine", labels: ["ready"] })
  assert.deepStrictEqual(data.labels, [])
  assert.strictEqual(
    (await outcome(eve.rest.issues.update({ ...acme, issue_number: data.number, title: "Mine!" })))[0],
    200
  )
  const { data: other } = await scene.ana.rest.issues.create({ ...acme, title: "Hers" })
  assert.strictEqual(
    (await outcome(eve.rest.issues.update({ ...acme, issue_number: other.number, title: "No" })))[0],
    403
  )
  Object.assign(scene.repository, { isPrivate: true })
})

it("webhooks of the app and of a repository are set over the wire", async () => {
  const { ana, jwt } = scene
  // As a parameter, `url` would replace the address of the request itself.
  await jwt.request("PATCH /app/hook/config", { data: { url: "http://127.0.0.1:1/none", secret: "new" } })
  assert.strictEqual((await jwt.rest.apps.getWebhookConfigForApp()).data.url, "http://127.0.0.1:1/none")
  const { data } = await ana.rest.repos.createWebhook({
    ...acme,
    config: { url: "http://127.0.0.1:1/none" },
    events: ["push"]
  })
  assert.strictEqual((await ana.rest.repos.listWebhooks(acme)).data.length, 1)
  await ana.rest.repos.deleteWebhook({ ...acme, hook_id: data.id })
  await ana.rest.issues.create({ ...acme, title: "Undeliverable" })
  await scene.server.hooks.idle()
  const { data: sent } = await jwt.rest.apps.listWebhookDeliveries()
  const { data: one } = await jwt.rest.apps.getWebhookDelivery({ delivery_id: sent[0]?.id ?? 0 })
  assert.deepStrictEqual([one.status, one.event], ["Failed", "issues"])
  assert.strictEqual((await jwt.rest.apps.listInstallations()).data.length, 1)
  assert.strictEqual((await jwt.rest.apps.getInstallation({ installation_id: scene.installation.id })).status, 200)
})

it("git is refused without a token, with a narrow one, and on a protected branch", async () => {
  const { server, repository } = scene
  const reads = addPersonalToken(server.world, "ana", { contents: "read" }).value
  const writes = addPersonalToken(server.world, "ana", { contents: "write" }).value
  const failed = (remote: string, branch: string) =>
    inClone(remote, (folder) => push(folder, branch, { "c.txt": "c\n" })).then(() => "", String)
  assert.match(await failed(`${server.origin}/acme/pay.git`, "x"), /could not read Username|Authentication failed/)
  assert.match(await failed(remoteOf(server, repository, reads), "x"), /403/)
  repository.protections.set("main", { requiredChecks: [], isStrict: false, reviews: 1, mergeQueue: false })
  assert.match(await failed(remoteOf(server, repository, writes), "main"), /GH013/)
  repository.protections.delete("main")
})

it("a person makes an app from a manifest with one click, and installs it with another", async () => {
  const { server } = scene
  const manifest = {
    name: "One click",
    url: "https://gatehouse.test",
    redirect_url: "https://gatehouse.test/made",
    setup_url: "https://gatehouse.test/installed",
    default_permissions: { contents: "write" },
    default_events: ["push"]
  }
  const click = (method: string, path: string, body: string) =>
    new Promise<string>((resolve) => {
      const sent = request(`${server.origin}${path}`, { method }, (answer) => resolve(String(answer.headers.location)))
      sent.end(body)
    })
  const form = new URLSearchParams({ manifest: JSON.stringify(manifest) }).toString()
  const back = new URL(await click("POST", "/organizations/acme/settings/apps/new?state=s1", form))
  assert.strictEqual(back.searchParams.get("state"), "s1")
  const { data } = await new Octokit({ baseUrl: server.api }).rest.apps.createFromManifest({
    code: back.searchParams.get("code") ?? ""
  })
  const done = new URL(await click("GET", `/apps/${data.slug}/installations/new?state=s2`, ""))
  assert.deepStrictEqual([done.pathname, done.searchParams.get("state")], ["/installed", "s2"])
  assert.strictEqual(server.world.installations.has(Number(done.searchParams.get("installation_id"))), true)
})

it("the 81st creation in a minute is refused until the minute is over", async () => {
  const clock = makeClock(() => 1_800_000_000_000)
  const server = await startGitHub({ clock, contentLimit: { perMinute: 80, perHour: 500 } })
  const repository = await addRepository(server.world, "acme", "pay")
  repository.collaborators.set("ana", "write")
  const ana = personOf(server, "ana")
  const create = () => outcome(ana.rest.issues.create({ ...acme, title: "Storm" }))
  const made = await Promise.all(Array.from({ length: 90 }, create))
  assert.strictEqual(made.filter(([status]) => status === 403).length, 10)
  clock.advance(60_000)
  assert.strictEqual((await create())[0], 200)
  assert.strictEqual(repository.issues.length, 81)
  assert.deepStrictEqual(server.violations, [])
  await server.close()
})
