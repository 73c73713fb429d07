import { DateTime, Duration, Effect } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { JobStore, type Lease } from "../../application/ports/JobStore.ts"
import { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import { answered } from "../../domain/Change.ts"
import { Job, JobId, type JobKind } from "../../domain/work/Job.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"

export const holder = "77777777-2222-4333-8444-555555555555"

/** The lease of a test that takes jobs itself. */
export const lease: Lease = { holder, duration: Duration.days(1) }

/** A workspace with a team that jobs can belong to. */
export const workspace = Effect.tap(Seed.workspace, ({ slug }) =>
  Seed.load(slug, { teams: [{ slug: "payments", name: "Payments", keyPrefix: "PAY" }] })
)

type Place = Effect.Effect.Success<typeof workspace>

/** Puts jobs in as a use case does, in a change of something else; `days` ago, and other fields, on demand. */
export const put = (
  { slug }: Pick<Place, "slug">,
  kinds: ReadonlyArray<JobKind>,
  { days = 0, ...fields }: Partial<Pick<Job, "status" | "payload" | "runKey">> & { readonly days?: number } = {}
) =>
  Effect.gen(function* () {
    const store = yield* WorkspaceStore
    const ids = kinds.map(() => JobId.make(crypto.randomUUID()))
    yield* store.change(slug, ({ now, workspace }) => {
      const at = DateTime.subtract(now, { days })
      const jobs = kinds.map(
        (kind, index) =>
          new Job({
            id: ids[index] as JobId,
            kind,
            status: "queued",
            team: "payments" as TeamSlug,
            story: null,
            runKey: null,
            decision: null,
            payload: { number: index },
            tries: 0,
            error: null,
            createdAt: at,
            updatedAt: at,
            ...fields
          })
      )
      const entity = { type: "workspace", id: workspace?.id ?? "", name: slug } as const
      return answered({ added: { jobs }, audit: [Audit.fact(bySystem, "workspace_created", entity)] }, undefined)
    })
    return ids
  })

const decode = Json.decoder(Job)

/** Newest first. */
export const all = (workspace: WorkspaceId, status: Job["status"] | null = null) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const { items } = yield* store.page(workspace, { status }, { limit: 10_000, before: null })
    return Json.each(items).map(decode)
  })
