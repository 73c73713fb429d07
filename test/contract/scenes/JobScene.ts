import { assert } from "@effect/vitest"
import * as SqlClient from "@effect/sql/SqlClient"
import { DateTime, Duration, Effect, Option, TestClock } from "effect"
import { type WorkspaceJob, JobStore, type Room } from "../../../application/ports/JobStore.ts"
import { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import { type Job, type JobId, JobKind } from "../../../domain/work/Job.ts"
import * as Queue from "../../jobs/Queue.ts"

export const everyKind = JobKind.literals

/** Takes due jobs and returns them. */
export const take = (handled: ReadonlyArray<JobKind> = everyKind, limit = 1000, lease = Queue.lease, room?: Room) =>
  Effect.map(
    Effect.flatMap(JobStore, (store) => store.take(lease, handled, limit, room)),
    ({ jobs }) => jobs
  )

export const ids = (errands: ReadonlyArray<WorkspaceJob>) => errands.map(({ job }) => job.id)

export const statuses = (workspace: Parameters<typeof Queue.all>[0]) =>
  Effect.map(Queue.all(workspace), (jobs) => jobs.map((job) => job.status).toReversed())

export type Place = Effect.Effect.Success<typeof Queue.workspace>

/** Adds a job for each lane; null is no lane. */
export const putIn = (
  place: Pick<Place, "slug">,
  lanes: ReadonlyArray<string | null>,
  more: Partial<Pick<Job, "status" | "dueAt">> = {},
  kind: JobKind = "tell_agent"
) =>
  Effect.forEach(lanes, (lane) => {
    const fields = { days: 0, lane, ...more }
    return Effect.map(Queue.put(place, [kind], fields), ([id]) => id as JobId)
  })

/** That many minutes from now, by the clock of the store. */
export const inMinutes = ({ id }: Pick<Place, "id">, minutes: number) =>
  Effect.map(
    Effect.flatMap(OnCallStore, (store) => store.look(id)),
    ({ now }) => DateTime.add(now, { minutes })
  )

/** Ages jobs by minutes. */
export const pass = (minutes: number) =>
  Effect.flatMap(
    Effect.serviceOption(SqlClient.SqlClient),
    Option.match({
      onNone: () => TestClock.adjust(Duration.minutes(minutes)),
      onSome: (sql) =>
        Effect.orDie(
          sql.unsafe(`
            UPDATE jobs SET due_at = due_at - interval '${minutes} minutes',
              leased_until = leased_until - interval '${minutes} minutes',
              created_at = created_at - interval '${minutes} minutes'`)
        )
    })
  )

export const finish = ({ id }: Pick<Place, "id">, job: JobId | undefined) =>
  Effect.flatMap(JobStore, (store) =>
    store.note(id, job ?? assert.fail("no job"), Queue.holder, { status: "done", tries: 1 })
  )

/** Ends every job that is left, so that none is taken later. */
export const settle = Effect.gen(function* () {
  const store = yield* JobStore
  for (const { job, workspace } of yield* take())
    yield* store.note(workspace, job.id, Queue.holder, { status: "failed", tries: 1, error: "settled" })
})
