import { assert } from "vitest"
import { Effect } from "effect"
import * as Tokens from "../../application/workspace/Tokens.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { type Answer, ask, withinOneMinute } from "../support/World.ts"
import { readable } from "./Content.ts"
import { type Side, transcript, walk } from "./Transcript.ts"

const arrange = Effect.gen(function* () {
  const { slug } = yield* Seed.workspace
  yield* Seed.load(slug, readable)
  const { value: token } = yield* Seed.token(slug)
  return { slug, token }
})

/** Every measured read, with every filter, whole lists too. */
export const reads = async (side: Side) => {
  const { token } = await side.run(arrange)
  const at = transcript(side)
  await at.ask("/v1/teams", { token })
  for (const path of ["/v1/runs/run-aaaa", "/v1/runs/RUN-bbbb", "/v1/decisions/dec-d0ne"]) {
    const { headers } = await at.ask(path, { token })
    const same = { token, headers: { "if-none-match": `W/${headers["etag"]}, "x"` } }
    assert.strictEqual((await at.ask(path, same)).status, 304)
    assert.strictEqual((await at.ask(path, { token, headers: { "if-none-match": '"x"' } })).status, 200)
  }
  for (const query of ["", "limit=3", "limit=09999", "status=pending", "team=WEB", "run=RUN-aaaa"])
    assert.strictEqual((await at.ask(`/v1/decisions?${query}`, { token })).status, 200)
  assert.deepStrictEqual((await at.ask("/v1/decisions?team=ops", { token })).body, { data: [], nextCursor: null })
  const keyOf = ({ key }: { key: string }) => key
  const counts = []
  for (const filter of ["", "status=pending&", "team=payments&", "run=run-aaaa&", "team=web&status=expired&"]) {
    const ids = await walk(at, `/v1/decisions?${filter}limit=11`, token, keyOf)
    const whole = await at.ask(`/v1/decisions?${filter}limit=100`, { token })
    assert.deepStrictEqual(ids, whole.body.data.map(keyOf))
    counts.push(ids.length)
  }
  assert.deepStrictEqual(counts, [61, 15, 40, 20, 5])
  return at.lines
}

const badQueries = [
  "limit=0",
  "limit=ten",
  "limit=",
  "limit=5&limit=6",
  "cursor=x",
  "cursor=",
  "status=open",
  "status=",
  "team=a_b",
  "team=nobody",
  "run=run-1",
  "run=dec-aaaa",
  "team=nobody&cursor=x",
  "limit=0&cursor=x"
]

const badAuditQueries = [
  "actor=robot",
  "event=nothing",
  "from=yesterday",
  "to=2026-02-30",
  "from=2026-02-02&to=2026-02-01",
  "cursor=x",
  "team=nobody",
  "limit=x",
  "run=x",
  "event=run_state_changed&event=story_moved"
]

/** Every refusal of a read. */
export const refusals = async (side: Side) => {
  const { slug, token } = await side.run(arrange)
  const other = await side.run(arrange)
  const at = transcript(side)
  const aged = await side.run(Seed.agedToken(slug, 31))
  const revoked = await side.run(Seed.token(slug))
  await side.run(Tokens.revoke(bySystem, { workspace: slug, prefix: revoked.prefix }))
  const writer = await side.run(Seed.token(slug, ["write"]))
  await side.run(People.person(slug, "member"))
  const member = await side.run(Seed.token(slug, ["admin"], People.emailOf("member")))
  const stranger = `tk_${"x".repeat(32)}`

  for (const path of ["/v1/teams", "/v1/runs/run-aaaa", "/v1/decisions", "/v1/audit"]) {
    assert.strictEqual((await at.ask(path)).body.error.code, "missing_token")
    for (const [bad, status] of [
      ["nonsense", 401],
      [stranger, 401],
      [aged, 401],
      [revoked.value, 401],
      [writer.value, 403]
    ] as const)
      assert.strictEqual((await at.ask(path, { token: bad })).status, status, `${path} ${bad}`)
    // Errors of a query are returned only to callers that may send it.
    assert.strictEqual((await at.ask(`${path}?limit=0&format=x`, { token: stranger })).status, 401)
  }
  for (const query of badQueries)
    assert.include([400, 404], (await at.ask(`/v1/decisions?${query}`, { token })).status, query)
  for (const query of badAuditQueries) {
    assert.include([400, 404], (await at.ask(`/v1/audit?${query}`, { token })).status, query)
  }
  for (const key of ["run-0000", "dec-0000", "x".repeat(300)]) {
    assert.strictEqual((await at.ask(`/v1/runs/${key}`, { token })).body.error.code, "run_not_found")
    assert.strictEqual((await at.ask(`/v1/decisions/${key}`, { token })).body.error.code, "decision_not_found")
  }
  assert.strictEqual((await at.ask("/v1/nothing", { token })).body.error.code, "route_not_found")
  for (const query of ["format=xml", "actor=robot", "team=nobody"])
    assert.include([400, 404], (await at.ask(`/v1/audit/export?${query}`, { token: other.token })).status, query)
  for (const path of ["/v1/audit?limit=x", "/v1/audit/export?format=x"])
    assert.strictEqual((await at.ask(path, { token: member.value })).body.error.code, "admin_required")

  const { body } = await at.ask("/v1/decisions?limit=2", { token })
  const cursor: string = body.nextCursor
  const altered = `${cursor.slice(0, -3)}${cursor.endsWith("AAA") ? "BBB" : "AAA"}`
  for (const [path, whose] of [
    [`/v1/decisions?cursor=${altered}`, token],
    [`/v1/decisions?status=pending&cursor=${cursor}`, token],
    [`/v1/audit?cursor=${cursor}`, token],
    [`/v1/decisions?cursor=${cursor}`, other.token]
  ] as const)
    assert.strictEqual((await at.ask(path, { token: whose })).body.error.code, "invalid_cursor", path)
  const entries = await side.run(Seed.token(slug))
  await at.ask("/v1/audit?event=access_denied", { token: entries.value })
  return at.lines
}

/** A token has 120 requests a minute, over all routes and however many come at once. */
export const limits = async (side: Side) => {
  const { slug } = await side.run(arrange)
  const paths = ["/v1/teams", "/v1/decisions?limit=1", "/v1/decisions?status=pending", "/v1/runs/run-aaaa"]
  let at = transcript(side)
  const answers = await withinOneMinute(async () => {
    const { value: token } = await side.run(Seed.token(slug))
    const many = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => ask(side.url, paths[n % paths.length] ?? "", { token })))
    const spent = [...(await many(50)), ...(await many(75))]
    at = transcript(side)
    const late: Array<Answer> = []
    for (const path of [...paths, "/v1/audit", "/v1/audit/export", "/v1/decisions?limit=x"])
      late.push(await at.ask(path, { token }))
    return [...spent, ...late]
  })
  const [first, rest, late] = [answers.slice(0, 50), answers.slice(50, 125), answers.slice(125)]
  assert.isTrue(first.every(({ status }) => status === 200))
  const left = [...first, ...rest]
    .map(({ headers }) => Number(headers["x-ratelimit-remaining"]))
    .toSorted((a, b) => b - a)
  assert.deepStrictEqual(left, [...Array.from({ length: 120 }, (_, n) => 119 - n), 0, 0, 0, 0, 0])
  const refused = rest.filter(({ status }) => status === 429)
  assert.strictEqual(refused.length, 5)
  assert.isTrue(refused.every(({ body }) => body.error.code === "rate_limited"))
  assert.isTrue(refused.every(({ headers }) => Number(headers["retry-after"]) >= 1))
  assert.isTrue(late.every(({ status }) => status === 429))
  return at.lines
}
