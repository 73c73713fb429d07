import Ajv from "@redocly/ajv"
import { createRequire } from "node:module"
import { afterAll, assert, beforeAll, it } from "vitest"
import { signatureOf } from "./Hooks.ts"
import { type Receiver, startReceiver } from "./Receiver.ts"
import { acme, commit, makeScene, type Scene } from "./Scene.ts"
import { acceptPermissions, changeRepositories, installApp, suspend, uninstall, unsuspend } from "./Installations.ts"
import { deleteIssue, transferIssue } from "./Issues.ts"
import { addRepository, addUser } from "./World.ts"

let scene: Scene
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  scene = await makeScene(receiver.url)
})
afterAll(async () => {
  assert.deepStrictEqual(scene.server.violations, [])
  await scene.close()
  await receiver.close()
})

const require = createRequire(import.meta.url)
const schemas = require("@octokit/webhooks-schemas") as { readonly definitions: Readonly<Record<string, object>> }
const ajv = new Ajv.default({ strict: false, validateSchema: false, validateFormats: false })
// Without its root, which would compile every event there is.
ajv.addSchema({ definitions: schemas.definitions }, "hooks")

const misfits = (event: string, payload: Readonly<Record<string, unknown>>) => {
  const { action } = payload
  const name = typeof action === "string" ? `${event}$${action}` : `${event}$event`
  if (!(name in schemas.definitions)) return [`${name} has no schema`]
  const validate = ajv.getSchema(`hooks#/definitions/${name}`)
  if (validate === undefined) return [`${name} has no schema`]
  return validate(payload) === true
    ? []
    : (validate.errors ?? []).map((one) => `${name} ${one.instancePath} ${one.message} ${JSON.stringify(one.params)}`)
}

const events = () => receiver.received.map(({ event, payload }) => `${event} ${String(payload["action"] ?? "")}`.trim())

it("every event is signed over its raw bytes and fits the schema of GitHub's events", async () => {
  const { bot, ana, server } = scene
  const head = await commit(scene, "feature", { "a.txt": "a\n" })
  const { data: pull } = await bot.rest.pulls.create({ ...acme, title: "A", head: "feature", base: "main" })
  const newer = await commit(scene, "feature", { "b.txt": "b\n" })
  await bot.rest.checks.create({ ...acme, name: "gates", head_sha: head, status: "completed", conclusion: "success" })
  await ana.rest.repos.createCommitStatus({ ...acme, sha: newer, state: "pending", context: "ci" })
  await bot.rest.pulls.update({ ...acme, pull_number: pull.number, body: "B" })
  await ana.rest.pulls.update({ ...acme, pull_number: pull.number, state: "closed" })
  await ana.rest.pulls.update({ ...acme, pull_number: pull.number, state: "open" })
  await ana.rest.issues.addLabels({ ...acme, issue_number: pull.number, labels: ["ready"] })
  await bot.rest.pulls.merge({ ...acme, pull_number: pull.number, sha: newer })
  const { data: issue } = await ana.rest.issues.create({ ...acme, title: "Fees", body: "Why", labels: ["ready"] })
  const at = { ...acme, issue_number: issue.number }
  await ana.rest.issues.update({ ...at, title: "Fees again" })
  await ana.rest.issues.removeLabel({ ...at, name: "ready" })
  const { data: comment } = await bot.rest.issues.createComment({ ...at, body: "Plan" })
  await bot.rest.issues.updateComment({ ...acme, comment_id: comment.id, body: "Plan 2" })
  await bot.rest.issues.deleteComment({ ...acme, comment_id: comment.id })
  await ana.rest.issues.update({ ...at, state: "closed", state_reason: "not_planned" })
  await ana.rest.issues.update({ ...at, state: "open" })
  const act = { world: server.world, repository: scene.repository, user: addUser(server.world, "ana"), app: null }
  const other = await addRepository(server.world, "acme", "other")
  const found = scene.repository.issues.find(({ number }) => number === issue.number)
  if (found !== undefined) await transferIssue(act, found, other)
  const { data: second } = await ana.rest.issues.create({ ...acme, title: "Gone" })
  const gone = scene.repository.issues.find(({ number }) => number === second.number)
  if (gone !== undefined) await deleteIssue(act, gone)
  const extra = installApp(server.world, scene.app, "umbrella", null)
  suspend(server.world, extra, "umbrella")
  unsuspend(server.world, extra, "umbrella")
  acceptPermissions(server.world, extra, "umbrella")
  uninstall(server.world, extra, "umbrella")
  changeRepositories(server.world, scene.installation, "ana", { added: [other] })
  changeRepositories(server.world, scene.installation, "ana", { removed: [other] })
  server.hooks.ping(scene.app)
  await server.hooks.idle()
  assert.includeMembers(events(), [
    "ping",
    "push",
    "pull_request opened",
    "pull_request synchronize",
    "pull_request edited",
    "pull_request closed",
    "pull_request reopened",
    "pull_request labeled",
    "check_run completed",
    "check_suite completed",
    "status",
    "label created",
    "issues opened",
    "issues edited",
    "issues labeled",
    "issues unlabeled",
    "issues closed",
    "issues reopened",
    "issues transferred",
    "issues deleted",
    "issue_comment created",
    "issue_comment edited",
    "issue_comment deleted",
    "installation created",
    "installation suspend",
    "installation unsuspend",
    "installation new_permissions_accepted",
    "installation deleted",
    "installation_repositories added",
    "installation_repositories removed"
  ])
  assert.deepStrictEqual([...new Set(receiver.received.flatMap(({ event, payload }) => misfits(event, payload)))], [])
  assert.isNotEmpty(misfits("push", { ...receiver.received[0]?.payload, ref: null }))
  for (const { headers, raw } of receiver.received) {
    assert.strictEqual(headers["x-hub-signature-256"], signatureOf("s3cret of the hook", raw))
    assert.notMatch(raw, /octocat|Codertocat|Hello-World/i)
  }
})

it("the signature is that of GitHub's documentation", () => {
  const expected = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
  assert.strictEqual(signatureOf("It's a Secret to Everybody", "Hello, World!"), expected)
})

it("deliveries are held, turned round, doubled, dropped and sent again", async () => {
  const { hooks } = scene.server
  receiver.received.length = 0
  hooks.mode("hold")
  await scene.ana.rest.issues.create({ ...acme, title: "One" })
  await scene.ana.rest.issues.create({ ...acme, title: "Two" })
  assert.deepStrictEqual(events(), [])
  await hooks.release((held) => [...held.toReversed(), ...held])
  const titles = receiver.received.map(({ payload }) => (payload["issue"] as { readonly title: string }).title)
  assert.deepStrictEqual(titles, ["Two", "One", "One", "Two"])
  assert.strictEqual(new Set(receiver.received.map(({ delivery }) => delivery)).size, 2)
  hooks.mode("drop")
  await scene.ana.rest.issues.create({ ...acme, title: "Three" })
  hooks.mode("send")
  await hooks.idle()
  assert.strictEqual(receiver.received.length, 4)
  const { data } = await scene.jwt.rest.apps.listWebhookDeliveries({ per_page: 1 })
  await scene.jwt.rest.apps.redeliverWebhookDelivery({ delivery_id: data[0]?.id ?? 0 })
  await hooks.idle()
  assert.strictEqual(receiver.received.at(-1)?.delivery, data[0]?.guid)
})
