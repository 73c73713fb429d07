import * as HttpApi from "@effect/platform/HttpApi"
import { FastCheck } from "effect"
import { RunnerApi } from "../../adapters/api/RunnerApi.ts"
import * as Runs from "../../application/work/Runs.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { introduction, nobody, wire } from "../http/runner/Wire.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { World } from "../support/World.ts"
import * as Headers from "./Headers.ts"
import * as Hostile from "./Hostile.ts"
import type { Scene } from "./Scene.ts"
import type { Framing, Manner, Request } from "./Wire.ts"

const { constant, constantFrom, oneof, tuple } = FastCheck

export const routes: ReadonlyArray<{ readonly method: string; readonly template: string; readonly matches: RegExp }> =
  (() => {
    const found: Array<{ method: string; template: string; matches: RegExp }> = []
    HttpApi.reflect(RunnerApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint: { method, path } }) =>
        found.push({ method, template: path, matches: new RegExp(`^${path.replace(/:\w+/, "[^/]+")}$`) })
    })
    return found
  })()

const document = (leases: number) => ({
  teams: [
    {
      slug: "forge",
      name: "Forge",
      keyPrefix: "FRG",
      policy: { preset: "autonomous", executor: "custom", maxConcurrency: leases },
      repositories: ["/srv/git/forge.git"]
    }
  ],
  stories: Array.from({ length: leases }, (_, n) => ({ key: `FRG-${n + 1}`, team: "forge", title: `Story ${n + 1}` }))
})

/** Runners with a token and a lease each, so that no token is used up soon. */
export const arrange = async (world: World, slug: WorkspaceSlug, count: number) => {
  await world.run(Seed.load(slug, document(count)))
  const owner = await world.run(People.person(slug))
  const api = wire(world.url)
  const runners = []
  for (let n = 1; n <= count; n++) {
    const { value: token } = await world.run(Seed.token(slug))
    const runner = await api.hello(token, { teams: [] })
    await world.run(Runs.start(owner, `FRG-${n}` as StoryKey))
    const { body } = await api.lease(token, runner)
    const [lease, fence, credential]: [string, number, string] = [body.id, body.fence, body.credential]
    runners.push({ token, runner, lease, fence, credential })
  }
  return runners
}

type Held = Scene["runners"][number]

/** Stands for a runner while requests are drawn: an arbitrary for each runner would take too long. */
const anyone: Held = {
  token: "$TOKEN",
  runner: "0000feed-0000-4000-8000-000000000001",
  lease: "0000feed-0000-4000-8000-000000000002",
  fence: 1,
  credential: "$CREDENTIAL"
}

const replaced = (text: string, held: Held): string =>
  text
    .replaceAll(anyone.runner, held.runner)
    .replaceAll(anyone.lease, held.lease)
    .replaceAll(anyone.lease.toUpperCase(), held.lease.toUpperCase())
    .replaceAll(anyone.token, held.token)
    .replaceAll(anyone.credential, held.credential)

const as = (request: Request, held: Held): Request => ({
  ...request,
  target: replaced(request.target, held),
  headers: request.headers.map(([name, value]) => [name, replaced(value, held)] as const),
  body: Buffer.from(replaced(request.body.toString("latin1"), held), "latin1")
})

const evidence = {
  gates: [{ name: "test", status: "passed", summary: null, url: null, completedAt: null }],
  acceptance: [{ criterionId: "ac-1", status: "passed" }],
  demonstrate: [],
  diff: { files: 1, additions: 2, deletions: 3, commit: null }
}

const facts: ReadonlyArray<Readonly<Record<string, unknown>>> = [
  { type: "stage", stage: "implementing" },
  { type: "cost", costCents: 1 },
  { type: "evidence", evidence },
  { type: "verification", status: "failed", summary: "1 of 2 gates failed." },
  { type: "failure", failureClass: "transient", error: "It broke." },
  { type: "plan_ready", plan: "Do it.", size: null },
  { type: "path_needed", path: "src/x", reason: "" },
  { type: "question", question: "Which?" },
  { type: "gate_failed", gate: "constructor", reason: "" },
  { type: "feature_idea", title: "Gold", reason: "" },
  { type: "pull_request", pullRequest: { url: "https://git.test/1", number: 1 } }
]

const fact = oneof(
  ...facts.map((good) =>
    oneof(
      constant<unknown>(good),
      Hostile.spoiled(good).map((text): unknown => JSON.parse(text))
    )
  )
)

/** Bodies that a route takes, by the end of its path. */
const bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  hello: introduction,
  lease: { runner: anyone.runner, executors: ["custom"] },
  renew: { fence: 1, lastInput: 0 },
  report: { fence: 1, seq: 7, facts: [], log: "\u001b[2Jlines\n", session: "s-1" },
  finish: { fence: 1, outcome: "failed" },
  goodbye: { runner: nobody },
  questions: { question: "Which?" },
  progress: { text: "half done" },
  run: {}
}

const nameOf = (template: string) => template.slice(template.lastIndexOf("/") + 1)

const waits = constantFrom<unknown>(0, 0, 0, -1, 26, 0.5, "1", null, [], 1e308)

/** A body of a route: as it should be, with one hostile field, or no JSON at all. No lease request waits. */
const body = (template: string): FastCheck.Arbitrary<Buffer> => {
  const name = nameOf(template)
  const good = bodies[name] ?? {}
  const spoiled = oneof(constant(JSON.stringify(good)), Hostile.spoiled(good))
  const json =
    name === "lease"
      ? tuple(spoiled, waits).map(([text, waitSeconds]) => JSON.stringify({ ...JSON.parse(text), waitSeconds }))
      : name === "report"
        ? oneof(
            spoiled,
            tuple(FastCheck.array(fact, { maxLength: 3 }), FastCheck.nat(9)).map(([some, seq]) =>
              JSON.stringify({ ...good, facts: some, seq })
            )
          )
        : spoiled
  const hopeless = Hostile.bodies(JSON.stringify(name === "lease" ? { ...good, waitSeconds: 0 } : good))
  return oneof({ weight: 5, arbitrary: json.map((text) => Buffer.from(text)) }, { weight: 1, arbitrary: hopeless })
}

const elsewhere = [
  "",
  "/",
  "/helo",
  "/hello/",
  "/leases",
  "/leases//renew",
  "/run/",
  "/../v1/teams",
  "/%00",
  "/%zz",
  ";x"
]

const path = (template: string): FastCheck.Arbitrary<string> => {
  const ids = oneof(
    { weight: 4, arbitrary: constant(anyone.lease) },
    {
      weight: 1,
      arbitrary: constantFrom(anyone.lease.toUpperCase(), nobody, "x", "%00", "%ff", "..", "x".repeat(3000))
    }
  )
  return oneof(
    { weight: 15, arbitrary: ids.map((id) => template.replace(":lease", () => id)) },
    { weight: 1, arbitrary: constantFrom(...elsewhere).map((end) => `/runner/v1${end}`) }
  )
}

/** Requests to the wire of runners: of the runner and its agents mostly, with hostile paths, bodies and numbers. */
export const call = (
  scene: Scene,
  manner: FastCheck.Arbitrary<Manner>,
  version: FastCheck.Arbitrary<string>
): FastCheck.Arbitrary<Request> => {
  const { credential, token } = anyone
  const own = (template: string) =>
    oneof(
      { weight: 8, arbitrary: constant(/v1\/run\b/.test(template) ? credential : token) },
      { weight: 1, arbitrary: constantFrom(token, credential, `rk_${"x".repeat(32)}`) }
    ).map((value) => [["authorization", `Bearer ${value}`] as const])
  const framing = oneof(
    { weight: 20, arbitrary: constant<Framing>("length") },
    { weight: 2, arbitrary: constantFrom<Framing>("chunked", "odd chunks", "too short", "too long", "both") }
  )
  const headers = Headers.all(scene, [])
  const route = ({ method, template }: (typeof routes)[number]): FastCheck.Arbitrary<Request> =>
    tuple(
      oneof({ weight: 20, arbitrary: constant(method) }, { weight: 1, arbitrary: constantFrom(...Hostile.methods) }),
      path(template),
      version,
      oneof({ weight: 4, arbitrary: own(template) }, { weight: 1, arbitrary: constant(null) }),
      headers,
      manner,
      method === "GET" ? constant(Buffer.alloc(0)) : body(template),
      framing
    ).map(([how, target, http, bearer, given, sent, bytes, framed]) => ({
      method: how,
      target,
      version: http,
      headers:
        bearer === null ? given : [...given.filter(([name]) => name.toLowerCase() !== "authorization"), ...bearer],
      body: bytes,
      framing: bytes.length === 0 ? ("none" as const) : framed,
      manner: sent,
      mayBeUnavailable: false
    }))
  return tuple(oneof(...routes.map(route)), constantFrom(...scene.runners)).map(([request, held]) => as(request, held))
}

const odd: ReadonlyArray<unknown> = [null, true, -1, 1e308, [], {}, [null], { a: { b: [] } }, ...Hostile.texts]

/** Every field of every body of runners with every hostile value, by the tokens of people. */
export const sweep = ({ runners, tokens }: Scene): ReadonlyArray<Request> => {
  const trusted = tokens.valid.flat()
  const [held] = runners
  if (held === undefined) return []
  const posts = routes.flatMap(({ method, template }) => {
    const good = { ...bodies[nameOf(template)], ...(template.endsWith("/lease") && { waitSeconds: 0 }) }
    const tried = Object.keys(good).flatMap((field) => odd.map((value) => JSON.stringify({ ...good, [field]: value })))
    return tried.map((text) => ({ method, target: template.replace(":lease", held.lease), body: Buffer.from(text) }))
  })
  return posts.map((post, turn) => ({
    ...post,
    version: "HTTP/1.1",
    headers: [
      ["host", "sweep"],
      ["content-type", "application/json"],
      ["authorization", `Bearer ${trusted[turn % trusted.length]}`]
    ],
    framing: "length",
    manner: "at once",
    mayBeUnavailable: false
  }))
}
