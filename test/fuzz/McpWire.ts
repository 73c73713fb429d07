import { FastCheck } from "effect"
import { tools } from "../../adapters/http/mcp/ToolList.ts"
import { metaOf } from "../http/mcp/House.ts"
import * as Headers from "./Headers.ts"
import * as Hostile from "./Hostile.ts"
import type { Scene } from "./Scene.ts"
import { bytesOf, type Framing, type Manner, type Request } from "./Wire.ts"

type Arbitrary<A> = FastCheck.Arbitrary<A>
type Json = Readonly<Record<string, unknown>>

const { constant, constantFrom, oneof, tuple } = FastCheck

const mixed = <A>(...parts: ReadonlyArray<readonly [weight: number, arbitrary: Arbitrary<A>]>): Arbitrary<A> =>
  oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** Arguments that are almost right; none changes a team or a token, which the other requests need. */
const given: Readonly<Record<string, Json>> = {
  get_story: { story: "PAY-1" },
  list_stories: { team: "payments", limit: 2, cursor: "x" },
  edit_story: { story: "PAY-1", title: "Refund", acceptanceCriteria: [{ text: "It works" }] },
  move_story: { story: "PAY-2", column: "ready" },
  approve_draft: { story: "PAY-2" },
  reject_draft: { story: "PAY-99" },
  list_teams: {},
  pause_team: { team: "nobody" },
  resume_team: { team: "nobody" },
  change_policy: { team: "nobody", decisionHours: 5, budgets: { runCents: null } },
  list_runs: { team: "payments", story: "PAY-1", limit: 2 },
  get_run: { run: "run-7f3k" },
  start_run: { story: "WEB-1" },
  report_progress: { run: "run-7f3k", text: "half done" },
  stop_run: { run: "run-0000" },
  retry_run: { run: "run-2hq9", note: "Once more" },
  list_decisions: { status: "pending", team: "payments", run: "run-7f3k", limit: 3 },
  get_decision: { decision: "dec-aaaa" },
  request_human_input: { story: "PAY-1", run: "run-7f3k", question: "Which?" },
  answer_decision: { decision: "dec-aaaa", optionId: "yes", note: "Go" },
  list_incidents: { status: "open", service: "checkout", limit: 2 },
  get_incident: { incident: "inc-4m2q" },
  acknowledge_incident: { incident: "inc-4m2q" },
  create_token: { name: "ci", permissions: ["read"], lifetime: "for good" },
  revoke_token: { prefix: "tk_00000000" }
}

const argumentsOf = (name: string): Arbitrary<unknown> =>
  Hostile.spoiled(given[name] ?? {}).map((text): unknown => {
    const spoiled = JSON.parse(text) as Record<string, unknown>
    // A lifetime that is right would answer a token.
    return name === "create_token" ? { ...spoiled, lifetime: "for good" } : spoiled
  })

const odd: ReadonlyArray<unknown> = [null, true, -1, 1e308, [], {}, [null], { a: { b: [] } }, ...Hostile.texts]

const uris = ["gatehouse://stories/PAY-1", "gatehouse://decisions/dec-aaaa", "gatehouse://runs/run-7f3k/evidence"]

interface Sent {
  readonly method: unknown
  readonly params: unknown
}

const call = oneof(
  ...tools.map(({ name }) =>
    argumentsOf(name).map((args): Sent => ({ method: "tools/call", params: { name, arguments: args } }))
  )
)

const rest: Arbitrary<Sent> = oneof(
  constantFrom(
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "server/discover",
    "ping"
  ).map((method): Sent => ({ method, params: {} })),
  oneof(constantFrom(...uris), Hostile.text).map((uri): Sent => ({ method: "resources/read", params: { uri } })),
  oneof(constant("PAY-1"), Hostile.text).map((story): Sent => ({
    method: "prompts/get",
    params: { name: "work_on_story", arguments: { story } }
  })),
  constantFrom("2025-11-25", "2025-06-18", "2026-07-28", "1999-01-01", "").map((protocolVersion): Sent => ({
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo: { name: "fuzz", version: "1" } }
  })),
  tuple(Hostile.text, constantFrom(...odd)).map(([method, params]): Sent => ({ method, params })),
  tuple(
    constantFrom("tools/call", "tools/list", "tasks/get", "logging/setLevel", "completion/complete"),
    constantFrom(...odd)
  ).map(([method, params]): Sent => ({ method, params }))
)

const versions = ["2026-07-28", "2026-07-28", "2026-07-28", "2025-11-25", "2025-06-18", "1999-01-01"]

/** The metadata of a message, right for its version or not. */
const metadata = (version: string): Arbitrary<unknown> =>
  mixed<unknown>(
    [8, constant(version === "2026-07-28" ? metaOf(version) : undefined)],
    [1, constantFrom(...versions).map(metaOf)],
    [1, Hostile.spoiled(metaOf(version)).map((text): unknown => JSON.parse(text))],
    [1, constantFrom(...odd)]
  )

const withMeta = (params: unknown, meta: unknown): unknown =>
  typeof params === "object" && params !== null && !Array.isArray(params) && meta !== undefined
    ? { ...params, _meta: meta }
    : params

type Header = readonly [name: string, value: string]

const textAt = (params: unknown, key: string): string | undefined => {
  const value = typeof params === "object" && params !== null ? (params as Json)[key] : undefined
  return typeof value === "string" ? value : undefined
}

/** Headers as the message wants them. */
const matching = ({ method, params }: Sent, version: string): ReadonlyArray<Header> => {
  const name = textAt(params, "name") ?? textAt(params, "uri")
  return [
    ["content-type", "application/json"],
    ["accept", "application/json, text/event-stream"],
    ["mcp-protocol-version", version],
    ...(version === "2026-07-28" && typeof method === "string"
      ? [
          ["mcp-method", bytesOf(method)] as const,
          ...(name === undefined ? [] : [["mcp-name", bytesOf(name)] as const])
        ]
      : [])
  ]
}

const names = ["content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id", "origin"]

/** Leaves one header out, or gives it another value. */
const spoiledHeader = (good: ReadonlyArray<Header>): Arbitrary<ReadonlyArray<Header>> =>
  tuple(
    constantFrom(...names),
    oneof(constant(null), Hostile.text.map(bytesOf), constantFrom("text/html", "null"))
  ).map(([name, value]) => [
    ...good.filter(([one]) => one !== name),
    ...(value === null ? [] : [[name, value] as const])
  ])

interface Message {
  readonly body: string
  readonly headers: ReadonlyArray<Header>
}

const message: Arbitrary<Message> = tuple(
  mixed([4, call], [2, rest]),
  constantFrom(...versions),
  mixed<unknown>([9, constant(1)], [1, constantFrom(...odd)], [1, constant(undefined)])
).chain(([sent, version, id]) =>
  metadata(version).chain((meta) => {
    const one = { jsonrpc: "2.0", id, method: sent.method, params: withMeta(sent.params, meta) }
    const good = matching(sent, version)
    return tuple(
      mixed(
        [14, constant(JSON.stringify(one))],
        [
          1,
          constantFrom(JSON.stringify([one, one]), JSON.stringify([one, null]), JSON.stringify(Array(200).fill(one)))
        ],
        [1, Hostile.spoiled(one)],
        [1, Hostile.bodies(JSON.stringify(one)).map((bytes) => bytes.toString("latin1"))]
      ),
      mixed([8, constant(good)], [1, spoiledHeader(good)])
    ).map(([body, headers]) => ({ body, headers }))
  })
)

/** A stream lasts until its client leaves. */
const opensStream = (body: string) => body.includes("subscriptions/listen")

/** Requests to the MCP server: by the tokens of people and the credentials of runs, mostly. */
export const request = (scene: Scene, manner: Arbitrary<Manner>, version: Arbitrary<string>): Arbitrary<Request> => {
  const bearers = [...tokensOf(scene), ...scene.runners.map(({ credential }) => credential)]
  return tuple(
    mixed([20, constant("POST")], [1, constantFrom(...Hostile.methods)]),
    mixed([20, constant("/mcp")], [1, constantFrom("/mcp/", "/mcp/x", "/mcp?x=1", "/mcp?%00", "/MCP")]),
    version,
    mixed<string | null>([10, constantFrom(...bearers)], [1, constant(null)]),
    Headers.all(scene, []),
    message,
    manner,
    mixed<Framing>(
      [20, constant("length")],
      [2, constantFrom("chunked", "odd chunks", "too short", "too long", "both")]
    )
  ).map(([method, target, http, bearer, others, { body, headers }, sent, framing]) => {
    const own = new Set([...headers.map(([name]) => name), ...(bearer === null ? [] : ["authorization"])])
    const bytes = Buffer.from(body, "utf8")
    return {
      method,
      target,
      version: http,
      headers: [
        ...others.filter(([name]) => !own.has(name.toLowerCase())),
        ...headers,
        ...(bearer === null ? [] : [["authorization", `Bearer ${bearer}`] as const])
      ],
      body: bytes,
      framing,
      manner: opensStream(body) ? "hung up" : sent,
      mayBeUnavailable: false
    }
  })
}

const tokensOf = ({ tokens }: Scene) => tokens.valid.flat()

/** Every field of a message, of its metadata and of its headers with every hostile value, the rest being right. */
export const sweep = (scene: Scene): ReadonlyArray<Request> => {
  const trusted = tokensOf(scene)
  const sent = { method: "tools/call", params: { name: "get_story", arguments: { story: "PAY-1" } } }
  const meta: Json = metaOf("2026-07-28")
  const good = { jsonrpc: "2.0", id: 1, method: sent.method, params: { ...sent.params, _meta: meta } }
  const headers = matching(sent, "2026-07-28")
  const messages: ReadonlyArray<Message> = [
    ...["jsonrpc", "id", "method", "params"].flatMap((field) =>
      odd.map((value) => ({ body: JSON.stringify({ ...good, [field]: value }), headers }))
    ),
    ...["_meta", "name", "arguments"].flatMap((field) =>
      odd.map((value) => ({ body: JSON.stringify({ ...good, params: { ...good.params, [field]: value } }), headers }))
    ),
    ...Object.keys(meta).flatMap((field) =>
      odd.map((value) => ({
        body: JSON.stringify({ ...good, params: { ...good.params, _meta: { ...meta, [field]: value } } }),
        headers
      }))
    ),
    ...names.flatMap((name) =>
      Hostile.texts.map((value) => ({
        body: JSON.stringify(good),
        headers: [...headers.filter(([one]) => one !== name), [name, bytesOf(value)] as const]
      }))
    )
  ]
  return messages.map(({ body, headers: own }, turn) => ({
    method: "POST",
    target: "/mcp",
    version: "HTTP/1.1",
    headers: [["host", "sweep"], ["authorization", `Bearer ${trusted[turn % trusted.length]}`], ...own],
    body: Buffer.from(body),
    framing: "length",
    manner: "at once",
    mayBeUnavailable: false
  }))
}
