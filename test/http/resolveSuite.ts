import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Members from "../../application/workspace/Members.ts"
import * as Teams from "../../application/work/Teams.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { ask, withinOneMinute, type World } from "../support/World.ts"
import { assertCommon, assertRefused } from "./answers.ts"
import { visit } from "./asked.ts"
import { resolveBodies } from "./resolveBodies.ts"
import { resolveEffects } from "./resolveEffects.ts"
import { resolveOrder } from "./resolveOrder.ts"
import { resolveTwice } from "./resolveTwice.ts"

const yes = { optionId: "yes" }

/** Resolution of decisions over HTTP, on any storage and runtime. */
export const resolveSuite = (name: string, open: () => Promise<World>) =>
  describe(`POST /v1/decisions/{decision}/resolve (${name})`, () => {
    let world: World
    beforeAll(async () => {
      world = await open()
    })
    afterAll(() => world?.close())
    const visitor = visit(() => world)
    const { read, resolve, tokenOf, workspace } = visitor

    resolveOrder(visitor, () => world)
    resolveBodies(visitor, () => world)
    resolveEffects(visitor)
    resolveTwice(visitor)

    it("answers with the decision as GET shows it, and the effects", async () => {
      const slug = await workspace()
      const token = await tokenOf(slug)
      const answer = await resolve("dec-aaaa", { ...yes, note: "Go" }, { token })
      assert.strictEqual(answer.status, 200, answer.text)
      assertCommon(answer)
      assert.match(answer.headers["content-type"] ?? "", /^application\/json/)
      assert.strictEqual(answer.headers["x-ratelimit-remaining"], "119")
      for (const header of ["etag", "idempotent-replayed", "allow"]) assert.isUndefined(answer.headers[header])
      const { effects, ...decision } = answer.body
      const shown = await read(slug, "/v1/decisions/dec-aaaa")
      assert.deepStrictEqual(decision, shown)
      assert.deepStrictEqual(Object.keys(answer.body), [...Object.keys(shown), "effects"])
      assert.deepStrictEqual(
        [decision.status, decision.resolution, decision.resolvedVia],
        ["resolved", { optionId: "yes", note: "Go" }, "api"]
      )
      assert.match(decision.resolvedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.isNotEmpty(effects)
      for (const effect of effects) assert.deepStrictEqual(Object.keys(effect), ["type", "status", "summary", "ref"])
    })

    it("takes the key in any case, and puts the token's owner on record", async () => {
      const slug = await workspace()
      const token = await tokenOf(slug)
      const sent = { token, headers: { "x-request-id": "req-7" } }
      assert.strictEqual((await resolve("DEC-AaAa", yes, sent)).status, 200)
      const { data } = await read(slug, "/v1/audit?event=decision_resolved")
      const [{ actor, details, entity, result, runKey, team }] = data
      assert.strictEqual(data.length, 1)
      assert.deepStrictEqual([actor.type, actor.name], ["human", "Mika Member"])
      assert.deepStrictEqual([entity.id, team, runKey, result], ["dec-aaaa", "payments", "run-aaaa", "success"])
      assert.deepStrictEqual(details, {
        v: 1,
        requestId: "req-7",
        channel: "api",
        optionId: "yes",
        action: "approve_plan"
      })
    })

    it("needs write: read and delete do not do, write alone and admin do", async () => {
      const slug = await workspace()
      for (const permissions of [["read"], ["delete"], ["read", "delete"]] as const) {
        const answer = await resolve("dec-fre1", yes, { token: await tokenOf(slug, "owner", permissions) })
        assertRefused(answer, 403, "insufficient_permission")
        assert.include(answer.body.error.message, "'write'")
        assert.include(answer.body.error.message, permissions.join(", "))
      }
      for (const [key, permission] of [["dec-fre1", "write"] as const, ["dec-fre2", "admin"] as const])
        assert.strictEqual(
          (await resolve(key, yes, { token: await tokenOf(slug, "member", [permission]) })).status,
          200
        )
    })

    it("answers 401 without a valid token", async () => {
      const slug = await workspace()
      const removed = await tokenOf(slug)
      await world.run(Members.remove(bySystem, { workspace: slug, email: People.emailOf("member") }))
      const revoked = await world.run(
        Effect.tap(Seed.token(slug, ["write"]), ({ prefix }) => Tokens.revoke(bySystem, { workspace: slug, prefix }))
      )
      const refused = [
        [{}, "missing_token"],
        [{ headers: { authorization: "Basic dXNlcjpwYXNz" } }, "missing_token"],
        [{ token: "garbage" }, "invalid_token"],
        [{ token: `tk_${"0".repeat(32)}` }, "invalid_token"],
        [{ token: await world.run(Seed.agedToken(slug, 31)) }, "token_expired"],
        [{ token: revoked.value }, "token_revoked"],
        [{ token: removed }, "token_revoked"]
      ] as const
      for (const [sent, code] of refused) {
        const answer = await resolve("dec-aaaa", yes, sent)
        assertRefused(answer, 401, code)
        assert.strictEqual(answer.headers["www-authenticate"], "Bearer")
      }
      assert.strictEqual((await read(slug, "/v1/decisions/dec-aaaa")).status, "pending")
    })

    it("answers 405 with Allow to another method, and 404 to a path beside it", async () => {
      for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const answer = await ask(world.url, "/v1/decisions/dec-aaaa/resolve", { method })
        assertRefused(answer, 405, "method_not_allowed")
        assert.strictEqual(answer.headers["allow"], "POST")
      }
      const head = await ask(world.url, "/v1/decisions/dec-aaaa/resolve", { method: "HEAD" })
      assert.deepStrictEqual([head.status, head.headers["allow"], head.text], [405, "POST", ""])
      for (const path of ["dec-aaaa/resolve/", "dec-aaaa/resolves", "dec-aaaa/resolve/x", "/resolve"])
        assertRefused(await ask(world.url, `/v1/decisions/${path}`, { method: "POST" }), 404, "route_not_found")
    })

    it("answers 404 to a decision that is unknown, malformed, another workspace's or a deleted team's", async () => {
      const slug = await workspace()
      const token = await tokenOf(slug)
      for (const key of ["dec-0000", "dec-aaao", "x", "run-aaaa", "dec-aaaa%00", "%C4%B0", "d".repeat(3000)])
        assertRefused(await resolve(key, yes, { token }), 404, "decision_not_found")
      const stranger = await tokenOf(await workspace(Seed.small))
      assertRefused(await resolve("dec-fre1", yes, { token: stranger }), 404, "decision_not_found")
      await world.run(
        Effect.flatMap(People.person(slug), (owner) => Teams.remove(owner, "payments" as TeamSlug, "payments"))
      )
      assertRefused(await resolve("dec-aaaa", yes, { token }), 404, "decision_not_found")
      assert.strictEqual((await resolve("dec-fre1", yes, { token })).status, 200)
    })

    it("is limited like every other request, and counts what is refused", async () => {
      const slug = await workspace()
      const answers = await withinOneMinute(async () => {
        const token = await tokenOf(slug)
        const many = await Promise.all(Array.from({ length: 120 }, () => resolve("dec-fre1", "{", { token })))
        return [...many, await resolve("dec-fre1", yes, { token })]
      })
      for (const answer of answers.slice(0, 120)) assertRefused(answer, 400, "invalid_json")
      for (const answer of answers.slice(120)) {
        assertRefused(answer, 429, "rate_limited")
        assert.isAtLeast(Number(answer.headers["retry-after"]), 1)
      }
      assert.strictEqual((await read(slug, "/v1/decisions/dec-fre1")).status, "pending")
    })

    it("asks for the role that the decision names, and records who lacked it", async () => {
      const slug = await workspace()
      const tokens = {
        member: await tokenOf(slug, "member", ["admin"]),
        admin: await tokenOf(slug, "admin"),
        owner: await tokenOf(slug, "owner")
      }
      const refused = [
        ["dec-admn", "member", "an owner or admin"],
        ["dec-wner", "member", "an owner of"],
        ["dec-wner", "admin", "an owner of"]
      ] as const
      for (const [key, role, words] of refused) {
        const answer = await resolve(key, yes, { token: tokens[role] })
        assertRefused(answer, 403, "insufficient_authority")
        assert.include(answer.body.error.message, words)
        assert.include(answer.body.error.message, `your role is ${role}`)
        assert.strictEqual((await read(slug, `/v1/decisions/${key}`)).status, "pending")
      }
      const { data } = await read(slug, "/v1/audit?event=access_denied")
      assert.deepStrictEqual(
        data.map((entry: { result: string; entity: { id: string }; actor: { name: string } }) => [
          entry.result,
          entry.entity.id,
          entry.actor.name
        ]),
        [
          ["denied", "dec-wner", "Ada Admin"],
          ["denied", "dec-wner", "Mika Member"],
          ["denied", "dec-admn", "Mika Member"]
        ]
      )
      assert.strictEqual((await resolve("dec-admn", yes, { token: tokens.admin })).status, 200)
      assert.strictEqual((await resolve("dec-wner", yes, { token: tokens.owner })).status, 200)
    })

    it("answers 409 to a decision that is over, and says how it ended", async () => {
      const slug = await workspace()
      const token = await tokenOf(slug)
      const refused = [
        ["dec-d0ne", "decision_already_resolved", "at 2026-01-02T03:04:05.678Z via slack with 'Reject'"],
        ["dec-0ver", "decision_expired", "expired at 2026-01-02T03:04:05.678Z"],
        ["dec-1ate", "decision_expired", "expired at 2026-01-02T03:04:05.678Z"],
        ["dec-cncd", "decision_cancelled", "was cancelled"],
        ["dec-sprs", "decision_superseded", "was superseded"]
      ] as const
      for (const [key, code, words] of refused) {
        const answer = await resolve(key, yes, { token })
        assertRefused(answer, 409, code)
        assert.include(answer.body.error.message, words)
      }
      assert.strictEqual((await read(slug, "/v1/decisions/dec-1ate")).status, "expired")
    })

    it("answers 400 to an option that the decision does not offer, and names those it does", async () => {
      const slug = await workspace()
      const token = await tokenOf(slug)
      for (const optionId of ["maybe", "", "YES", " yes", "approve_plan", "\0", "\ud800", "x".repeat(5000)]) {
        const answer = await resolve("dec-aaaa", { optionId }, { token })
        assertRefused(answer, 400, "unknown_option")
        assert.include(answer.body.error.message, "one of yes, no")
        assert.isBelow(answer.body.error.message.length, 400)
      }
      assert.strictEqual((await read(slug, "/v1/decisions/dec-aaaa")).status, "pending")
    })
  })
