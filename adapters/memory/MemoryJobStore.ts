import { DateTime, Duration, Effect, Layer, Stream } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import { isHoldable, Job, type JobKind, JobView } from "../../domain/work/Job.ts"
import { merging } from "./MemoryWorkContext.ts"
import { newest } from "./MemoryPages.ts"
import { sign, State, type Tenant } from "./MemoryState.ts"

const encode = Json.encoder(JobView)

/** A red main branch holds the merges of its team. */
const holdOn = (tenant: Tenant, job: Job) => (isHoldable(job) ? merging(tenant, job.team).mergeHold : null)

const isDue = ({ dueAt }: Job, now: DateTime.Utc) => dueAt === null || DateTime.lessThanOrEqualTo(dueAt, now)

/** Waits while another job of its lane runs, and for its earlier due jobs, also ones that rested and can be done now. */
const isBehind = (tenant: Tenant, job: Job, seq: bigint, now: DateTime.Utc, handled: ReadonlyArray<JobKind> = []) =>
  job.lane !== null &&
  [...tenant.jobs.values()].some(({ seq: otherSeq, value: other }) => {
    if (other.lane !== job.lane || other.id === job.id) return false
    if (other.status === "running") return true
    const isWaiting = other.status === "queued" || (other.status === "no_adapter" && handled.includes(other.kind))
    return isWaiting && otherSeq < seq && isDue(other, now)
  })

interface Lease {
  readonly holder: string | null
  readonly until: DateTime.Utc
  /** Tries that the job had when its round began. */
  readonly roundStart: number
}

export const layer = Layer.effect(
  JobStore,
  Effect.gen(function* () {
    const state = yield* State
    const leases = new Map<string, Lease>()

    const everyJob = () =>
      [...state.values()]
        .flatMap((tenant) => [...tenant.jobs.values()].map(({ seq, value }) => ({ tenant, seq, job: value })))
        .sort((a, b) => (a.seq < b.seq ? -1 : 1))

    const update = (
      tenant: Tenant,
      job: Job,
      now: DateTime.Utc,
      changes: Partial<Pick<Job, "status" | "tries" | "error" | "dueAt">>
    ) => {
      const changed = new Job({ ...job, ...changes, updatedAt: now })
      const row = tenant.jobs.get(job.id)
      if (row !== undefined) tenant.jobs.set(job.id, { ...row, value: changed })
      if (changed.status !== job.status) sign(tenant, "job", job.id)
      return changed
    }

    const isLapsed = ({ id }: Job, now: DateTime.Utc) => {
      const lease = leases.get(id)
      return lease === undefined || DateTime.lessThanOrEqualTo(lease.until, now)
    }

    const extend = (holder: string, changes: Partial<Lease>, ids: ReadonlyArray<string> = [...leases.keys()]) => {
      for (const id of ids) {
        const lease = leases.get(id)
        if (lease?.holder === holder) leases.set(id, { ...lease, ...changes })
      }
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
      find: (workspace, ids) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          return ids.flatMap((id) => {
            const job = tenant?.jobs.get(id)?.value
            return tenant === undefined || job === undefined ? [] : [encode({ ...job, hold: holdOn(tenant, job) })]
          })
        }),
      take: ({ duration, holder }, handled, limit, room = {}) =>
        Effect.map(DateTime.now, (now) => {
          const isHandled = (job: Job) => handled.includes(job.kind)
          const waiting = everyJob().filter(({ job, seq, tenant }) => {
            if (job.status === "running") return isLapsed(job, now)
            if (job.status !== "queued" && !(job.status === "no_adapter" && isHandled(job))) return false
            return isDue(job, now) && !isBehind(tenant, job, seq, now, handled) && holdOn(tenant, job) === null
          })
          const isRetry = ({ job }: (typeof waiting)[number]) => job.status === "running"
          const left = new Map<string, number>(Object.entries(room))
          const picked = [...waiting.filter((row) => !isRetry(row)), ...waiting.filter(isRetry)]
            .filter(({ job }) => {
              const places = left.get(job.kind) ?? Infinity
              left.set(job.kind, places - 1)
              return places > 0
            })
            .slice(0, limit)
          const jobs = picked.flatMap(({ job, tenant }) => {
            const roundStart = job.status === "running" ? (leases.get(job.id)?.roundStart ?? 0) : job.tries
            leases.delete(job.id)
            if (tenant.workspace.deletedAt !== null) {
              update(tenant, job, now, { status: "failed", error: "The workspace was deleted." })
              return []
            }
            if (!isHandled(job)) {
              update(tenant, job, now, { status: "no_adapter" })
              return []
            }
            leases.set(job.id, { holder, until: DateTime.addDuration(now, duration), roundStart })
            const taken = update(tenant, job, now, { status: "running" })
            return [{ workspace: tenant.workspace.id, job: taken, failures: job.tries - roundStart }]
          })
          return { jobs, seen: picked.length }
        }),
      renew: ({ duration, holder }, ids) =>
        Effect.map(DateTime.now, (now) => extend(holder, { until: DateTime.addDuration(now, duration) }, ids)),
      release: (holder) => Effect.map(DateTime.now, (now) => extend(holder, { until: now, holder: null })),
      note: (workspace, id, holder, progress) =>
        Effect.map(DateTime.now, (now) => {
          const tenant = state.get(workspace)
          const job = tenant?.jobs.get(id)?.value
          if (tenant === undefined || job === undefined || job.status === "done") return
          const lease = leases.get(id)
          const isHeldByOther = lease !== undefined && lease.holder !== null && lease.holder !== holder
          if (progress.status !== "done" && (job.status === "failed" || isHeldByOther)) return
          leases.delete(id)
          if (progress.status === "running")
            leases.set(id, {
              holder: null,
              until: DateTime.addDuration(now, progress.wait),
              roundStart: lease?.roundStart ?? 0
            })
          const error = "error" in progress ? (progress.error ?? null) : null
          const rest = progress.status === "no_adapter" ? progress.wait : undefined
          const dueAt = rest === undefined ? job.dueAt : DateTime.addDuration(now, rest)
          update(tenant, job, now, { status: progress.status, tries: progress.tries, error, dueAt })
        }),
      wake: (workspace) =>
        Effect.map(DateTime.now, (now) => {
          const tenant = state.get(workspace)
          for (const { value: job } of tenant?.jobs.values() ?? [])
            if (tenant !== undefined && job.status === "no_adapter" && !isDue(job, now))
              update(tenant, job, now, { dueAt: now })
        }),
      purge: (days) =>
        Effect.map(DateTime.now, (now) => {
          const before = DateTime.subtract(now, { days })
          for (const { job, tenant } of everyJob())
            if (job.status === "done" && DateTime.lessThanOrEqualTo(job.updatedAt, before)) tenant.jobs.delete(job.id)
        }),
      lag: Effect.map(DateTime.now, (now) => {
        const due = everyJob().flatMap(({ job, seq, tenant }) => {
          if (job.status === "running") return leases.get(job.id)?.until ?? []
          const isWaiting = job.status === "queued" && !isBehind(tenant, job, seq, now) && holdOn(tenant, job) === null
          return isWaiting ? (job.dueAt ?? job.createdAt) : []
        })
        const waits = due.map((at) => DateTime.distance(at, now))
        return Duration.millis(Math.max(0, ...waits))
      }),
      added: Stream.never
    })
  })
)
