import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Members from "../../../application/workspace/Members.ts"
import * as Tokens from "../../../application/workspace/Tokens.ts"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import * as People from "../../support/People.ts"
import * as Seed from "../../support/Seed.ts"
import { ask, type World } from "../../support/World.ts"
import { own, refusedBodies, reportRoute, routes } from "./Bodies.ts"
import {
  arrange,
  assertCommon,
  assertRefused,
  granted,
  introduction,
  nobody,
  type Place,
  report,
  type Wire,
  wire
} from "./Wire.ts"

/** The wire of runners, on any storage. */
export const wireSuite = (name: string, open: () => Promise<World>) =>
  describe(`the wire of runners (${name})`, () => {
    let world: World
    let at: Place
    let api: Wire

    beforeAll(async () => {
      world = await open()
      at = await arrange(world)
      api = wire(world.url)
    })
    afterAll(() => world?.close())

    it("answers a runner from hello to goodbye", async () => {
      const met = await api.post("/hello", at.token, { ...introduction, name: "whole", protocol: 7 })
      assertCommon(met)
      const { runner, ...welcome } = met.body
      assert.deepStrictEqual(welcome, {
        workspace: at.slug,
        protocol: 1,
        pollMs: 25_000,
        renewMs: 20_000,
        leaseMs: 60_000
      })
      assert.strictEqual(await api.hello(at.token, { name: "whole" }), runner)
      const none = await api.lease(at.token, runner)
      assertCommon(none)
      assert.deepStrictEqual([none.status, none.text], [204, ""])
      const run = await at.queue()
      const { body } = await api.lease(at.token, runner)
      assert.deepStrictEqual([body.run.key, body.team, body.run.attempt, body.fence], [run, "payments", 1, 1])
      assert.deepStrictEqual([body.repository, body.base], ["/srv/git/pay.git", null])
      assert.match(body.credential, /^rk_[A-Za-z0-9]{32}$/)
      const lease = `/leases/${body.id}`
      const renewed = await api.post(`${lease}/renew`, at.token, { fence: 1, lastInput: 0 })
      assert.deepStrictEqual(
        { ...renewed.body, expiresAt: null },
        { expiresAt: null, action: "continue", inputs: [], decisions: [] }
      )
      const sent = report(1, 1, [{ type: "stage", stage: "implementing" }], "a\0b\ud800\n")
      const held = { status: "running", stage: "implementing", held: true, raised: [] }
      for (const _ of ["once", "again"])
        assert.deepStrictEqual((await api.post(`${lease}/report`, at.token, sent)).body, held)
      const passed = report(1, 2, [{ type: "verification", status: "passed", summary: "All gates passed." }])
      assert.strictEqual((await api.post(`${lease}/report`, at.token, passed)).body.stage, "handing_off")
      const over = { status: "succeeded", stage: "done", held: false, raised: [] }
      for (const _ of ["once", "again"])
        assert.deepStrictEqual((await api.post(`${lease}/finish`, at.token, { fence: 1, outcome: null })).body, over)
      assert.strictEqual((await api.post(`${lease}/renew`, at.token, { fence: 1, lastInput: 0 })).body.action, "stop")
      const left = await api.post("/goodbye", at.token, { runner })
      assert.deepStrictEqual([left.status, left.text], [204, ""])
      assertRefused(await api.lease(at.token, runner), 404, "runner_not_found", runner)
    })

    it.each(routes)("%s takes no request without a valid token", async (path, body) => {
      const { prefix, value: revoked } = await world.run(Seed.token(at.slug))
      await world.run(Tokens.revoke(bySystem, { workspace: at.slug, prefix }))
      await world.run(People.person(at.slug, "member"))
      const { value: left } = await world.run(Seed.token(at.slug, ["read"], People.emailOf("member")))
      await world.run(Members.remove(at.owner, { workspace: at.slug, email: People.emailOf("member") }))
      const refused = [
        [undefined, "missing_token"],
        [`tk_${"0".repeat(32)}`, "invalid_token"],
        [`rk_${"0".repeat(32)}`, "invalid_token"],
        [await world.run(Seed.agedToken(at.slug, 31)), "token_expired"],
        [revoked, "token_revoked"],
        [left, "token_revoked"]
      ] as const
      for (const [token, code] of refused) {
        const answer = await api.post(path, token, body)
        assertRefused(answer, 401, code)
        assert.strictEqual(answer.headers["www-authenticate"], "Bearer")
      }
    })

    it.each(refusedBodies)("%s refuses %j and names %s", async (path, body, field) => {
      assertRefused(await api.post(path, at.token, body), 400, "invalid_request", `${field} `)
    })

    it("refuses what is no JSON object, too deep, too large or of another type", async () => {
      const { value: token } = await world.run(Seed.token(at.slug))
      for (const [path] of routes) {
        for (const body of ["", "{", "nonsense", Buffer.from([0x22, 0xff, 0x22])])
          assertRefused(await api.post(path, token, body), 400, "invalid_json")
        for (const body of ["[]", "7", "null"])
          assertRefused(await api.post(path, token, body), 400, "invalid_request", "The body must be an object; got ")
        const deep = `{"fence":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
        assertRefused(await api.post(path, token, deep), 400, "invalid_json", "nested over")
        const typed = await api.post(path, token, "{}", { "content-type": "text/plain" })
        assertRefused(typed, 415, "unsupported_media_type")
        const packed = await api.post(path, token, "{}", { "content-encoding": "gzip" })
        assertRefused(packed, 415, "unsupported_media_type")
      }
      const large = JSON.stringify({ ...report(1, 1), log: "x".repeat(1_048_576) })
      assertRefused(await api.post(reportRoute[0], token, large), 413, "payload_too_large")
    })

    it("names the path and the method that it does not have", async () => {
      for (const path of ["", "/", "/helo", "/hello/", "/leases", `/leases/${nobody}`, `/leases/${nobody}/steal`])
        assertRefused(await api.post(path, at.token, {}), 404, "route_not_found")
      for (const [path] of [...routes, ...own]) {
        const answer = await api.get(path, at.token)
        assertRefused(answer, 405, "method_not_allowed")
        assert.strictEqual(answer.headers["allow"], "POST")
      }
      assertRefused(await api.post("/run", at.token, {}), 405, "method_not_allowed")
    })

    it("refuses a runner that is unknown, another token's or gone", async () => {
      const { value: other } = await world.run(Seed.token(at.slug))
      const runner = await api.hello(at.token, { name: "mine" })
      for (const [token, id] of [
        [at.token, nobody],
        [other, runner]
      ] as const) {
        assertRefused(await api.lease(token, id), 404, "runner_not_found", id)
        assertRefused(await api.post("/goodbye", token, { runner: id }), 404, "runner_not_found", id)
      }
      assert.strictEqual((await api.lease(at.token, runner)).status, 204)
    })

    it("refuses a lease that is unknown, older, another token's or another workspace's, and changes nothing", async () => {
      const { fence, path, run } = await granted(api, at)
      const { value: other } = await world.run(Seed.token(at.slug))
      const elsewhere = await arrange(world)
      const foreign = await api.hello(elsewhere.token)
      const before = await at.view(run)
      const attempts = [
        ["/leases/nonsense", at.token, fence],
        [`/leases/${nobody}`, at.token, fence],
        [path, at.token, fence + 1],
        [path, other, fence],
        [path, elsewhere.token, fence]
      ] as const
      for (const [lease, token, number] of attempts) {
        const named = lease.slice("/leases/".length)
        const renewed = await api.post(`${lease}/renew`, token, { fence: number, lastInput: 0 })
        assertRefused(renewed, 409, "lease_lost", named)
        const reported = report(number, 1, [{ type: "stage", stage: "verifying" }], "forged\n")
        assertRefused(await api.post(`${lease}/report`, token, reported), 409, "lease_lost", named)
        const finished = await api.post(`${lease}/finish`, token, { fence: number, outcome: "failed" })
        assertRefused(finished, 409, "lease_lost", named)
      }
      assert.strictEqual((await api.lease(elsewhere.token, foreign)).status, 204)
      assert.deepStrictEqual(await at.view(run), before)
      assert.strictEqual((await api.post(`${path}/renew`, at.token, { fence, lastInput: 0 })).body.action, "continue")
    })

    it("refuses a report that raises what cannot be raised, for good", async () => {
      const { fence, path } = await granted(api, at)
      const idea = { type: "feature_idea", title: "Gold", reason: "" }
      const { body } = await api.post(`${path}/report`, at.token, report(fence, 1, [idea]))
      const declined = { method: "POST", token: (await world.run(Seed.token(at.slug, ["write"]))).value }
      const answered = await ask(world.url, `/v1/decisions/${body.raised[0]}/resolve`, {
        ...declined,
        headers: { "content-type": "application/json" },
        body: '{"optionId":"decline_proposal"}'
      })
      assert.strictEqual(answered.status, 200, answered.text)
      const runner = await api.hello(at.token)
      const next = (await api.lease(at.token, runner)).body
      const again = await api.post(`/leases/${next.id}/report`, at.token, report(next.fence, 1, [idea]))
      assertRefused(again, 400, "invalid_request", "facts is refused: ")
      assert.strictEqual(
        (await api.post(`/leases/${next.id}/finish`, at.token, { fence: 2, outcome: "failed" })).status,
        200
      )
    })

    it("opens its own run to the credential of a lease, and nothing else", async () => {
      const { credential, fence, path, run } = await granted(api, at)
      const { body, headers } = await api.get("/run", credential)
      assert.strictEqual(headers["x-ratelimit-limit"], "600")
      assert.deepStrictEqual(Object.keys(body), ["story", "run", "decisions"])
      assert.deepStrictEqual([body.run.key, body.run.story.key, body.decisions], [run, body.story.key, []])
      assert.strictEqual((await api.post("/run/progress", credential, { text: "half done" })).status, 204)
      for (const text of [7, "", " \n", "x".repeat(4001), "\0"])
        assertRefused(await api.post("/run/progress", credential, { text }), 400, "invalid_request", "text must ")
      for (const question of [null, "", "  ", "x".repeat(10_001), "\0"])
        assertRefused(
          await api.post("/run/questions", credential, { question }),
          400,
          "invalid_request",
          "question must "
        )
      const leased = path.slice("/leases/".length)
      for (const [route, sent] of routes)
        assertRefused(
          await api.post(route.replace(nobody, leased), credential, sent),
          401,
          "invalid_token",
          "needs an API token, tk_…; got the credential of a run"
        )
      for (const route of ["/v1/teams", "/v1/decisions", `/v1/runs/${run}`, "/v1/audit"])
        assert.strictEqual((await ask(world.url, route, { token: credential })).status, 401)
      for (const route of ["/run", "/run/questions", "/run/progress"]) {
        const [method, sent] = route === "/run" ? ["GET", {}] : ["POST", { body: '{"text":"x","question":"x"}' }]
        const options = { method, headers: { "content-type": "application/json" }, ...sent }
        const wrong = await ask(world.url, `/runner/v1${route}`, { ...options, token: at.token })
        assertRefused(wrong, 401, "invalid_token", "needs the credential of a run, rk_…")
        assertRefused(await ask(world.url, `/runner/v1${route}`, options), 401, "missing_token")
      }
      const asked = await api.post("/run/questions", credential, { question: "Which currency?" })
      assert.match(asked.body.decision, /^dec-/)
      assert.strictEqual((await api.get("/run", credential)).status, 200)
      const awaited = { fence, seq: 1, facts: [{ type: "answer_awaited" }] }
      assert.deepInclude((await api.post(`${path}/report`, at.token, awaited)).body, { status: "waiting", held: false })
      assertRefused(await api.get("/run", credential), 401, "invalid_token", "its lease is over")
      const renewed = await api.post(`${path}/renew`, at.token, { fence, lastInput: 0 })
      assert.strictEqual(renewed.body.action, "stop")
      assert.strictEqual((await at.view(run)).status, "waiting")
    })

    it("ends leases and credentials with the token", async () => {
      const { prefix, value: token } = await world.run(Seed.token(at.slug))
      const { credential, path, run } = await granted(api, { ...at, token })
      await world.run(Tokens.revoke(bySystem, { workspace: at.slug, prefix }))
      assertRefused(await api.post(`${path}/renew`, token, { fence: 1, lastInput: 0 }), 401, "token_revoked")
      assertRefused(await api.get("/run", credential), 401, "invalid_token")
      const { attemptList, status } = await at.view(run)
      assert.deepStrictEqual([status, attemptList.length, attemptList[0].failureClass], ["queued", 2, "transient"])
    })
  })
