import { assert, it } from "@effect/vitest"
import { DateTime, Effect, type Layer, Option, Redacted } from "effect"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Members from "../../application/workspace/Members.ts"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import * as Seed from "../support/Seed.ts"

const authenticate = (token: Option.Option<Redacted.Redacted>) =>
  Effect.flatMap(TokenStore, (store) => Effect.flatMap(Tokens.hashOf(token), (hash) => store.authenticate(hash)))
const enter = (value: string) => authenticate(Option.some(Redacted.make(value)))
const refusal = (value: string) => Effect.map(Effect.flip(enter(value)), (error) => error._tag)

export const tokenStoreContract = <E>(adapter: string, layer: Layer.Layer<Seed.Writers, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`TokenStore (${adapter})`, (it) => {
    it.effect("a valid token speaks for its creator in its workspace", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const { value } = yield* Seed.token(slug, ["read", "write"])
        const bearer = yield* enter(value)
        assert.strictEqual(bearer.workspace, id)
        assert.deepStrictEqual([bearer.member.name, bearer.member.role], ["Olga Owner", "owner"])
        assert.deepStrictEqual(bearer.permissions, ["read", "write"])
        assert.strictEqual(bearer.window.remaining, 119)
      })
    )

    it.effect("an unknown, malformed or missing token is refused", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* refusal(`tk_${"x".repeat(32)}`), "InvalidToken")
        assert.strictEqual(yield* refusal("tk_short"), "InvalidToken")
        assert.strictEqual((yield* Effect.flip(authenticate(Option.none())))._tag, "MissingToken")
      })
    )

    it.effect("a token expires 30 days after it was made, not before", () =>
      Effect.gen(function* () {
        const { slug } = yield* Seed.workspace
        yield* enter(yield* Seed.agedToken(slug, 29))
        const old = yield* Seed.agedToken(slug, 30)
        assert.strictEqual(yield* refusal(old), "TokenExpired")
      })
    )

    it.effect("revoking takes effect with the next request, and only once", () =>
      Effect.gen(function* () {
        const { slug } = yield* Seed.workspace
        const { prefix, value } = yield* Seed.token(slug)
        yield* enter(value)
        yield* Tokens.revoke(bySystem, { workspace: slug, prefix })
        assert.strictEqual(yield* refusal(value), "TokenRevoked")
        const again = yield* Effect.flip(Tokens.revoke(bySystem, { workspace: slug, prefix }))
        assert.strictEqual(again._tag, "TokenNotFound")
      })
    )

    it.effect("a token dies with its creator's membership and does not rise when they come back", () =>
      Effect.gen(function* () {
        const { slug } = yield* Seed.workspace
        const email = "mika@acme.test" as Email
        const member = { workspace: slug, email, name: "Mika", role: "member" } as const
        yield* Members.add(bySystem, member)
        const { value } = yield* Seed.token(slug, ["read"], email)
        yield* enter(value)
        yield* Members.remove(bySystem, { workspace: slug, email })
        assert.strictEqual(yield* refusal(value), "TokenRevoked")
        yield* Members.add(bySystem, member)
        assert.strictEqual(yield* refusal(value), "TokenRevoked")
      })
    )

    it.effect("a token dies with its workspace", () =>
      Effect.gen(function* () {
        const { slug } = yield* Seed.workspace
        const { value } = yield* Seed.token(slug)
        yield* Workspaces.remove(bySystem, { slug, confirm: slug })
        assert.strictEqual(yield* refusal(value), "TokenRevoked")
      })
    )

    it.effect("of 200 requests at once exactly 120 are within the limit, and each token has its own", () =>
      Effect.gen(function* () {
        const { slug } = yield* Seed.workspace
        const { value } = yield* Seed.token(slug)
        const other = yield* Seed.token(slug)
        const bearers = yield* Effect.replicateEffect(enter(value), 200, { concurrency: "unbounded" })
        assert.strictEqual(bearers.filter((bearer) => bearer.withinLimit).length, 120)
        assert.strictEqual(new Set(bearers.map((bearer) => DateTime.toEpochMillis(bearer.window.resetAt))).size, 1)
        const remaining = bearers.filter((bearer) => bearer.withinLimit).map((bearer) => bearer.window.remaining)
        assert.deepStrictEqual(
          remaining.toSorted((a, b) => a - b),
          Array.from({ length: 120 }, (_, index) => index)
        )
        assert.strictEqual((yield* enter(other.value)).window.remaining, 119)
      })
    )

    it.effect("last used is the latest use, however uses arrive", () =>
      Effect.gen(function* () {
        const { id: workspace, slug } = yield* Seed.workspace
        const { value } = yield* Seed.token(slug)
        const { now, token } = yield* enter(value)
        const tokens = yield* TokenStore
        const lastUsed = Effect.map(
          Tokens.list({ workspace: slug, member: Seed.ownerEmail }),
          (all) => all[0]?.lastUsedAt ?? null
        )
        const touch = (seconds: number) => tokens.touch([{ workspace, token, at: DateTime.add(now, { seconds }) }])
        assert.strictEqual(yield* lastUsed, null)
        for (const [seconds, latest] of [
          [0, 0],
          [59, 59],
          [30, 59],
          [60, 60]
        ] as const) {
          yield* touch(seconds)
          const expected = DateTime.add(now, { seconds: latest })
          assert.strictEqual(JSON.stringify(yield* lastUsed), JSON.stringify(expected))
        }
      })
    )

    it.effect("a member's tokens are listed oldest first, without the token itself", () =>
      Effect.gen(function* () {
        const { slug } = yield* Seed.workspace
        const first = yield* Seed.token(slug)
        const second = yield* Seed.token(slug, ["admin"])
        const listed = yield* Tokens.list({ workspace: slug, member: "OWNER@acme.test" })
        assert.deepStrictEqual(new Set(listed.map((token) => token.prefix)), new Set([first.prefix, second.prefix]))
        assert.isFalse(JSON.stringify(listed).includes(first.value))
        const nobody = Tokens.list({ workspace: slug, member: "nobody@acme.test" })
        assert.strictEqual((yield* Effect.flip(nobody))._tag, "MemberNotFound")
      })
    )
  })
