import { HttpApiBuilder, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { type Hello, RunnerAccess, RunnerApi } from "../../adapters/api/RunnerApi.ts"
import { LeaseGrant, type Renewal, type Reported } from "../../application/runner/LeaseGrant.ts"
import type { Bearer } from "../../application/ports/TokenStore.ts"
import type { Fact } from "../../domain/work/RunReport.ts"
import { presets } from "../../domain/workspace/Policy.ts"

export const key = `tk_${"R".repeat(32)}`

const decodeGrant = Schema.decodeUnknownSync(LeaseGrant)

/** Fields of a lease that a test sets. */
interface Parts {
  readonly policy?: object
  readonly run?: object
  readonly story?: object
  readonly fence?: number
  readonly branch?: string
  readonly inputs?: ReadonlyArray<unknown>
  readonly exceptions?: ReadonlyArray<unknown>
}

/** The lease of a small story; a test changes what it is about. */
export const grantOf = (repository: string, { policy, run, story, ...rest }: Parts = {}) =>
  decodeGrant({
    id: randomUUID(),
    fence: 1,
    expiresAt: "2020-01-01T00:00:00.000Z",
    credential: `rk_${"c".repeat(32)}`,
    team: "payments",
    run: {
      key: "run-7f3k",
      attempt: 1,
      stage: "planning",
      executor: "custom",
      costCents: 0,
      verification: null,
      pullRequest: null,
      session: null,
      plan: null,
      ...run
    },
    story: {
      key: "PAY-1",
      title: "Greet the world",
      description: "It greets nobody yet.",
      acceptanceCriteria: [{ id: "ac-1", text: "hello.txt greets the world", status: "pending" }],
      demonstrate: ["Read hello.txt"],
      testPlan: null,
      size: null,
      ...story
    },
    policy: { ...presets.autonomous, executor: "custom", ...policy },
    repository,
    base: null,
    branch: "gatehouse/PAY-1-run-7f3k",
    inputs: [],
    exceptions: [],
    budgetLeftCents: 1000,
    ...rest
  })

/** Facts after which a person is asked, unless a test says otherwise. */
const asking: ReadonlySet<Fact["type"]> = new Set([
  "question",
  "spec_failed",
  "spec_changed",
  "path_needed",
  "handed_off"
])

export interface Sent {
  readonly run: string
  readonly fence: number
  readonly seq: number
  readonly facts: ReadonlyArray<Fact>
  readonly log: string
}

type Fault = "away" | "revoked" | "lost" | "draining" | null

/** A service that grants the leases a test queues, and keeps what runners send. */
export const start = Effect.gen(function* () {
  const state = {
    /** Faults of all calls, or by the name of the call. */
    fault: (_call: string): Fault => null,
    /** True when the lease goes on after these facts of its nth report. */
    holds: (facts: ReadonlyArray<Fact>, _all: ReadonlyArray<Fact>): boolean =>
      !facts.some(({ type }) => asking.has(type)),
    renewal: (): Pick<Renewal, "action" | "inputs"> => ({ action: "continue", inputs: [] }),
    intervals: { pollMs: 1000, renewMs: 200, leaseMs: 3000 },
    queue: [] as Array<LeaseGrant>,
    leased: new Map<string, LeaseGrant>(),
    hellos: [] as Array<typeof Hello.Type>,
    sent: [] as Array<Sent>,
    finished: [] as Array<readonly [run: string, outcome: string | null]>,
    renewals: 0,
    goodbyes: 0,
    tries: 0
  }
  const factsOf = (run: string) => state.sent.filter((one) => one.run === run).flatMap(({ facts }) => facts)
  const lost = Effect.fail({ _tag: "LeaseLost" as const, message: "Lease 1 is over: another runner holds it." })
  const held = (id: string) =>
    Effect.suspend(() => {
      const grant = state.leased.get(id)
      return grant === undefined || state.fault("lease held") === "lost" ? lost : Effect.succeed(grant)
    })
  const access = Layer.succeed(
    RunnerAccess,
    RunnerAccess.of({
      apiToken: () =>
        Effect.gen(function* () {
          state.tries++
          const fault = state.fault("any")
          if (fault === "away") return yield* Effect.fail({ _tag: "Unavailable" as const, message: "Come back later." })
          if (fault === "revoked")
            return yield* Effect.fail({ _tag: "TokenRevoked" as const, message: "The token was revoked by Olga." })
          return {} as Bearer
        })
    })
  )
  const answer = (grant: LeaseGrant, isHeld: boolean): Reported => ({
    status: isHeld ? "running" : "waiting",
    stage: grant.run.stage,
    held: isHeld,
    raised: isHeld ? [] : ["dec-4m2q" as Reported["raised"][number]]
  })
  const group = HttpApiBuilder.group(RunnerApi, "runner", (handlers) =>
    handlers
      .handle("hello", ({ payload }) =>
        Effect.sync(() => {
          state.hellos.push(payload)
          return { runner: randomUUID() as never, workspace: "acme", protocol: 1, ...state.intervals }
        })
      )
      .handle("lease", () =>
        Effect.gen(function* () {
          for (let tries = 0; tries < 20 && state.queue.length === 0; tries++) yield* Effect.sleep(Duration.millis(25))
          if (state.fault("lease") === "draining")
            return yield* Effect.fail({ _tag: "RunnerDraining" as const, message: "A person drains the runner." })
          const grant = state.queue.shift()
          if (grant !== undefined) state.leased.set(grant.id, grant)
          return grant
        })
      )
      .handle("renew", ({ path }) =>
        Effect.gen(function* () {
          yield* held(path.lease)
          state.renewals++
          return { expiresAt: yield* DateTime.now, decisions: [], ...state.renewal() }
        })
      )
      .handle("report", ({ path, payload }) =>
        Effect.gen(function* () {
          const grant = yield* held(path.lease)
          const isRepeated = state.sent.some(
            ({ fence, run, seq }) => run === grant.run.key && fence === payload.fence && seq === payload.seq
          )
          if (!isRepeated) state.sent.push({ run: grant.run.key, ...payload })
          const isHeld = state.holds(payload.facts, factsOf(grant.run.key))
          if (!isHeld) state.leased.delete(path.lease)
          return answer(grant, isHeld)
        })
      )
      .handle("finish", ({ path, payload }) =>
        Effect.gen(function* () {
          const grant = yield* held(path.lease)
          state.leased.delete(path.lease)
          state.finished.push([grant.run.key, payload.outcome])
          return { ...answer(grant, false), status: "failed" as const, raised: [] }
        })
      )
      .handle("goodbye", () => Effect.sync(() => void state.goodbyes++))
  )
  const unused = HttpApiBuilder.group(RunnerApi, "run", (handlers) =>
    handlers
      .handle("ownRun", () => Effect.die("unused"))
      .handle("ask", () => Effect.die("unused"))
      .handle("progress", () => Effect.die("unused"))
  )
  const api = HttpApiBuilder.api(RunnerApi).pipe(Layer.provide([group, unused]), Layer.provide(access))
  const context = yield* Layer.build(
    HttpApiBuilder.serve().pipe(
      Layer.provide(api),
      Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
    )
  )
  const { address } = Context.get(context, HttpServer.HttpServer)
  const url = address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : ""
  return {
    url,
    state,
    factsOf,
    logOf: (run: string) =>
      state.sent
        .filter((one) => one.run === run)
        .map(({ log }) => log)
        .join("")
  }
})
