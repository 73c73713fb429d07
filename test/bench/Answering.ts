import { assert } from "vitest"
import { Effect } from "effect"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Permission } from "../../domain/workspace/ApiToken.ts"
import type { Role } from "../../domain/workspace/Member.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { answerable } from "./Content.ts"
import { blank, type Side, transcript, walk } from "./Transcript.ts"

const arrange = Effect.gen(function* () {
  const { id, slug } = yield* Seed.workspace
  yield* Seed.load(slug, answerable)
  return { id, slug }
})

const tokens = (side: Side, slug: WorkspaceSlug) => async (role: Role, permission: Permission) => {
  const email = People.emailOf(role)
  const token = Effect.zipRight(People.person(slug, role), Seed.token(slug, [permission], email))
  return (await side.run(token)).value
}

const json = { "content-type": "application/json" }

/** Resolves decisions with all effects; each resolution is recorded. */
export const answers = async (side: Side) => {
  const { id, slug } = await side.run(arrange)
  const tokenOf = tokens(side, slug)
  const token = await tokenOf("member", "admin")
  const at = transcript(side)
  const resolve = (key: string, body: unknown, headers: Record<string, string> = json, whose = token) =>
    at.ask(`/v1/decisions/${key}/resolve`, {
      method: "POST",
      token: whose,
      headers,
      body: typeof body === "string" ? body : JSON.stringify(body)
    })
  const yes = { optionId: "yes" }

  for (const [key, body, run] of [
    ["dec-wa1t", { ...yes, note: "Go ✓" }, "run-wa1t"],
    ["DEC-wa2t", { optionId: "no", note: "Not now" }, "run-wa2t"],
    ["dec-wa3t", yes, "run-wa3t"],
    ["dec-wa4t", { optionId: "no", note: null }, "run-wa4t"],
    ["dec-0ver", { ...yes, note: "" }, "run-0ver"],
    ["dec-q0ed", { ...yes, note: "Soon" }, "run-q0ed"],
    ["dec-wa7t", { optionId: "more", note: "Smaller" }, "run-wa7t"],
    ["dec-wa8t", { optionId: "more", note: "Smaller" }, "run-wa8t"],
    ["dec-2nd8", { optionId: "more" }, "run-wa8t"],
    ["dec-0vr2", { optionId: "more", note: "Late" }, "run-0ver"],
    ["dec-tm2t", { optionId: "more", note: "To nobody" }, "run-0ver"]
  ] as const) {
    assert.strictEqual((await resolve(key, body)).status, 200, key)
    await at.ask(`/v1/decisions/${key}`, { token })
    await at.ask(`/v1/runs/${run}`, { token })
  }
  const first = await at.ask("/v1/runs/run-wa1t", { token })
  assert.deepStrictEqual([first.body.status, first.body.stage], ["running", "implementing"])
  const second = await at.ask("/v1/runs/run-wa2t", { token })
  assert.deepStrictEqual([second.body.status, second.body.failureClass], ["stopped", "policy"])
  const cancelled = await at.ask("/v1/decisions?run=run-wa4t&status=cancelled", { token })
  assert.strictEqual(cancelled.body.data.length, 1)

  at.note("jobs", (await side.rows("jobs", id)).map(blank))

  for (const [key, body, status, code, headers] of [
    ["dec-wa1t", yes, 409, "decision_already_resolved"],
    ["dec-wa1t", { optionId: "perhaps" }, 409, "decision_already_resolved"],
    ["dec-cncd", yes, 409, "decision_cancelled"],
    ["dec-exp1", yes, 409, "decision_expired"],
    ["dec-team", { optionId: "perhaps" }, 400, "unknown_option"],
    ["dec-team", {}, 400, "invalid_request"],
    ["dec-team", [], 400, "invalid_request"],
    ["dec-team", { optionId: 1 }, 400, "invalid_request"],
    ["dec-team", { ...yes, note: 1 }, 400, "invalid_request"],
    ["dec-team", { ...yes, note: "\0" }, 400, "invalid_request"],
    ["dec-team", { ...yes, note: "n".repeat(4001) }, 400, "note_too_long"],
    ["dec-team", "{", 400, "invalid_json"],
    ["dec-team", "", 400, "invalid_json"],
    ["dec-team", yes, 415, "unsupported_media_type", { "content-type": "text/plain" }],
    ["dec-team", { ...yes, note: "n".repeat(70_000) }, 413, "payload_too_large"],
    ["dec-0000", yes, 404, "decision_not_found"],
    ["nothing", yes, 404, "decision_not_found"],
    ["dec-wner", yes, 403, "insufficient_authority"]
  ] as const) {
    const answer = await resolve(key, body, headers ?? json)
    assert.deepStrictEqual([answer.status, answer.body.error.code], [status, code], `${key} ${JSON.stringify(body)}`)
  }
  const reader = await tokenOf("owner", "read")
  assert.strictEqual((await resolve("dec-team", yes, json, reader)).body.error.code, "insufficient_permission")
  assert.strictEqual((await resolve("dec-team", { ...yes, note: "n".repeat(4000) })).status, 200)

  const idOf = ({ event, id }: { event: string; id: string }) => `${event} ${id}`
  const whole = await walk(at, "/v1/audit?limit=17", reader, idOf)
  const events = whole.map((one) => one.split(" ")[0])
  assert.strictEqual(events.filter((event) => event === "decision_resolved").length, 12)
  assert.strictEqual(events.filter((event) => event === "decision_cancelled").length, 1)
  return at.lines
}

/** Of ten concurrent answers, one is the first. */
export const race = async (side: Side) => {
  const { slug } = await side.run(arrange)
  const token = await tokens(side, slug)("member", "admin")
  const resolving = Array.from({ length: 10 }, (_, n) =>
    transcript(side).ask("/v1/decisions/dec-race/resolve", {
      method: "POST",
      token,
      headers: json,
      body: JSON.stringify({ optionId: n % 2 === 0 ? "yes" : "no", note: `${n}` })
    })
  )
  const all = await Promise.all(resolving)
  const [won, ...others] = all.toSorted((a, b) => a.status - b.status)
  assert.strictEqual(won?.status, 200)
  assert.deepStrictEqual(
    others.map(({ body, status }) => `${status} ${body.error.code}`),
    Array.from({ length: 9 }, () => "409 decision_already_resolved")
  )
  const at = transcript(side)
  const { body } = await at.ask("/v1/decisions/dec-race", { token })
  assert.deepStrictEqual(body.resolution, won?.body.resolution)
  const reader = await tokens(side, slug)("owner", "read")
  const log = await at.ask("/v1/audit?event=decision_resolved", { token: reader })
  assert.strictEqual(log.body.data.length, 1)
  return []
}

const filters = [
  "team=payments",
  "team=WEB",
  "actor=human",
  "actor=the%20service",
  "event=decision_resolved",
  "run=run-wa2t",
  "event=Run%20state%20changed",
  "team=payments&actor=human&event=story_moved",
  "from=2026-01-01",
  "to=2026-01-31"
]
const exported = ["", "actor=system", "from=2026-01-01T00:00:00Z&to=2099-12-31", "to=2099-12-31&team=payments"]

/** Reads the audit log by every filter, as pages and as files. */
export const log = async (side: Side) => {
  const { slug } = await side.run(arrange)
  const tokenOf = tokens(side, slug)
  const [writer, reader] = [await tokenOf("member", "write"), await tokenOf("admin", "read")]
  const at = transcript(side)
  for (const [n, key] of ["dec-wa1t", "dec-wa2t", "dec-team"].entries())
    await at.ask(`/v1/decisions/${key}/resolve`, {
      method: "POST",
      token: writer,
      headers: json,
      body: JSON.stringify({ optionId: n === 1 ? "no" : "yes", note: `=1+${n}, "ok"\r\n` })
    })
  for (const filter of filters) assert.strictEqual((await at.ask(`/v1/audit?${filter}`, { token: reader })).status, 200)
  for (const filter of exported) {
    const page = await at.ask(`/v1/audit?${filter}`, { token: reader })
    const whole = await at.ask(`/v1/audit/export?format=json&${filter}`, { token: reader })
    // An export is recorded after it was made.
    assert.deepStrictEqual(whole.body.slice(0, page.body.data.length), page.body.data)
    const file = await at.ask(`/v1/audit/export?format=csv&${filter}`, { token: reader })
    assert.strictEqual(file.headers["content-type"], "text/csv; charset=utf-8")
    assert.isTrue(file.text.startsWith("id,timestamp,event,result,"))
  }
  const files = await at.ask("/v1/audit?event=audit_exported&limit=100", { token: reader })
  assert.strictEqual(files.body.data.length, 2 * exported.length)
  return at.lines
}
