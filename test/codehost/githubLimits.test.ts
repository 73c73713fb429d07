import { DateTime, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { pauseOf } from "../../adapters/github/RateLimits.ts"
import { leaseTokens } from "../../adapters/runner/git/LeaseTokens.ts"

const now = 1_700_000_000_000

describe("a limit of GitHub", () => {
  it.each<readonly [status: number, headers: Record<string, string>, message: string, seconds: number | null]>([
    [200, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000060" }, "", null],
    [403, {}, "Resource not accessible by integration", null],
    [403, {}, "You have exceeded a secondary rate limit.", 60],
    [403, { "retry-after": "7" }, "", 7],
    [429, {}, "", 60],
    [429, { "retry-after": "0" }, "", 1],
    [429, { "retry-after": "soon" }, "", 60],
    [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000090" }, "API rate limit exceeded", 90],
    [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1600000000" }, "API rate limit exceeded", 1],
    [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000000" }, "API rate limit exceeded", 3600],
    [404, { "retry-after": "7" }, "Not Found", null]
  ])("%s %j %j asks for a pause of %s", (status, headers, message, seconds) => {
    assert.strictEqual(pauseOf({ status, headers, body: "" }, message, now), seconds)
  })
})

describe("the tokens of a lease", () => {
  const repository = "https://github.com/acme/pay"
  const git = (text: string, minutes: number) => ({
    token: Redacted.make(text),
    until: DateTime.unsafeMake(now + minutes * 60_000)
  })
  const valueOf = (tokens: ReturnType<typeof leaseTokens>, host = "github.com") => {
    const token = tokens.all.get(host)
    return token === undefined ? null : Redacted.value(token)
  }

  it("are the runner's own, and the lease's for its host, which is replaced before it ends", () => {
    const own = new Map([["git.acme.test", Redacted.make("own")]])
    const tokens = leaseTokens(own, { git: git("ghs_1_first.part", 60), repository })
    assert.deepStrictEqual([valueOf(tokens), valueOf(tokens, "git.acme.test")], ["ghs_1_first.part", "own"])
    assert.deepStrictEqual([tokens.isOld(now + 49 * 60_000), tokens.isOld(now + 50 * 60_000)], [false, true])
    tokens.take(git("ghs_1_second.part", 120))
    assert.deepStrictEqual([valueOf(tokens), tokens.isOld(now + 60 * 60_000)], ["ghs_1_second.part", false])
    const secrets = ["ghs_1_first.part", "ghs_1_second.part"]
    const base64 = secrets.map((text) => Buffer.from(`x-access-token:${text}`).toString("base64"))
    const shown = tokens.redact([...secrets, ...base64, "plain"].join(" "))
    for (const secret of [...secrets, ...base64]) assert.notInclude(shown, secret)
    assert.include(shown, "plain")
    assert.strictEqual(own.size, 1)
  })

  it("leave the operator's own token for the host as it is, and need none for a path", () => {
    const own = new Map([["github.com", Redacted.make("own")]])
    const tokens = leaseTokens(own, { git: git("ghs_1_first.part", 0), repository })
    assert.deepStrictEqual([valueOf(tokens), tokens.isOld(now)], ["own", false])
    assert.strictEqual(leaseTokens(new Map(), { git: null, repository: "/srv/git/pay.git" }).all.size, 0)
  })
})
