import { Effect, Random } from "effect"
import { byService } from "../../domain/workspace/Actor.ts"
import * as ApiToken from "../../domain/workspace/ApiToken.ts"
import { LeaseLost } from "../../domain/work/Lease.ts"
import * as RunTransactions from "../../domain/work/RunTransactions.ts"
import type { Redacted } from "effect"
import { DecisionStore } from "../ports/DecisionStore.ts"
import { RunnerStore } from "../ports/runner/RunnerStore.ts"
import { type HeldRun, RunStore } from "../ports/RunStore.ts"
import { StoryStore } from "../ports/StoryStore.ts"
import { logText } from "../../domain/runner/LogText.ts"

/** The run of a credential that its lease still backs. */
export const enter = Effect.fn("OwnRun.enter")(function* (credential: Redacted.Redacted) {
  const hash = yield* ApiToken.hashOf(credential)
  const found = yield* (yield* RunStore).ofCredential(hash)
  if (found !== null) return found
  if (ApiToken.isWellFormed(credential)) return yield* new ApiToken.InvalidToken({ kind: "token_for_run" })
  return yield* new ApiToken.InvalidToken(ApiToken.isRunCredential(credential) ? { kind: "lease_over" } : {})
})

/** Everything the agent of a run may read: its story, its run and its decisions, as JSON. */
export const read = Effect.fn("OwnRun.read")(function* ({ run, story, workspace }: HeldRun) {
  const filter = { status: null, team: null, run }
  const decisions = yield* (yield* DecisionStore).page(workspace, filter, { limit: 100, before: null })
  return {
    story: yield* (yield* StoryStore).detail(workspace, story),
    run: yield* (yield* RunStore).get(workspace, run),
    decisions: decisions.items
  }
})

const lost = ({ lease }: HeldRun) => new LeaseLost({ lease, reason: "its run is gone" })

/** Raises a clarification; the agent works on meanwhile. The same question again is the same decision. */
export const ask = Effect.fn("OwnRun.ask")(function* (held: HeldRun, question: string) {
  const hold = { by: "runner", ...held } as const
  return yield* (yield* RunStore)
    .change(held.workspace, held.run, RunTransactions.ask({ ...byService, token: held.token }, hold, question))
    .pipe(
      Effect.map(({ key }) => key),
      Effect.catchTags({ AskedAlready: ({ decision }) => Effect.succeed(decision), RunNotFound: () => lost(held) })
    )
})

/** Appends a line to the log of the attempt. */
export const progress = Effect.fn("OwnRun.progress")(function* (held: HeldRun, text: string) {
  const { attempt, lease, run, workspace } = held
  // Numbers of runners count up from 1, so these never meet them.
  const seq = yield* Random.nextIntBetween(-2_000_000_000, 0)
  yield* (yield* RunnerStore).appendLog(workspace, { run, attempt, lease, seq, text: logText(`${text}\n`) })
})
