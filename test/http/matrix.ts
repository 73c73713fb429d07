import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Members from "../../application/workspace/Members.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import { turns } from "../support/Share.ts"
import type { Answer, ask, World } from "../support/World.ts"
import { assertCommon, assertRefused } from "./answers.ts"
import { reads } from "./routes.ts"

/** A workspace with the routes' document, and functions that send requests about it. */
export interface Visit {
  readonly slug: () => WorkspaceSlug
  readonly run: World["run"]
  readonly get: (path: string, options?: Parameters<typeof ask>[2]) => Promise<Answer>
  readonly freshToken: (permissions?: Parameters<typeof Seed.token>[1]) => Promise<string>
}

const removedMembersToken = (slug: WorkspaceSlug) =>
  Effect.gen(function* () {
    const email = `left-${crypto.randomUUID()}@acme.test` as Email
    yield* Members.add(bySystem, { workspace: slug, email, name: "Left", role: "member" })
    const { value } = yield* Seed.token(slug, ["read"], email)
    yield* Members.remove(bySystem, { workspace: slug, email })
    return value
  })

const revokedToken = (slug: WorkspaceSlug) =>
  Effect.gen(function* () {
    const { prefix, value } = yield* Seed.token(slug)
    yield* Tokens.revoke(bySystem, { workspace: slug, prefix })
    return value
  })

const deletedWorkspacesToken = Effect.gen(function* () {
  const { slug } = yield* Seed.workspace
  const { value } = yield* Seed.token(slug)
  yield* Workspaces.remove(bySystem, { slug, confirm: slug })
  return value
})

/** Every route against every kind of request. */
export const matrix = ({ freshToken, get, run, slug }: Visit) =>
  describe.each(turns(reads, 4))("GET $path", (route) => {
    it("answers 200 with a read token, and HEAD the same without a body", async () => {
      const token = await freshToken()
      const answer = await get(route.path, { token })
      assert.strictEqual(answer.status, 200, answer.text)
      assertCommon(answer)
      assert.strictEqual(answer.headers["x-ratelimit-remaining"], "119")
      const head = await get(route.path, { token, method: "HEAD" })
      assert.strictEqual(head.status, 200)
      assertCommon(head)
      assert.strictEqual(head.text, "")
      if (!route.remembers) assert.strictEqual(head.headers["content-length"], String(Buffer.byteLength(answer.text)))
      assert.strictEqual(head.headers["x-ratelimit-remaining"], "118")
    })

    it("answers 401 without a valid token", async () => {
      const refused = [
        [undefined, "missing_token"],
        ["", "missing_token"],
        ["garbage", "invalid_token"],
        ["two words", "invalid_token"],
        [`tk_${"0".repeat(32)}`, "invalid_token"],
        [`tk_${"0".repeat(31)}é`, "invalid_token"],
        [await run(Seed.agedToken(slug(), 31)), "token_expired"],
        [await run(revokedToken(slug())), "token_revoked"],
        [await run(removedMembersToken(slug())), "token_revoked"],
        [await run(deletedWorkspacesToken), "token_revoked"]
      ] as const
      for (const [token, code] of refused) {
        const sent = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
        const answer = await get(route.path, sent)
        assertRefused(answer, 401, code)
        assert.strictEqual(answer.headers["x-ratelimit-remaining"], "120")
        assert.strictEqual(answer.headers["www-authenticate"], "Bearer")
        if (token) assert.isFalse(answer.text.includes(token))
      }
      const basic = await get(route.path, { headers: { authorization: "Basic dXNlcjpwYXNz" } })
      assertRefused(basic, 401, "missing_token")
    })

    it("answers 403 to a token without read, and takes admin for it", async () => {
      const answer = await get(route.path, { token: await freshToken(["write", "delete"]) })
      assertRefused(answer, 403, "insufficient_permission")
      assert.include(answer.body.error.message, "'read'")
      assert.include(answer.body.error.message, "write, delete")
      assert.strictEqual((await get(route.path, { token: await freshToken(["admin"]) })).status, 200)
    })

    it("answers 405 with Allow to another method, before asking for a token", async () => {
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const answer = await get(route.path, { method })
        assertRefused(answer, 405, "method_not_allowed")
        assert.strictEqual(answer.headers["allow"], "GET, HEAD")
      }
    })

    it("shows nothing of another workspace", async () => {
      const other = await run(Seed.workspace)
      const { value: token } = await run(Seed.token(other.slug))
      const answer = await get(route.path, { token })
      if (route.remembers) assert.notInclude(answer.text, "Refund in part")
      else if (route.missing) assertRefused(answer, 404, route.missing.code)
      else assert.deepStrictEqual(Object.values(answer.body as object)[0], [])
    })

    it("answers 413 to a body that no GET needs", async () => {
      const answer = await get(route.path, {
        token: await freshToken(),
        headers: { "content-length": "65537" },
        body: "x".repeat(65537)
      })
      assertRefused(answer, 413, "payload_too_large")
    })

    if (route.missing) {
      const { code, malformed, unknown } = route.missing
      it("answers 404 to an unknown or malformed key", async () => {
        const token = await freshToken()
        for (const path of [unknown, ...malformed]) assertRefused(await get(path, { token }), 404, code)
      })
    }

    if (!route.isList)
      it("carries an ETag and answers 304 to who has it", async () => {
        const token = await freshToken()
        const { headers, text } = await get(route.path, { token })
        const etag = headers["etag"] ?? ""
        assert.match(etag, /^"[\w-]{27}"$/)
        for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
          const answer = await get(route.path, { token, headers: { "if-none-match": known } })
          assert.strictEqual(answer.status, 304)
          assertCommon(answer)
          assert.strictEqual(answer.text, "")
          assert.strictEqual(answer.headers["etag"], etag)
        }
        const other = await get(route.path, { token, headers: { "if-none-match": '"other"' } })
        assert.deepStrictEqual([other.status, other.text], [200, text])
      })

    it.each(Object.entries(route.badQueries))("answers 400 to values that %s cannot have", async (name, queries) => {
      const token = await freshToken()
      for (const { code, query } of queries) {
        const answer = await get(`${route.path}?${query}`, { token })
        assertRefused(answer, 400, code)
        assert.match(answer.body.error.message, new RegExp(`^${name} `), query)
      }
    })
  })
