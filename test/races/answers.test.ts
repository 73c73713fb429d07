import { assert, it } from "@effect/vitest"
import { Array, Effect, Either } from "effect"
import { inject } from "vitest"
import * as Authorization from "../../application/workspace/Authorization.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import type { Channel } from "../../domain/workspace/Actor.ts"
import type { Role } from "../../domain/workspace/Member.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { World } from "../support/World.ts"
import { call } from "../http/mcp/House.ts"
import { browser } from "../web/Visiting.ts"
import { session } from "../support/Sessions.ts"
import * as Scene from "./Scene.ts"

const [rounds, answers] = inject("full") ? [50, 1000] : [1, 60]

/** The member on each channel. */
const comers: Readonly<Record<Channel, { readonly role: Role; readonly name: string }>> = {
  app: { role: "admin", name: "Ada Admin" },
  slack: { role: "member", name: "Mika Member" },
  mcp: { role: "member", name: "Mika Member" },
  api: { role: "owner", name: "Olga Owner" }
}
const channels = Object.keys(comers) as ReadonlyArray<Channel>

/** Result of one answer. */
interface Told {
  readonly channel: Channel
  readonly won: boolean
  readonly code: string
  readonly message: string
}

/** A decision about a run, and one guarded only by its own row. */
const contests = [
  {
    document: Scene.waiting([{ kind: "diff_guard", actions: ["revert_spec_and_retry", "abandon"] }]),
    option: "revert_spec_and_retry",
    after: { run: "queued", attempts: 2, column: "ready", jobs: 1, events: ["decision_resolved", "run_state_changed"] }
  },
  {
    document: Scene.proposed([{ kind: "revert_approval", actions: ["open_revert", "decline_proposal"] }]),
    option: "open_revert",
    after: { run: null, attempts: null, column: null, jobs: 1, events: ["decision_resolved"] }
  }
]

const answerBy = (run: World["run"], slug: WorkspaceSlug, channel: Channel, optionId: string): Promise<Told> =>
  run(
    Effect.gen(function* () {
      const person = yield* Authorization.member(slug, People.emailOf(comers[channel].role), channel)
      const input = { decision: Scene.decisionKey(0), optionId, note: null, idempotency: null }
      const end = yield* Effect.either(Decisions.answer(person, input))
      return Either.isRight(end)
        ? { channel, won: true, code: "", message: "" }
        : { channel, won: false, code: end.left._tag, message: end.left.message }
    })
  )

/** Refusal of a later answer on each channel. */
const late: Readonly<Record<Channel, string>> = {
  app: "409",
  slack: "DecisionAlreadyResolved",
  mcp: "decision_already_resolved",
  api: "decision_already_resolved"
}

const answerByForm = async (url: string, slug: WorkspaceSlug, session: string, option: string): Promise<Told> => {
  const path = `/${slug}/decisions/${Scene.decisionKey(0)}`
  const { status, text } = await browser(url, `gatehouse=${session}`).post(path, { option })
  return { channel: "app", won: status === 303, code: String(status), message: text }
}

const answerByTool = async (url: string, token: string, optionId: string): Promise<Told> => {
  const { isError, text } = await call(url, token, "answer_decision", { decision: Scene.decisionKey(0), optionId })
  const [code = "", message = ""] = isError ? text.split(/: (.*)/s) : []
  return { channel: "mcp", won: !isError, code, message }
}

const answerByApi = async (url: string, token: string, optionId: string): Promise<Told> => {
  const { body, status } = await Scene.resolve(url, token, Scene.decisionKey(0), { optionId })
  const { code, message } = status === 200 ? { code: "", message: "" } : body.error
  return { channel: "api", won: status === 200, code, message }
}

/** A busy database refuses an answer, and the client sends it again until it is taken or refused. */
const patiently = async (answer: () => Promise<Told>, onBusy: () => void): Promise<Told> => {
  const told = await answer().catch((error: unknown) => {
    if (!/unavailable|SqlError|Failed to connect/.test(String(error))) throw error
    return { code: "unavailable" } as Told
  })
  if (!["503", "unavailable"].includes(told.code)) return told
  onBusy()
  return patiently(answer, onBusy)
}

it.scopedLive(
  `of ${answers.toLocaleString("en")} answers at once over two instances, through the API, the app, tools of agents and calls labelled as chat, one takes effect`,
  ({ task }) =>
    Effect.gen(function* () {
      const services = yield* Scene.services(2)
      const wins = new Map<Channel, number>(channels.map((channel) => [channel, 0]))
      const began = performance.now()
      let busy = 0
      for (let round = 0; round < rounds; round++) {
        const { after, document, option } = Scene.pick(contests, round)
        const { agent, id, signedIn, slug, tokens } = yield* Effect.gen(function* () {
          const { id, slug } = yield* Seed.workspace
          yield* Seed.load(slug, document)
          for (const { role } of Object.values(comers)) yield* People.person(slug, role)
          const tokens = yield* Effect.replicateEffect(Seed.token(slug, ["write"]), Math.ceil(answers / 4 / 100))
          const agent = yield* Seed.token(slug, ["read"], People.emailOf(comers.mcp.role))
          const signedIn = yield* session(slug, comers.app.role)
          return { id, slug, tokens: tokens.map(({ value }) => value), agent: agent.value, signedIn }
        }).pipe(Effect.provide(Scene.pick(services, round).context))

        const told = yield* Effect.promise(async () => {
          const once = (turn: number) => {
            const [service, channel] = [Scene.pick(services, turn >> 2), Scene.pick(channels, turn)]
            if (channel === "api") return answerByApi(service.url, Scene.pick(tokens, turn >> 2), option)
            if (channel === "app") return answerByForm(service.url, slug, signedIn, option)
            if (channel === "mcp") return answerByTool(service.url, agent, option)
            return answerBy(service.run, slug, channel, option)
          }
          const answer = (turn: number) =>
            patiently(
              () => once(turn),
              () => busy++
            )
          const [api, direct] = Array.partition(
            Array.range(0, answers - 1),
            (turn) => Scene.pick(channels, turn) === "slack"
          )
          const first = api.map(answer)
          // A request takes longer than a call, so in some rounds the calls start after the first one is through.
          if (round % 4 === 3) await Promise.race(first)
          return Promise.all([...first, ...direct.map(answer)])
        })
        const [winner, ...others] = told.filter(({ won }) => won)
        assert.isDefined(winner)
        assert.deepStrictEqual(others, [], `round ${round}`)
        const words = `by ${comers[winner.channel].name} at `
        const way = ` via ${winner.channel} with 'Do ${option}'. The first answer stands.`
        for (const { channel, code, message, won } of told)
          if (!won) {
            assert.strictEqual(code, late[channel], message)
            if (channel === "app") continue
            assert.include(message, words)
            assert.include(message, way)
          }
        yield* Effect.gen(function* () {
          const whole = { key: Scene.decisionKey(0), status: "resolved", via: winner.channel, ...after }
          assert.deepStrictEqual(yield* Scene.outcomes(id), [whole])
          assert.isNull((yield* (yield* AuditLog).verify(id)).firstBad)
        }).pipe(Effect.provide(Scene.pick(services, round + 1).context))
        wins.set(winner.channel, (wins.get(winner.channel) ?? 0) + 1)
      }
      const took = (performance.now() - began) / 1000
      const won = [...wins].map(([channel, count]) => `${channel} ${count}`).join(", ")
      task.meta.figures = `${rounds} rounds of ${answers.toLocaleString("en")} in ${took.toFixed(1)} s; ${busy.toLocaleString("en")} were sent again to a busy database; won by ${won}`
    }),
  inject("full") ? 3_600_000 : 120_000
)
