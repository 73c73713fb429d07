import { signed } from "../support/Source.ts"
import { type Answer, ask } from "../support/World.ts"
import { planted } from "./Planted.ts"

/** An address for alerts, and its secret. */
interface Door {
  readonly path: string
  readonly secret: string
}

/** Data of authorised callers. */
export interface Known {
  readonly bearer: string
  readonly generic: Door
  readonly azure: Door
  readonly made: Door
}

const body = JSON.stringify({
  title: "Leak",
  severity: "critical",
  fingerprint: "leak",
  password: planted.bodyPassword,
  nested: [{ apiKey: planted.bodyNested, clientSecret: [planted.bodyList] }],
  credentials: { user: "me", value: planted.bodyObject, more: [[planted.bodyDeep]] },
  labels: { token: planted.label }
})
const broken = `{"password":"${planted.bodyBroken}`

const elsewhere = { cookie: `session=${planted.cookie}`, "x-api-key": planted.apiKeyHeader }
const basic = { authorization: `Basic ${Buffer.from(`me:${planted.basic}`).toString("base64")}` }
const unreadable = JSON.stringify({ optionId: 7, token: planted.answerField })

/** Valid and invalid requests that carry secrets, with the answer to each. */
export const requests = (
  url: string,
  { azure, bearer, generic, made }: Known
): ReadonlyArray<readonly [status: number, send: () => Promise<Answer>]> => {
  const get = (path: string, given: Parameters<typeof ask>[2] = {}) => ask(url, path, given)
  const post = (path: string, headers: Record<string, string> = {}, text = body) =>
    ask(url, path, { method: "POST", body: text, headers })
  const resolve = "/v1/decisions/dec-0000/resolve"
  return [
    [200, () => get("/v1/teams", { token: bearer })],
    [200, () => get("/v1/audit", { token: bearer, headers: elsewhere })],
    [401, () => get("/v1/teams", { token: planted.wrongToken })],
    [401, () => get("/v1/runs", { token: planted.malformedToken })],
    [401, () => get("/v1/teams", { headers: basic })],
    [401, () => get(`/v1/teams?token=${planted.queryToken}&access_token=${planted.queryToken}`)],
    [400, () => get(`/v1/runs?token=${planted.queryToken}&limit=0`, { token: bearer })],
    [404, () => get(`/nowhere?token=${planted.queryToken}`, { token: bearer })],
    [400, () => get(resolve, { method: "POST", token: bearer, body: unreadable })],
    [400, () => post(`${azure.path}?key=${azure.secret}`, {}, '{"schemaId":"other"}')],
    [401, () => post(`${azure.path}?key=${planted.wrongKey}`)],
    [404, () => post(`${azure.path}/more?key=${planted.wrongKey}`)],
    [401, () => post(generic.path, { authorization: `Bearer ${planted.bearer}` })],
    [401, () => post(generic.path, { "x-service-signature": planted.signature })],
    [400, () => post(generic.path, signed(planted.toolSecret, broken), broken)],
    [202, () => post(generic.path, signed(planted.toolSecret, body))],
    [202, () => post(generic.path, signed(generic.secret, body))],
    [503, () => get("/sign-in/openid", { headers: { "sec-fetch-site": "none" } })],
    [403, () => get(`/sign-in/openid/back?code=${planted.openIdCode}&state=${planted.openIdCode}`)],
    [202, () => post(made.path, signed(made.secret, body))]
  ]
}
