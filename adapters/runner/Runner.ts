import { Deferred, Duration, Effect, Fiber, FiberSet, Option, Redacted } from "effect"
import { arch, platform } from "node:os"
import manifest from "../../package.json" with { type: "json" }
import { freshId } from "../../domain/work/Fresh.ts"
import type { InstanceId, RunnerId } from "../../domain/work/Lease.ts"
import { protocol } from "../api/RunnerApi.ts"
import type { RunnerSettings } from "../RunnerSettings.ts"
import * as Agents from "./agent/Agents.ts"
import { missingKey } from "./agent/ModelKeys.ts"
import type { Bench } from "./attempt/Bench.ts"
import type { End } from "./attempt/LeaseLine.ts"
import { runLease } from "./attempt/RunLease.ts"
import { sweep } from "./attempt/Upkeep.ts"
import { warnOfUnknown } from "./KnownTeams.ts"
import { output, type Say } from "./Output.ts"
import { valuesOf } from "./process/Environment.ts"
import * as Isolation from "./process/Isolation.ts"
import { redactor } from "./SecretRedaction.ts"
import * as Service from "./ServiceClient.ts"
import * as Startup from "./Startup.ts"

/** Exit code after the service has refused the key: a supervisor must not start the runner again. */
export const keyRefusedCode = 77

/** Signals: the first drains, the second ends at once. */
export interface Signals {
  readonly drain: Deferred.Deferred<void>
  readonly now: Deferred.Deferred<void>
}

/** Retries while the service is away, and says so once. */
const patiently =
  (say: Say) =>
  <A>(call: Effect.Effect<A, Service.Trouble>) => {
    let isAway = false
    return call.pipe(
      Effect.tapError((trouble) => {
        if (trouble._tag !== "ServiceAway" || isAway) return Effect.void
        isAway = true
        return say("away", `The service cannot be reached: ${trouble.message}. It is tried again`)
      }),
      Effect.retry({ schedule: Service.backoff, while: ({ _tag }) => _tag === "ServiceAway" }),
      Effect.tap(() => {
        if (!isAway) return Effect.void
        isAway = false
        return say("back", "The service answers again")
      })
    )
  }

const isolationWords = ({ account, prefix }: Isolation.Isolation, user: string) =>
  [
    account === undefined ? "Agents run as the same user" : `Agents run as ${user}`,
    prefix.length > 0 ? "and see no other process" : "and are not kept apart by namespaces"
  ].join(" ")

const locks = () => {
  const known = new Map<string, Effect.Semaphore>()
  return (address: string) => {
    const lock = known.get(address) ?? Effect.unsafeMakeSemaphore(1)
    known.set(address, lock)
    return lock.withPermits(1)
  }
}

/** Runs until it is drained, or the service refuses its key; returns the exit code. */
export const run = Effect.fn("Runner.run")(
  function* (settings: RunnerSettings, isJson: boolean, signals: Signals) {
    yield* Startup.requireGit
    const isolation = yield* Isolation.find(settings.user)
    if (isolation === undefined) return yield* Effect.fail(Startup.unknownUser(settings.user))
    const key = yield* Startup.takeKey(settings, isolation)
    const secrets = [
      Redacted.value(key),
      ...[...settings.gitTokens.values()].flatMap((token) => [
        Redacted.value(token),
        `x-access-token:${Redacted.value(token)}`
      ]),
      ...Object.values(valuesOf(settings.agentVariables))
    ]
    const say = output(isJson, redactor(secrets))
    const places = yield* Startup.openPlaces(settings.folder)
    yield* Startup.claim(settings.folder)
    yield* Startup.requireReach(settings, isolation, places.work)
    yield* Startup.requireAgent(settings, isolation)
    yield* say(
      "starts",
      `Runner ${settings.name} ${manifest.version} in ${settings.folder}. ${isolationWords(isolation, settings.user)}`,
      {
        name: settings.name,
        folder: settings.folder
      }
    )
    yield* sweep({ isolation, places, say, settings })

    const agents = yield* Agents.make(settings, isolation)
    const keyless = new Map(settings.agents.map((name) => [name, missingKey(name, settings)]))
    for (const [name, words] of keyless)
      if (words !== null)
        yield* say("warning", `${name} has no key of its model, so its runs will fail: ${words}`, { executor: name })
    const service = yield* Service.connect(settings.url, key)
    const insist = patiently(say)
    const hello = insist(
      service.hello({
        payload: {
          protocol,
          name: settings.name,
          version: manifest.version,
          os: platform(),
          arch: arch(),
          slots: settings.slots,
          executors: settings.agents.map((name) => ({
            name,
            version: agents.get(name)?.version ?? null,
            ...(keyless.get(name) === null ? {} : { lacksKey: true })
          })),
          teams: settings.teams
        }
      })
    )
    const instance = freshId<InstanceId>()
    const shutdown = yield* Deferred.make<End>()
    const drained = yield* Deferred.make<void>()
    const locked = locks()
    const live = new Set<string>()
    const attempts = yield* FiberSet.make<void>()
    const slots = yield* Effect.makeSemaphore(settings.slots)
    const refused = yield* Deferred.make<never, Service.KeyRefused>()

    let registered: RunnerId | null = null
    const leasing = Effect.gen(function* () {
      let welcome = yield* hello
      registered = welcome.runner
      yield* say("online", `Online at ${settings.url}, workspace ${welcome.workspace}`, { runner: welcome.runner })
      if (settings.teams.length > 0) yield* warnOfUnknown(settings, key, say)
      for (;;) {
        yield* slots.take(1)
        const executors = [...agents.keys()]
        const waitSeconds = Math.min(25, Math.floor(welcome.pollMs / 1000))
        const asked = yield* Effect.either(
          insist(service.lease({ payload: { runner: welcome.runner, instance, executors, waitSeconds } }))
        )
        if (asked._tag === "Left") {
          yield* slots.release(1)
          if (asked.left._tag === "Drained") {
            yield* Deferred.succeed(drained, undefined)
            return yield* Effect.never
          }
          if (asked.left._tag !== "LeaseGone") return yield* asked.left
          welcome = yield* hello
        } else if (!asked.right) yield* slots.release(1)
        else {
          const bench: Bench = {
            settings,
            service,
            intervals: welcome,
            places,
            isolation,
            agents,
            say,
            secrets,
            locked,
            live,
            drain: Effect.asVoid(Deferred.succeed(drained, undefined)),
            shutdown: Deferred.await(shutdown)
          }
          const attempt = runLease(bench, asked.right).pipe(
            Effect.tap((end) =>
              end?.type === "key_refused"
                ? Deferred.fail(refused, new Service.KeyRefused({ message: end.reason }))
                : Effect.void
            ),
            Effect.catchAllCause((cause) => say("broken", `An attempt ended unexpectedly: ${cause.toString()}`)),
            Effect.ensuring(slots.release(1)),
            Effect.asVoid
          )
          yield* FiberSet.run(attempts, attempt)
        }
      }
    })

    const finished = FiberSet.awaitEmpty(attempts)
    const stop = (end: End) => Effect.zipRight(Deferred.succeed(shutdown, end), finished)

    const leaser = yield* Effect.forkScoped(
      Effect.catchAllDefect(leasing, (defect) =>
        Effect.fail(new Service.CallRefused({ message: `the runner could not go on: ${String(defect)}` }))
      )
    )
    const ended = yield* Effect.raceAll([
      Effect.as(Deferred.await(signals.drain), Option.none<Service.Trouble>()),
      Effect.as(Deferred.await(drained), Option.none<Service.Trouble>()),
      Effect.asSome(Effect.flip(Fiber.join(leaser))),
      Effect.asSome(Effect.flip(Deferred.await(refused)))
    ])
    yield* Fiber.interrupt(leaser)
    if (Option.isSome(ended)) {
      const { _tag, message } = ended.value
      yield* stop({ type: "key_refused", reason: message })
      yield* say("refused", `The service refuses this runner: ${message}`)
      return _tag === "KeyRefused" ? keyRefusedCode : 1
    }
    const isRefused = Effect.ignore(Deferred.await(refused))
    if (!(yield* Deferred.isDone(signals.drain))) {
      const left = yield* FiberSet.size(attempts)
      yield* say(
        "drained",
        `A person drains this runner: it leases nothing more${left === 0 ? "" : `, and ends after ${left === 1 ? "1 attempt" : `${left} attempts`}`}`
      )
      yield* Effect.raceAll([finished, Deferred.await(signals.drain), isRefused])
    }
    const left = yield* FiberSet.size(attempts)
    if (left > 0)
      yield* say(
        "draining",
        `Leases nothing more; ${left === 1 ? "1 attempt has" : `${left} attempts have`} ${Duration.format(settings.drainLimit)} to finish. A second signal ends them now`
      )
    yield* Effect.raceAll([finished, Deferred.await(signals.now), Effect.sleep(settings.drainLimit), isRefused])
    yield* stop({ type: "shutdown" })
    if (yield* Deferred.isDone(refused)) return keyRefusedCode
    if (registered !== null) yield* Effect.ignore(service.goodbye({ payload: { runner: registered, instance } }))
    yield* say("ended", "The runner has ended")
    return 0
  },
  (effect) => Effect.scoped(effect)
)
