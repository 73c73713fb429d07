import { afterEach, assert, beforeEach, it } from "vitest"
import { acme, clientOf, commit, makeScene, outcome, type Scene } from "./Scene.ts"
import { addPersonalToken } from "./World.ts"

let scene: Scene

beforeEach(async () => {
  scene = await makeScene()
})
afterEach(async () => {
  await scene.close()
})

const headersOf = async (call: Promise<{ readonly headers: object }>) => {
  const { headers } = await call.catch((error: { readonly response: { readonly headers: object } }) => error.response)
  return headers as Readonly<Record<string, string | undefined>>
}

it("an answer that the asker has is a free 304", async () => {
  const first = await scene.ana.rest.issues.listForRepo(acme)
  const { etag } = first.headers
  const left = first.headers["x-ratelimit-remaining"]
  const same = { ...acme, headers: { "if-none-match": etag ?? "" } }
  assert.strictEqual((await outcome(scene.ana.rest.issues.listForRepo(same)))[0], 304)
  const again = await headersOf(scene.ana.rest.issues.listForRepo(same))
  assert.strictEqual(again["x-ratelimit-remaining"], left)
  await scene.ana.rest.issues.create({ ...acme, title: "New" })
  assert.strictEqual((await outcome(scene.ana.rest.issues.listForRepo(same)))[0], 200)
  assert.deepStrictEqual(scene.server.violations, [])
})

it("lists come in pages with links", async () => {
  for (let count = 0; count < 5; count++) await scene.ana.rest.issues.create({ ...acme, title: `Issue ${count}` })
  const { data, headers } = await scene.ana.rest.issues.listForRepo({ ...acme, per_page: 2, page: 2 })
  assert.deepStrictEqual(
    data.map(({ title }) => title),
    ["Issue 2", "Issue 1"]
  )
  for (const rel of ["prev", "next", "first", "last"]) assert.include(headers.link ?? "", `rel="${rel}"`)
  const all = await scene.ana.paginate(scene.ana.rest.issues.listForRepo, { ...acme, per_page: 2, direction: "asc" })
  assert.strictEqual(all.length, 5)
})

it("limits: secondary by both statuses, and the hour's requests until they return", async () => {
  const { moods, world } = scene.server
  moods.next("repos/get", { kind: "secondary", status: 403, retryAfter: 60 })
  moods.next("repos/get", { kind: "secondary", status: 429, retryAfter: null })
  const first = await headersOf(scene.ana.rest.repos.get(acme))
  assert.strictEqual(first["retry-after"], "60")
  assert.strictEqual((await outcome(scene.ana.rest.repos.get(acme)))[0], 429)
  moods.next("repos/get", { kind: "primary" })
  const spent = await headersOf(scene.ana.rest.repos.get(acme))
  assert.strictEqual(spent["x-ratelimit-remaining"], "0")
  assert.strictEqual((await outcome(scene.ana.rest.repos.get(acme)))[0], 403)
  const { data } = await scene.ana.rest.rateLimit.get()
  assert.strictEqual(data.rate.remaining, 0)
  world.clock.advance(3_600_000)
  assert.strictEqual((await outcome(scene.ana.rest.repos.get(acme)))[0], 200)
  assert.deepStrictEqual(scene.server.violations, [])
})

it("a lost answer had its effect, a cut request had none", async () => {
  const { moods } = scene.server
  moods.next("issues/create", { kind: "cut" })
  await outcome(scene.ana.rest.issues.create({ ...acme, title: "Never" }))
  moods.next("issues/create", { kind: "lost" })
  await outcome(scene.ana.rest.issues.create({ ...acme, title: "Silent" }))
  moods.next(/^GET .*\/issues/, { kind: "answer", status: 502, message: "Server Error" })
  assert.strictEqual((await outcome(scene.ana.rest.issues.listForRepo(acme)))[0], 502)
  const { data } = await scene.ana.rest.issues.listForRepo(acme)
  assert.deepStrictEqual(
    data.map(({ title }) => title),
    ["Silent"]
  )
  assert.strictEqual(moods.waiting(), 0)
  assert.strictEqual(scene.server.creations().length, 2)
})

it("a slow answer waits for the test, and so does its effect", async () => {
  let release = () => {}
  const until = new Promise<void>((resolve) => (release = resolve))
  scene.server.moods.next("issues/create", { kind: "slow", until })
  const created = scene.ana.rest.issues.create({ ...acme, title: "Later" })
  assert.strictEqual((await scene.ana.rest.issues.listForRepo(acme)).data.length, 0)
  release()
  await created
  assert.strictEqual((await scene.ana.rest.issues.listForRepo(acme)).data.length, 1)
})

it("tokens end after an hour, JSON web tokens must be fresh and signed", async () => {
  const { world } = scene.server
  const { data } = await scene.jwt.rest.apps.createInstallationAccessToken({ installation_id: scene.installation.id })
  const bot = clientOf(scene.server, data.token)
  assert.strictEqual((await outcome(bot.rest.repos.get(acme)))[0], 200)
  world.clock.advance(3_600_001)
  assert.deepStrictEqual(await outcome(bot.rest.repos.get(acme)), [401, "Bad credentials"])
  const forged = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2ln"
  const stranger = clientOf(scene.server, forged)
  assert.notStrictEqual((await outcome(stranger.rest.apps.getAuthenticated()))[0], 200)
})

it("a manifest becomes an app once, within the hour", async () => {
  const { world } = scene.server
  const manifest = {
    name: "New",
    owner: "acme",
    permissions: { contents: "write" as const },
    events: ["push"],
    hookUrl: null
  }
  world.manifests.set("code", { ...manifest, createdAt: world.clock.now() })
  const { data } = await scene.ana.rest.apps.createFromManifest({ code: "code" })
  assert.include(data.pem, "PRIVATE KEY")
  assert.strictEqual((await outcome(scene.ana.rest.apps.createFromManifest({ code: "code" })))[0], 404)
  world.manifests.set("late", { ...manifest, createdAt: world.clock.now() })
  world.clock.advance(3_600_001)
  assert.strictEqual((await outcome(scene.ana.rest.apps.createFromManifest({ code: "late" })))[0], 404)
  assert.deepStrictEqual(scene.server.violations, [])
})

it("requests that GitHub does not describe are noted and refused", async () => {
  const sha = await commit(scene, "feature", { "a.txt": "a\n" })
  const refused = await outcome(scene.ana.request("POST /repos/acme/pay/statuses/{sha}", { sha, state: "fine" }))
  assert.strictEqual(refused[0], 422)
  assert.strictEqual((await outcome(scene.ana.request("GET /repos/acme/pay/unknown")))[0], 404)
  const old = { headers: { "x-github-api-version": "1999-01-01" } }
  assert.strictEqual((await outcome(scene.ana.request("GET /user", old)))[0], 400)
  assert.match(String(await scene.ana.graphql("{ viewer { password } }").catch(String)), /Cannot query field/)
  assert.strictEqual(scene.server.violations.length, 3)
})

it("a fine-grained token may do only what it was given", async () => {
  const token = addPersonalToken(scene.server.world, "ana", { metadata: "read", issues: "read" })
  const narrow = clientOf(scene.server, token.value)
  const { data, headers } = await narrow.rest.users.getAuthenticated()
  assert.deepStrictEqual([data.login, headers["x-oauth-scopes"]], ["ana", undefined])
  assert.strictEqual((await headersOf(scene.ana.rest.users.getAuthenticated()))["x-oauth-scopes"], "read:org, repo")
  assert.strictEqual((await outcome(narrow.rest.issues.listForRepo(acme)))[0], 200)
  assert.strictEqual((await outcome(narrow.rest.pulls.list(acme)))[0], 403)
})
