import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import * as Seed from "../support/Seed.ts"
import { signed, source } from "../support/Source.ts"
import { ask, type World } from "../support/World.ts"
import { assertCommon, assertRefused } from "./answers.ts"
import { document, reads } from "./routes.ts"

/** One request of each kind, for storage or a runtime whose whole suites run only in the long form. */
export const smokeSuite = (name: string, open: () => Promise<World>) =>
  describe(`HTTP in brief (${name})`, () => {
    let world: World
    let token: string
    const resolve = (optionId: string) =>
      ask(world.url, "/v1/decisions/dec-aaaa/resolve", {
        method: "POST",
        token,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ optionId })
      })

    beforeAll(async () => {
      world = await open()
      const { slug } = await world.run(Seed.workspace)
      await world.run(Seed.load(slug, document))
      token = (await world.run(Seed.token(slug, ["read", "write"]))).value
    })
    afterAll(() => world?.close())

    const paths = reads.map(({ path, queries }) => `${path}?${queries.join("&")}`)
    it.each([...paths, "/readyz"])("GET %s", async (path) => {
      const answer = await ask(world.url, path, { token })
      assert.strictEqual(answer.status, 200, answer.text)
      assertCommon(answer)
    })

    it("takes one answer to a decision, and refuses another option, a second answer and a stranger", async () => {
      assertRefused(await resolve("nothing"), 400, "unknown_option")
      const [first, second] = [await resolve("yes"), await resolve("yes")]
      assert.strictEqual(first.status, 200, first.text)
      assertRefused(second, 409, "decision_already_resolved")
      assertRefused(await ask(world.url, "/v1/teams"), 401, "missing_token")
    })

    it("takes a signed alert, and refuses one that is not", async () => {
      const at = await world.run(source())
      const body = JSON.stringify({ title: "Down", severity: "critical" })
      const post = (secret: string) => ask(world.url, at.path, { method: "POST", body, headers: signed(secret, body) })
      assertRefused(await post("another"), 401, "invalid_proof")
      assert.strictEqual((await post(at.secret)).status, 202)
      const kept = await world.run(
        Effect.flatMap(SignalStore, (store) => store.ledger(at.workspace, at.source.id, { limit: 9, before: null }))
      )
      assert.strictEqual(kept.count, 1)
    })
  })
