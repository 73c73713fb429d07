import { SqlClient } from "@effect/sql"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import * as Sources from "../../application/Sources.ts"
import { signed, source } from "../support/Source.ts"
import { ask } from "../support/World.ts"
import { type Station, station } from "./Station.ts"

let at: Station
beforeAll(async () => {
  at = await station()
})
afterAll(() => at.close())

/** Every table as text, row by row. */
const everything = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    sql.unsafe<{ row: string }>(`SELECT t::text AS row FROM ${name} t`)
  )
  return rows.flat().map(({ row }) => row)
})

it("secrets in headers, addresses and bodies reach no answer, no log and no table", async () => {
  const [azure, generic] = [await at.run(source("azure-monitor")), await at.run(source())]
  const { secret: rotated } = await at.run(Sources.rotate(generic.owner, "tool"))
  const pager = await at.run(source("pagerduty"))
  const credentials = Redacted.make('{"key":"canary-credentials","from":"oncall@acme.test"}')
  await at.run(Sources.setCredentials(pager.owner, "tool", credentials))
  const { service, url } = await at.serve({ LOG_LEVEL: "debug" })
  const body = JSON.stringify({ title: "Leak", password: "canary-body", nested: [{ apiKey: "canary-nested" }] })
  const answers = [
    await ask(url, `${azure.path}?key=${azure.secret}`, { method: "POST", body: '{"schemaId":"other"}' }),
    await ask(url, `${azure.path}?key=canary-wrong-key`, { method: "POST", body }),
    await ask(url, `${azure.path}/more?key=canary-wrong-key`, { method: "POST", body }),
    await ask(url, `${azure.path}?key=${azure.secret}`),
    await ask(url, generic.path, { method: "POST", body, headers: signed(generic.secret, body) }),
    await ask(url, generic.path, { method: "POST", body, headers: { authorization: "Bearer canary-bearer" } }),
    await ask(url, generic.path, { method: "POST", body, headers: { "x-service-signature": "canary-signature" } })
  ]
  assert.deepStrictEqual(
    answers.map(({ status }) => status),
    [400, 401, 404, 405, 202, 401, 401]
  )
  service.signal("SIGTERM")
  await at.gone(service)
  const logs = `${service.out()}${service.err()}`
  assert.include(logs, "POST /signals/… 401")
  const secrets = [azure.secret, generic.secret, Redacted.value(rotated), "canary-"]
  const told = [logs, ...answers.map(({ headers, text }) => `${text} ${JSON.stringify(headers)}`)]
  for (const secret of [...secrets, azure.source.token, generic.source.token])
    for (const text of told) assert.notInclude(text, secret)
  const rows = await at.run(everything)
  assert.isAbove(rows.length, 20)
  for (const secret of secrets) for (const row of rows) assert.notInclude(row, secret)
})
