import { assert } from "vitest"
import * as Sources from "../../application/oncall/Sources.ts"
import { signed, source, unixNow } from "../support/Source.ts"
import * as Seed from "../support/Seed.ts"
import { blank, type Side, transcript, walk } from "./Transcript.ts"

const alert = (n: number, more: object = {}) => ({
  title: `Checkout fails ${n}`,
  fingerprint: `f-${n}`,
  severity: "high",
  environment: "prod",
  ...more
})

const full = alert(1, {
  severity: "SEV-1",
  description: "It answers 5xx",
  startedAt: "2026-01-02T03:04:05Z",
  service: "checkout",
  labels: { region: "eu", shard: 7, token: "hidden", nested: { a: 1 } },
  links: [
    { label: "Runbook", url: "https://example.com/r" },
    { label: "none", url: "ftp://x" }
  ]
})

// oxlint-disable-next-line typescript/no-explicit-any
const parse = (row: string): any => JSON.parse(row)

/** A source and a function that delivers to it. */
const desk = async (side: Side) => {
  const { owner, path, secret, slug, source: tool, workspace } = await side.run(source())
  await side.share(tool.id, secret)
  const at = transcript(side)
  const post = (body: string, headers: Record<string, string>, to = path) =>
    at.ask(to, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })
  // Each side has its own messages for unreadable or untrusted input.
  const known = (row: string) => blank(row).replace(/(cannot be read: |"last": ")[^"]*/g, "$1…")
  /** Keeps all results so far, newest first. */
  const keep = async () => {
    await side.settle()
    const [alerts, incidents] = [await side.rows("alerts", workspace), await side.rows("incidents", workspace)]
    at.note("alerts", alerts.map(known))
    at.note("incidents", incidents.map(known))
    for (const table of ["jobs", "deliveries"]) at.note(table, (await side.rows(table, workspace)).map(known))
    return { alerts: alerts.map(parse), incidents: incidents.map(parse) }
  }
  return {
    at,
    keep,
    owner,
    path,
    secret,
    slug,
    post,
    /** Delivers, waits for triage and keeps the result. */
    deliver: async (body: object, time?: number) => {
      const text = JSON.stringify(body)
      const answer = await post(text, signed(secret, text, time))
      return { answer, ...(await keep()) }
    }
  }
}

/** Alerts of every measured kind become alerts and incidents, and are recorded. */
export const deliveries = async (side: Side) => {
  const { at, deliver, owner, slug } = await desk(side)
  const time = unixNow()
  const opened = await deliver(full, time)
  assert.strictEqual(opened.answer.status, 202)
  assert.deepStrictEqual([opened.alerts.length, opened.incidents.length], [1, 1])
  const twice = await deliver(full, time)
  assert.deepStrictEqual([twice.answer.body.accepted, twice.answer.body.duplicates], [0, 1])
  assert.deepStrictEqual([twice.alerts[0].count, twice.incidents[0].alerts], [1, 1])
  const again = await deliver({ ...full, description: "Still" }, time + 1)
  assert.deepStrictEqual([again.alerts.length, again.alerts[0].count], [1, 2])
  const low = await deliver(alert(2, { severity: "low", environment: "test" }))
  assert.deepStrictEqual([low.alerts[0].incident, low.incidents.length], [null, 1])
  const worse = await deliver(alert(2, { severity: "critical", environment: "test" }))
  assert.deepStrictEqual([worse.alerts[0].reason, worse.incidents.length], ["opened", 2])
  await deliver(alert(3, { severity: "medium" }))
  const mixed = await deliver({
    alerts: [alert(4), { severity: "high" }, alert(5, { environment: "loose", severity: "info" })]
  })
  assert.deepStrictEqual([mixed.answer.body.accepted, mixed.answer.body.rejected.length], [2, 1])
  const loose = await deliver(alert(6, { environment: "loose", severity: "critical" }))
  assert.strictEqual(loose.incidents[0].alerts, 2)
  await deliver({ title: "No name", labels: { b: "2", a: "1" } })
  const over = await deliver({ ...full, status: "resolved", endedAt: "2026-01-02T04:04:05Z" })
  assert.strictEqual(over.incidents.find((one) => one.environment === "prod").status, "open")
  const ended = await deliver({ alerts: [3, 4].map((n) => alert(n, { status: "resolved" })) })
  assert.strictEqual(ended.incidents.find((one) => one.environment === "prod").status, "resolved")
  await deliver(alert(4, { status: "resolved" }))
  await deliver(alert(99, { status: "resolved" }))
  await side.run(Sources.pause(owner, "tool"))
  const paused = await deliver(alert(7))
  assert.strictEqual(paused.alerts[0].reason, "source_paused")
  const { value: token } = await side.run(Seed.token(slug))
  await walk(at, "/v1/audit?limit=50", token, ({ id }: { id: string }) => id)
  return at.lines
}

/** A hundred alerts in one post are a hundred alerts and one incident; so are as many posts at once. */
export const storm = async (side: Side) => {
  const { at, deliver, path, secret, slug } = await desk(side)
  const hundred = Array.from({ length: 100 }, (_, n) => alert(n))
  const batch = await deliver({ alerts: hundred })
  assert.deepStrictEqual([batch.answer.status, batch.answer.body.accepted], [202, 100])
  assert.deepStrictEqual([batch.alerts.length, batch.incidents.length, batch.incidents[0].alerts], [100, 1, 100])
  const { value: token } = await side.run(Seed.token(slug))
  await at.ask("/v1/audit?limit=50", { token })

  const single = Array.from({ length: 30 }, (_, n) => JSON.stringify(alert(100 + n)))
  const answers = await Promise.all(
    single.map((body) => transcript(side).ask(path, { method: "POST", body, headers: signed(secret, body) }))
  )
  assert.isTrue(answers.every(({ body, status }) => status === 202 && body.accepted === 1))
  assert.strictEqual(new Set(answers.map(({ body }) => body.deliveryId)).size, 30)
  const after = await deliver(alert(130))
  assert.deepStrictEqual([after.alerts.length, after.incidents.length, after.incidents[0].alerts], [131, 1, 131])
  return []
}

/** Every refusal of a delivery. */
export const unproven = async (side: Side) => {
  const { at, deliver, keep, post, secret } = await desk(side)
  const body = JSON.stringify(alert(1))
  const good = signed(secret, body)
  for (const [status, code, answer] of [
    [404, "source_not_found", await post(body, good, `/signals/${"x".repeat(32)}`)],
    [404, "source_not_found", await post(body, good, "/signals/x")],
    [404, "source_not_found", await post("x".repeat(600_000), good, "/signals/x")],
    [401, "invalid_proof", await post(body, {})],
    [401, "invalid_proof", await post(body, signed("another", body))],
    [401, "invalid_proof", await post(`${body} `, good)],
    [401, "invalid_proof", await post(body, { "x-service-signature": "sha256=abc" })],
    [401, "invalid_proof", await post(body, { ...good, "x-service-timestamp": String(unixNow()) })],
    [401, "invalid_proof", await post(body, { ...good, "x-service-timestamp": "now" })],
    [401, "timestamp_out_of_window", await post(body, signed(secret, body, unixNow() - 400))],
    [413, "payload_too_large", await post("x".repeat(600_000), good)],
    [400, "unreadable_alert", await post("", signed(secret, ""))],
    [400, "unreadable_alert", await post("{", signed(secret, "{"))],
    [400, "unreadable_alert", await post("[]", signed(secret, "[]"))],
    [400, "unreadable_alert", await post('{"title":" "}', signed(secret, '{"title":" "}'))],
    [400, "unreadable_alert", await post('{"alerts":[1]}', signed(secret, '{"alerts":[1]}'))]
  ] as const)
    assert.deepStrictEqual([answer.status, answer.body.error.code], [status, code])
  assert.strictEqual((await post('{"alerts":[]}', signed(secret, '{"alerts":[]}'))).status, 202)
  await keep()
  const kept = await deliver(alert(1))
  assert.strictEqual(kept.alerts.length, 1)
  return at.lines
}
