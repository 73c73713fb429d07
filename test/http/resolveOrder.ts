import { assert, beforeAll, describe, it } from "vitest"
import { type Answer, ask, type World } from "../support/World.ts"
import { assertRefused } from "./answers.ts"
import type { visit } from "./asked.ts"

/** Faults of a request, in the order in which they are refused. */
const faults = [
  ["route", 404, "route_not_found"],
  ["method", 405, "method_not_allowed"],
  ["token", 401, "missing_token"],
  ["limit", 429, "rate_limited"],
  ["permission", 403, "insufficient_permission"],
  ["size", 413, "payload_too_large"],
  ["type", 415, "unsupported_media_type"],
  ["json", 400, "invalid_json"],
  ["fields", 400, "invalid_request"],
  ["note", 400, "note_too_long"],
  ["idempotency", 400, "invalid_parameter"],
  ["shape", 404, "decision_not_found"],
  ["existence", 404, "decision_not_found"],
  ["reuse", 409, "idempotency_key_reused"],
  ["authority", 403, "insufficient_authority"],
  ["state", 409, "decision_already_resolved"],
  ["option", 400, "unknown_option"]
] as const
type Fault = (typeof faults)[number][0]

const keyOf = (has: (fault: Fault) => boolean) => {
  if (has("shape")) return "dec-aaao"
  if (has("existence")) return "dec-0000"
  if (has("authority")) return has("state") ? "dec-d0wn" : "dec-wner"
  return has("state") ? "dec-d0ne" : "dec-aaaa"
}

const bodyOf = (has: (fault: Fault) => boolean) => {
  const answer = {
    ...(has("fields") ? {} : { optionId: has("option") ? "maybe" : "yes" }),
    ...(has("note") ? { note: "n".repeat(4001) } : {}),
    ...(has("size") ? { more: "m".repeat(70_000) } : {})
  }
  return JSON.stringify(answer) + (has("json") ? "}" : "")
}

export const resolveOrder = ({ resolve, tokenOf, workspace }: ReturnType<typeof visit>, world: () => World) =>
  describe("of two things that are wrong", () => {
    const tokens = { member: "", reader: "", spent: "" }
    beforeAll(async () => {
      const slug = await workspace()
      tokens.member = await tokenOf(slug)
      tokens.reader = await tokenOf(slug, "member", ["read"])
      tokens.spent = await tokenOf(slug, "member", ["read"])
      await resolve("dec-fre1", { optionId: "yes" }, { token: tokens.member, headers: { "idempotency-key": "used" } })
    })

    const spend = (requests: number) =>
      Promise.all(Array.from({ length: requests }, () => ask(world().url, "/v1/teams", { token: tokens.spent })))

    const sendOnce = (wrong: ReadonlyArray<Fault>) => {
      const has = (fault: Fault) => wrong.includes(fault)
      const token = has("limit") ? tokens.spent : has("permission") ? tokens.reader : tokens.member
      const body = bodyOf(has)
      return ask(world().url, `/v1/decisions/${keyOf(has)}/${has("route") ? "nothing" : "resolve"}`, {
        method: has("method") ? "PUT" : "POST",
        body,
        headers: {
          "content-type": has("type") ? "text/plain" : "application/json",
          "content-length": String(body.length),
          ...(has("token") ? {} : { authorization: `Bearer ${token}` }),
          ...(has("reuse") ? { "idempotency-key": "used" } : {}),
          ...(has("idempotency") ? { "idempotency-key": "not visible" } : {})
        }
      })
    }

    /** Sends again with the limit reached when the request was the first of a minute. */
    const send = async (wrong: ReadonlyArray<Fault>): Promise<Answer> => {
      const answer = await sendOnce(wrong)
      if (!wrong.includes("limit") || answer.headers["x-ratelimit-remaining"] !== "119") return answer
      await spend(119)
      return send(wrong)
    }

    it.each(faults.map(([fault, status, code], place) => ({ fault, status, code, place })))(
      "$fault comes before all that follow it: $status $code",
      async ({ code, fault, place, status }) => {
        assertRefused(await send([fault]), status, code)
        for (const [later] of faults.slice(place + 1)) {
          const answer = await send([fault, later])
          assert.strictEqual(answer.body?.error?.code, code, `${fault} and ${later}: ${answer.text}`)
          assertRefused(answer, status, code)
        }
      }
    )
  })
