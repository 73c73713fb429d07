import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Runners from "../../../application/runner/Runners.ts"
import * as Tokens from "../../../application/workspace/Tokens.ts"
import { mostRunners } from "../../../domain/runner/Runner.ts"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import { long } from "../../support/Long.ts"
import * as Seed from "../../support/Seed.ts"
import type { Answer, World } from "../../support/World.ts"
import { arrange, assertRefused, granted, introduction, nobody, type Place, report, type Wire, wire } from "./Wire.ts"

const stage = { type: "stage", stage: "implementing" }

/** Hostile and late calls to the wire of runners, on any storage. */
export const guardSuite = (name: string, open: () => Promise<World>) =>
  describe(`the guards of the wire of runners (${name})`, () => {
    let world: World
    let at: Place
    let api: Wire

    beforeAll(async () => {
      world = await open()
      at = await arrange(world)
      api = wire(world.url)
    })
    afterAll(() => world?.close())

    it("checks the holder of a report with an old number too", async () => {
      const { fence, path, run } = await granted(api, at)
      assert.strictEqual((await api.post(`${path}/report`, at.token, report(fence, 5, [stage], "five\n"))).status, 200)
      const { value: other } = await world.run(Seed.token(at.slug))
      const forged = [
        [at.token, fence + 1, `fence must be ${fence}; got ${fence + 1}`],
        [other, fence, "holds"]
      ] as const
      for (const [token, number, part] of forged)
        assertRefused(
          await api.post(`${path}/report`, token, report(number, 1, [stage], "forged\n")),
          409,
          "lease_lost",
          part
        )
      const lower = await api.post(`${path}/report`, at.token, report(fence, 4, [stage], "never sent\n"))
      assert.deepStrictEqual([lower.status, lower.body.held], [200, true])
      const { text } = await world.run(Runners.logs(at.id, { run, attempt: 1, after: 0 }))
      assert.strictEqual(text, "five\n")
    })

    it("takes the id of a lease in one form only, on every route", async () => {
      const { fence, path } = await granted(api, at)
      const upper = path.replace(/[0-9a-f-]{36}$/, (id) => id.toUpperCase())
      if (upper === path) return assert.fail("the id has no letter")
      for (const [route, body] of [
        ["renew", { fence, lastInput: 0 }],
        ["report", report(fence, 1, [stage])],
        ["finish", { fence, outcome: "failed" }]
      ] as const)
        assertRefused(await api.post(`${upper}/${route}`, at.token, body), 409, "lease_lost", "it is not known")
    })

    it("ends the wait for a run when the token is revoked", async () => {
      const { prefix, value: token } = await world.run(Seed.token(at.slug))
      const runner = await api.hello(token, { name: "waits", teams: [] })
      const waiting = api.post("/lease", token, { runner, executors: ["none"], waitSeconds: 25 })
      await api.hello(at.token)
      await world.run(Tokens.revoke(bySystem, { workspace: at.slug, prefix }))
      assertRefused(await waiting, 401, "token_revoked")
    })

    it("counts the requests of an agent, of each lease and of the rest of a token apart", async () => {
      const place = await arrange(world)
      const [one, two] = [await granted(api, place), await granted(api, place)]
      const left = async (answer: Promise<Answer>) => Number((await answer).headers["x-ratelimit-remaining"])
      const renew = (path: string) => left(api.post(`${path}/renew`, place.token, { fence: one.fence, lastInput: 0 }))
      const first = [
        await left(api.get("/run", one.credential)),
        await renew(one.path),
        await renew(`/leases/${nobody}`),
        await left(api.lease(place.token, nobody))
      ]
      assert.deepStrictEqual(first.slice(0, 3), [599, 599, 599])
      assert.deepStrictEqual(
        [
          await left(api.get("/run", one.credential)),
          await left(api.get("/run", two.credential)),
          await renew(one.path),
          await renew(two.path),
          await renew(`/leases/${nobody}`),
          await left(api.lease(place.token, nobody))
        ],
        [598, 599, 598, 599, 598, (first[3] ?? 0) - 1]
      )
    })

    it("takes no success before a verification", async () => {
      const { fence, path, run } = await granted(api, at)
      for (const outcome of ["succeeded", null])
        assertRefused(
          await api.post(`${path}/finish`, at.token, { fence, outcome }),
          400,
          "invalid_request",
          "outcome is refused: "
        )
      assert.strictEqual((await at.view(run)).status, "running")
    })

    long(() => {
      it("keeps neither a flood of an agent nor one of its own token from a lease", async () => {
        const place = await arrange(world)
        const [noisy, quiet] = [await granted(api, place), await granted(api, place)]
        const flood = async (send: () => Promise<{ readonly status: number }>) => {
          for (let round = 0; round < 12; round++) await Promise.all(Array.from({ length: 50 }, send))
          return (await send()).status
        }
        assert.strictEqual(await flood(() => api.post("/run/progress", noisy.credential, {})), 429)
        assert.strictEqual((await api.get("/run", quiet.credential)).status, 200)
        assert.strictEqual(await flood(() => api.lease(place.token, nobody)), 429)
        assert.strictEqual(await flood(() => api.post(`/leases/${nobody}/renew`, place.token, {})), 429)
        for (const { fence, path } of [noisy, quiet]) {
          const send = async (route: string, body: object) =>
            (await api.post(`${path}/${route}`, place.token, body)).status
          assert.strictEqual(await send("renew", { fence, lastInput: 0 }), 200)
          assert.strictEqual(await send("report", report(fence, 1, [stage])), 200)
          assert.strictEqual(await send("finish", { fence, outcome: "failed" }), 200)
        }
      })

      it("registers a bounded number of runners", async () => {
        const place = await arrange(world)
        const hello = (n: number) => api.post("/hello", place.token, { ...introduction, name: `pod-${n}` })
        const answers = []
        for (let n = 0; n < mostRunners; n += 20)
          answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, more) => hello(n + more)))))
        assert.isTrue(answers.every(({ status }) => status === 200))
        assertRefused(await hello(mostRunners), 409, "too_many_runners", "runner remove")
        assert.strictEqual((await hello(7)).status, 200)
      })
    })
  })
