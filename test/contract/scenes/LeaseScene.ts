import * as SqlClient from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import { Duration, Effect, Option, TestClock } from "effect"
import { TokenStore } from "../../../application/ports/TokenStore.ts"
import type { Caller } from "../../../application/runner/Runners.ts"
import * as Runners from "../../../application/runner/Runners.ts"
import * as Runs from "../../../application/work/Runs.ts"
import type { Introduction } from "../../../domain/runner/ChangeRunner.ts"
import type { StoryKey } from "../../../domain/work/Story.ts"
import { hashOf } from "../../../domain/workspace/ApiToken.ts"
import { Redacted } from "effect"
import * as People from "../../support/People.ts"
import * as Seed from "../../support/Seed.ts"

export const introduction: Introduction = {
  name: "build-1",
  version: "0.1.0",
  os: "linux",
  arch: "x64",
  slots: 2,
  executors: [{ name: "custom", version: null }],
  teams: []
}

const document = (policy: object) => ({
  teams: [
    {
      slug: "payments",
      name: "Payments",
      keyPrefix: "PAY",
      policy: { preset: "autonomous", executor: "custom", ...policy },
      repositories: ["/srv/git/pay.git"]
    }
  ],
  stories: [1, 2, 3].map((n) => ({ key: `PAY-${n}`, team: "payments", title: `Story ${n}` }))
})

/** A member's token as a runner uses it. */
export const callerOf = (slug: Parameters<typeof Seed.token>[0], member: string = Seed.ownerEmail) =>
  Effect.gen(function* () {
    const { prefix, value } = yield* Seed.token(slug, ["read"], member)
    const bearer = yield* (yield* TokenStore).identify(yield* hashOf(Redacted.make(value)))
    const caller: Caller = { ...bearer, channel: "api", requestId: null }
    return { caller, prefix }
  })

/** A workspace with a queued run of PAY-1 and a registered runner. */
export const setUpWith = Effect.fnUntraced(function* (policy: object) {
  const { id, slug } = yield* Seed.workspace
  yield* Seed.load(slug, document(policy))
  const owner = yield* People.person(slug)
  const { run } = yield* Runs.start(owner, "PAY-1" as StoryKey)
  const { caller, prefix } = yield* callerOf(slug)
  const { id: runner } = yield* Runners.hello(caller, introduction)
  return { id, slug, owner, run: run.key, caller, prefix, runner }
})

export const setUp = setUpWith({})

export type Scene = Effect.Effect.Success<typeof setUp>

export const take = ({ caller, runner }: Pick<Scene, "caller" | "runner">) =>
  Runners.lease(caller, { runner, executors: ["custom"], waitSeconds: 0 })

/** Leases the queued run. */
export const granted = (scene: Pick<Scene, "caller" | "runner">) =>
  Effect.map(take(scene), (grant) => grant ?? assert.fail("nothing was leased"))

/** Lets leases and runners grow old, by the clock of the store. */
export const pass = (seconds: number) =>
  Effect.flatMap(
    Effect.serviceOption(SqlClient.SqlClient),
    Option.match({
      onNone: () => TestClock.adjust(Duration.seconds(seconds)),
      onSome: (sql) =>
        Effect.orDie(
          Effect.zipRight(
            sql.unsafe(`
              UPDATE runs SET leased_until = leased_until - interval '${seconds} seconds',
                resumed_at = resumed_at - interval '${seconds} seconds'`),
            sql.unsafe(`
              UPDATE runners SET last_seen_at = last_seen_at - interval '${seconds} seconds',
                offline_at = offline_at - interval '${seconds} seconds',
                removed_at = removed_at - interval '${seconds} seconds'`)
          )
        )
    })
  )
