import { Effect, Either } from "effect"
import { RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import type { LeaseId, RunnerId } from "../../domain/work/Lease.ts"
import { run } from "../application/house.ts"
import type { Act, Cases } from "./Case.ts"
import type { Original } from "./Original.ts"

const nothing = "00000000-0000-4000-8000-000000000000"

const seen = <M>(at: M): Either.Either<never, M> => Either.left(at)

/** The executor of the team in each workspace. */
const executors = ["custom", "custom birch", "custom cedar"]

const changedAs =
  (runner: (at: Original) => RunnerId, key = "run-nnnn"): Act =>
  (at) =>
    Effect.flatMap(RunStore, (store) =>
      store.changeAs(at.id, run(key), runner(at), (context, isActive) => Either.left([context, isActive]))
    )

const appended =
  (seq: number): Act =>
  ({ forge: { lease, run }, id }) =>
    Effect.gen(function* () {
      const store = yield* RunnerStore
      yield* store.appendLog(id, { run, attempt: 1, lease, seq, text: "done\n" })
      return yield* store.log(id, { run, attempt: 1, after: 0 })
    })

const renewed =
  (more: number): Act =>
  ({ forge, id }) =>
    Effect.flatMap(RunStore, (store) => store.renew(id, { ...forge, fence: forge.fence + more }, 0))

const next =
  (runner: (at: Original) => RunnerId, given = executors): Act =>
  (at) =>
    Effect.flatMap(RunStore, (store) => store.next(at.id, { teams: [], runner: { id: runner(at), executors: given } }))

/** The ports of runners and their leases. */
export const runnerPorts: Cases = {
  "RunStore.changeAs": {
    "its runner": changedAs(({ forge }) => forge.runner),
    "a runner that left": changedAs(({ runners }) => runners.gone),
    "a runner of a revoked token": changedAs(({ runners }) => runners.stale),
    missing: changedAs(({ forge }) => forge.runner, "run-0000")
  },
  "RunStore.next": {
    "of a runner": next(({ forge }) => forge.runner),
    "of another executor": next(({ forge }) => forge.runner, ["codex"])
  },
  "RunStore.ofLease": {
    there: ({ forge, id }) => Effect.flatMap(RunStore, (store) => store.ofLease(id, forge.lease)),
    missing: ({ id }) => Effect.flatMap(RunStore, (store) => store.ofLease(id, nothing as LeaseId))
  },
  "RunStore.renew": { held: renewed(0), older: renewed(1) },
  "RunStore.ofCredential": {
    there: ({ forge }) => Effect.flatMap(RunStore, (store) => store.ofCredential(forge.credentialHash)),
    missing: () => Effect.flatMap(RunStore, (store) => store.ofCredential("of nobody"))
  },
  "RunnerStore.change": {
    "by its id": ({ forge, id }) =>
      Effect.flatMap(RunnerStore, (store) => store.change(id, { id: forge.runner }, seen)),
    "by its name": ({ forge, id }) =>
      Effect.flatMap(RunnerStore, (store) => store.change(id, { token: forge.token, name: "build-1" }, seen)),
    missing: ({ forge, id }) =>
      Effect.flatMap(RunnerStore, (store) => store.change(id, { token: forge.token, name: "build-9" }, seen))
  },
  "RunnerStore.list": ({ id }) => Effect.flatMap(RunnerStore, (store) => store.list(id)),
  "RunnerStore.heard": {
    online: ({ forge, id }) => Effect.flatMap(RunnerStore, (store) => store.heard(id, forge.runner, forge.token)),
    offline: ({ forge, id, runners }) =>
      Effect.flatMap(RunnerStore, (store) => store.heard(id, runners.gone, forge.token)),
    "by another token": ({ forge, id, token }) =>
      Effect.flatMap(RunnerStore, (store) => store.heard(id, forge.runner, token))
  },
  "RunnerStore.online": {
    online: ({ forge, id }) => Effect.flatMap(RunnerStore, (store) => store.online(id, forge.runner)),
    offline: ({ id, runners }) => Effect.flatMap(RunnerStore, (store) => store.online(id, runners.gone))
  },
  "RunnerStore.appendLog": { new: appended(3), again: appended(2) },
  "RunnerStore.log": {
    whole: ({ forge: { run }, id }) =>
      Effect.flatMap(RunnerStore, (store) => store.log(id, { run, attempt: 1, after: 0 })),
    "after a part": ({ forge: { run }, id }) =>
      Effect.flatMap(RunnerStore, (store) => store.log(id, { run, attempt: 1, after: 9 })),
    "of no attempt": ({ forge: { run }, id }) =>
      Effect.flatMap(RunnerStore, (store) => store.log(id, { run, attempt: 7, after: 0 }))
  }
}
