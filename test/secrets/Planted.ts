import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { listening } from "../notify/WebServer.ts"
import { canary, type Trace } from "./Canaries.ts"

/** Planted in every input that may hold a secret. */
export const planted = {
  wrongToken: `tk_${canary("WrongToken").padEnd(32, "0").slice(0, 32)}`,
  malformedToken: canary("Malformed"),
  queryToken: canary("QueryToken"),
  basic: canary("BasicAuth"),
  cookie: canary("Cookie"),
  apiKeyHeader: canary("ApiKeyHeader"),
  wrongKey: canary("WrongKey"),
  signature: canary("Signature"),
  bearer: canary("SourceBearer"),
  bodyPassword: canary("BodyPassword"),
  bodyNested: canary("BodyNested"),
  bodyList: canary("BodyList"),
  bodyObject: canary("BodyObject"),
  bodyDeep: canary("BodyDeep"),
  label: canary("Label"),
  bodyBroken: canary("BodyBroken"),
  answerField: canary("AnswerField"),
  toolSecret: canary("ToolSecret"),
  credentials: canary("Credentials"),
  connection: canary("Connection"),
  placePath: canary("PlacePath"),
  placeQuery: canary("PlaceQuery"),
  smtp: canary("Smtp"),
  openId: canary("OpenId"),
  openIdCode: canary("OpenIdCode"),
  database: canary("Database"),
  badSetting: canary("BadSetting"),
  checkQuery: canary("CheckQuery")
}

/** An external server that refuses everything, and repeats each request. */
export const parrot = listening((request, response) => {
  const said = JSON.stringify({ url: request.url, headers: request.headers })
  response.writeHead(401, { "www-authenticate": "Bearer", "x-said": encodeURIComponent(said) }).end(said)
})

/** Every table as text, row by row. */
export const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const names = yield* sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
  const rows = yield* Effect.forEach(names, ({ name }) =>
    Effect.map(sql.unsafe<{ row: string }>(`SELECT row_to_json(t)::text AS row FROM ${name} t`), (found) =>
      found.map(({ row }): Trace => ({ where: `table ${name}`, text: row }))
    )
  )
  return rows.flat()
})
