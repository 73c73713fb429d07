import { assert, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import * as LocalCodeHost from "../../adapters/localgit/LocalCodeHost.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import { type CodeHost, CodeHosts } from "../../application/ports/codehost/CodeHost.ts"
import { PullRequestStore } from "../../application/ports/codehost/PullRequestStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import * as Engine from "../jobs/Engine.ts"
import { turns } from "../support/Share.ts"
import * as Scene from "./Scene.ts"

/** Dies after the n-th call of a function has done its work, as a process does whose answer is lost. */
const losing = <Args extends ReadonlyArray<never>, A, E, R>(
  n: number,
  call: (...args: Args) => Effect.Effect<A, E, R>
) => {
  let calls = 0
  return (...args: Args): Effect.Effect<A, E, R> =>
    Effect.tap(call(...args), () => (++calls === n ? Effect.dieMessage("the process died here") : Effect.void))
}

type Point = readonly [what: string, of: "host" | "pulls" | "runs", method: string, nth: number]

/** Every step of the way that changes something. */
const points: ReadonlyArray<Point> = [
  ["after the host knows the pull request", "host", "open", 1],
  ["after the pull request is stored", "pulls", "open", 1],
  ["after the run knows of it", "runs", "change", 1],
  ["after the base has the merge", "host", "merge", 1],
  ["after the pull request is merged", "pulls", "change", 1],
  ["after the merge is reported", "runs", "change", 2],
  ["after the run is finished", "runs", "change", 3]
]

const host = LocalCodeHost.make({ email: "gatehouse@acme.test" })

const wrapped = <S extends object>(service: S, [, , method, nth]: Point): S => ({
  ...service,
  [method]: losing(nth, service[method as keyof S] as never)
})

layer(Memory.layer, { timeout: "60 seconds", excludeTestServices: true })("a process that dies", (it) => {
  /** Plays the whole way with a crash at one point, and returns what it left. */
  const played = (point: Point | null) =>
    Effect.gen(function* () {
      const place = yield* Scene.arrange("verified")
      const all = yield* Effect.context<PullRequestStore | RunStore>()
      const replaced = (of: Point[1]) => point !== null && point[1] === of
      const pulls = Context.get(all, PullRequestStore)
      const runs = Context.get(all, RunStore)
      const handlers = yield* Scene.handlers.pipe(
        Effect.provideService(PullRequestStore, replaced("pulls") ? wrapped(pulls, point as Point) : pulls),
        Effect.provideService(RunStore, replaced("runs") ? wrapped(runs, point as Point) : runs),
        Effect.provideService(CodeHosts, [replaced("host") ? wrapped<CodeHost>(host, point as Point) : host])
      )
      yield* Scene.handOff(place)
      yield* Engine.start(handlers)
      const jobs = yield* Scene.settled(place)
      const { stage, status } = yield* Scene.runOf(place)
      const { state } = yield* Scene.pull(place, 1)
      return {
        jobs: Scene.told(jobs),
        tries: jobs.reduce((sum, job) => sum + job.tries, 0),
        run: [status, stage],
        state,
        merges: Scene.merges(place).length,
        next: (yield* Effect.either(Scene.pull(place, 2)))._tag,
        entries: (yield* Scene.entries(place)).map(({ event }) => event)
      }
    })

  it.scoped("leaves the same, wherever it dies", () =>
    Effect.gen(function* () {
      const whole = yield* played(null)
      assert.deepStrictEqual([whole.merges, whole.tries, whole.run], [1, 2, ["succeeded", "done"]])
      for (const point of turns(points)) assert.deepStrictEqual(yield* played(point), { ...whole, tries: 3 }, point[0])
    })
  )
})
