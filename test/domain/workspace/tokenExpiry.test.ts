import { DateTime } from "effect"
import { assert, describe, it } from "vitest"
import { dueNotice, type Expiring, noticeOf } from "../../../domain/workspace/TokenExpiry.ts"

const expiresAt = DateTime.unsafeMake("2026-03-31T12:00:00.000Z")
const before = (days: number, millis = 0) => DateTime.add(DateTime.subtract(expiresAt, { days }), { millis })

describe("notices of a token's end", () => {
  it.each([
    ["none before 14 days", null, before(14, -1), null],
    ["the first with 14 days left", null, before(14), 14],
    ["once", 14, before(10), null],
    ["the second with 3 days left", 14, before(3), 3],
    ["not before", 14, before(3, -1), null],
    ["only the second after a pause", null, before(2), 3],
    ["once as well", 3, before(1), null],
    ["none after the end", null, expiresAt, null]
  ])("%s", (_, given, now, expected) =>
    assert.strictEqual(dueNotice({ expiresAt, revokedAt: null }, given, now), expected)
  )

  it("none of a revoked token", () => assert.isNull(dueNotice({ expiresAt, revokedAt: before(20) }, null, before(3))))

  it("name the token and the page for the next one", () => {
    const expiring = {
      token: { name: "ci\nx", prefix: "tk_n9uADPAj", expiresAt },
      member: { id: "m", email: "ana@acme.test" },
      workspace: { id: "w", slug: "acme" },
      days: 3
    } as unknown as Expiring
    assert.deepStrictEqual(noticeOf(expiring, "https://g.test"), {
      subject: "Your API token 'ci x' expires in 3 days",
      text: [
        "The API token 'ci x' (tk_n9uADPAj…) of the workspace acme expires at 2026-03-31T12:00:00.000Z.",
        "Create a new one, put it where the old one is used, and revoke the old one:",
        "https://g.test/acme/settings/api"
      ].join("\n")
    })
  })
})
