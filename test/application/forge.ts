import { DateTime, Effect, Redacted } from "effect"
import { RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import * as LeaseBell from "../../application/runner/LeaseBell.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Runs from "../../application/work/Runs.ts"
import type { Person } from "../../application/workspace/Authorization.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { answered } from "../../domain/Change.ts"
import type { Introduction } from "../../domain/runner/ChangeRunner.ts"
import { Runner } from "../../domain/runner/Runner.ts"
import { runnerFact } from "../../domain/runner/TakeOffline.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { LeaseId, RunnerId } from "../../domain/work/Lease.ts"
import { Run } from "../../domain/work/Run.ts"
import { runChanged } from "../../domain/work/WorkContext.ts"
import { hashOf, type TokenId } from "../../domain/workspace/ApiToken.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as Seed from "../support/Seed.ts"

export const forge = "forge" as TeamSlug

/** A team that runners work for. */
export const forgeTeam = {
  slug: forge,
  name: "Forge",
  keyPrefix: "FRG",
  policy: { preset: "autonomous", executor: "custom", maxConcurrency: 9 },
  repositories: ["/srv/git/forge.git"]
}

/** Runs that a runner holds, that is queued, and whose lease has lapsed. */
export const forgeWork = {
  stories: [
    { key: "FRG-1", team: forge, title: "Held" },
    { key: "FRG-2", team: forge, title: "Queued" },
    { key: "FRG-3", team: forge, title: "Lapsed" }
  ],
  runs: [
    { key: "run-mmmm", story: "FRG-1" },
    { key: "run-nnnn", story: "FRG-2" },
    { key: "run-pppp", story: "FRG-3" }
  ]
}

export const introduction: Introduction = {
  name: "build-1",
  version: "0.1.0",
  os: "linux",
  arch: "x64",
  slots: 2,
  executors: [{ name: "custom", version: null }],
  teams: [forge]
}

/** A runner that holds a run, by its token. */
export interface Arranged {
  readonly token: TokenId
  readonly prefix: string
  readonly runner: RunnerId
  readonly run: RunKey
  readonly lease: LeaseId
  readonly fence: number
  readonly credential: string
  readonly credentialHash: string
  /** A runner that fell silent. */
  readonly quiet: RunnerId
}

/** A person's runner. */
export const callerOf = (person: Person, { token }: Pick<Arranged, "token">): Runners.Caller => ({ ...person, token })

export const leased = (caller: Runners.Caller, runner: RunnerId) =>
  Effect.provide(Runners.lease(caller, { runner, executors: ["custom"], waitSeconds: 0 }), LeaseBell.layer)

const longAgo = DateTime.unsafeMake(0).pipe(DateTime.subtract({ days: 3650 }))

const leasedUntil = (owner: Person, key: RunKey, when: (now: DateTime.Utc) => DateTime.Utc) =>
  Effect.flatMap(RunStore, (store) =>
    store.change(owner.workspace, key, ({ now, run }) => {
      const after = new Run({ ...run, lease: run.lease && { ...run.lease, expiresAt: when(now) } })
      return answered({ changed: { runs: [after] }, audit: [runChanged(bySystem, run, after)] }, undefined)
    })
  )

const lastSeen = (owner: Person, id: RunnerId, when: (now: DateTime.Utc) => DateTime.Utc) =>
  Effect.flatMap(RunnerStore, (store) =>
    store.change(owner.workspace, { id }, ({ now, runner }) => {
      const after = new Runner({ ...(runner as Runner), lastSeenAt: when(now) })
      return answered(
        { changed: { runners: [after] }, audit: [runnerFact(bySystem, "runner_registered", after)] },
        undefined
      )
    })
  )

/** Late enough for any duration of the tests. */
const tomorrow = (now: DateTime.Utc) => DateTime.add(now, { days: 1 })

export const arrangeForge = (owner: Person) =>
  Effect.gen(function* () {
    const { prefix, value } = yield* Seed.token(owner.workspaceSlug, ["read"])
    const { token } = yield* (yield* TokenStore).identify(yield* hashOf(Redacted.make(value)))
    const caller = callerOf(owner, { token })
    const { id: runner } = yield* Runners.hello(caller, introduction)
    const { id: quiet } = yield* Runners.hello(caller, { ...introduction, name: "quiet-1" })
    const grant = yield* Effect.orDie(Effect.flatMap(leased(caller, runner), Effect.fromNullable))
    const lapsing = "run-pppp" as RunKey
    yield* Runs.lease(owner, { team: null, run: lapsing })
    yield* leasedUntil(owner, lapsing, () => longAgo)
    yield* lastSeen(owner, quiet, () => longAgo)
    yield* leasedUntil(owner, grant.run.key, tomorrow)
    yield* lastSeen(owner, runner, tomorrow)
    const { credential, fence, id: lease, run } = grant
    const credentialHash = yield* hashOf(Redacted.make(credential))
    return { token, prefix, runner, run: run.key, lease, fence, credential, credentialHash, quiet } satisfies Arranged
  })
