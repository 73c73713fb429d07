import { DateTime, Duration, Effect, Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import { isHoldable, Job, type JobKind, JobView } from "../../domain/work/Job.ts"
import { merging } from "./MemoryWorkContext.ts"
import { newest } from "./MemoryPages.ts"
import { State, type Tenant } from "./MemoryState.ts"

const encode = Json.encoder(JobView)

/** While a team's main branch is red, its merges wait. */
const holdOn = (tenant: Tenant, job: Job) => (isHoldable(job) ? merging(tenant, job.team).mergeHold : null)

const isDue = ({ dueAt }: Job, now: DateTime.Utc) => dueAt === null || DateTime.lessThanOrEqualTo(dueAt, now)

/** Those of its lane that came due before it go first, also if they rested until somebody could do them. */
const isBehind = (tenant: Tenant, job: Job, seq: bigint, now: DateTime.Utc, handled: ReadonlyArray<JobKind> = []) =>
  job.lane !== null &&
  [...tenant.jobs.values()].some(
    (other) =>
      other.seq < seq &&
      other.value.lane === job.lane &&
      (other.value.status === "queued" ||
        other.value.status === "running" ||
        (other.value.status === "no_adapter" && handled.includes(other.value.kind))) &&
      isDue(other.value, now)
  )

export const layer = Layer.effect(
  JobStore,
  Effect.gen(function* () {
    const state = yield* State
    const oneAtATime = yield* Effect.makeSemaphore(1)

    const everyJob = () =>
      [...state.values()]
        .flatMap((tenant) => [...tenant.jobs.values()].map(({ seq, value }) => ({ tenant, seq, job: value })))
        .sort((a, b) => (a.seq < b.seq ? -1 : 1))

    const update = (
      tenant: Tenant,
      job: Job,
      now: DateTime.Utc,
      changes: Partial<Pick<Job, "status" | "tries" | "error">>
    ) => {
      const changed = new Job({ ...job, ...changes, updatedAt: now })
      const row = tenant.jobs.get(job.id)
      if (row !== undefined) tenant.jobs.set(job.id, { ...row, value: changed })
      return changed
    }

    return JobStore.of({
      page: (workspace, { run = null, status }, request) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          return newest(
            tenant?.jobs.values() ?? [],
            (job) => (status === null || job.status === status) && (run === null || job.runKey === run),
            (job) => encode({ ...job, hold: tenant ? holdOn(tenant, job) : null }),
            request
          )
        }),
      take: (handled, limit, begin) =>
        Effect.gen(function* () {
          const now = yield* DateTime.now
          const isHandled = ({ job }: { readonly job: Job }) => handled.includes(job.kind)
          const waiting = everyJob()
            .filter(
              ({ job, seq, tenant }) =>
                isDue(job, now) && !isBehind(tenant, job, seq, now, handled) && holdOn(tenant, job) === null
            )
            .filter((row) => row.job.status === "queued" || (row.job.status === "no_adapter" && isHandled(row)))
            .slice(0, limit)
          const alive = waiting.filter(({ tenant }) => tenant.workspace.deletedAt === null)
          const able = alive.filter(isHandled)
          const errands = able.map(({ job, tenant }) => ({
            workspace: tenant.workspace.id,
            job: new Job({ ...job, status: "running", updatedAt: now })
          }))
          if (able.length > 0) yield* begin(errands)
          for (const { job, tenant } of able) update(tenant, job, now, { status: "running" })
          for (const { job, tenant } of waiting.filter((row) => !able.includes(row)))
            update(
              tenant,
              job,
              now,
              tenant.workspace.deletedAt === null
                ? { status: "no_adapter" }
                : { status: "failed", error: "The workspace was deleted." }
            )
          return able.length
        }).pipe(oneAtATime.withPermits(1)),
      find: (workspace, id) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          return tenant?.workspace.deletedAt === null ? (tenant.jobs.get(id)?.value ?? null) : null
        }),
      note: (workspace, id, progress) =>
        Effect.map(DateTime.now, (now) => {
          const tenant = state.get(workspace)
          const job = tenant?.jobs.get(id)?.value
          if (tenant === undefined || job === undefined || job.status === "done") return
          update(tenant, job, now, { error: null, ...progress })
        }),
      purge: (days) =>
        Effect.map(DateTime.now, (now) => {
          const before = DateTime.subtract(now, { days })
          for (const { job, tenant } of everyJob())
            if (job.status === "done" && DateTime.lessThanOrEqualTo(job.updatedAt, before)) tenant.jobs.delete(job.id)
        }),
      lag: Effect.map(DateTime.now, (now) => {
        const oldest = everyJob().find(
          ({ job, seq, tenant }) =>
            job.status === "queued" &&
            isDue(job, now) &&
            !isBehind(tenant, job, seq, now) &&
            holdOn(tenant, job) === null
        )?.job
        return oldest === undefined
          ? Duration.zero
          : Duration.max(Duration.zero, DateTime.distanceDuration(oldest.dueAt ?? oldest.createdAt, now))
      })
    })
  })
)
