import { Clock, DateTime, Duration, Effect } from "effect"
import {
  type Gone,
  type PageRequest,
  type Project,
  type Tracker,
  type TrackerFailed
} from "../../../application/ports/tracker/Trackers.ts"
import { isSameName, type Mark } from "../../../domain/tracker/Mapping.ts"
import type {
  CloseReason,
  GoneReason,
  IssueAct,
  IssuePerson,
  IssueRef,
  IssueSnapshot
} from "../../../domain/tracker/TrackerIssue.ts"

interface Kept {
  snapshot: IssueSnapshot
  gone: GoneReason | null
  readonly labelled: Map<string, IssueAct>
  /** Act that set the status, if the tracker recorded it. */
  moved: IssueAct | null
  foreignEdit: IssueAct | null
  readonly comments: Map<string, string>
}

/** Account of the service in the tracker. */
export const own: IssuePerson = { name: "gatehouse", mayWrite: true, isOwn: true }

/** A tracker in memory, with the acts of people on its issues. Its clock counts whole seconds. */
export const make = (
  options: {
    readonly pageSize?: number
    readonly labels?: ReadonlyArray<string>
    readonly statuses?: ReadonlyArray<string>
  } = {}
) => {
  const issues = new Map<string, Kept>()
  const { labels: known = ["ready", "refining", "doing"], pageSize = 100, statuses = [] } = options
  let made = 0
  /** Calls that created content, with the time of each. */
  const writes: Array<number> = []
  const state = { failure: null as TrackerFailed | null, calls: 0 }

  const second = Effect.map(Clock.currentTimeMillis, (at) => DateTime.unsafeMake(Math.floor(at / 1000) * 1000))
  const call = <A>(effect: Effect.Effect<A, TrackerFailed>) =>
    Effect.suspend(() => {
      state.calls++
      return state.failure ?? effect
    })
  const creating = <A>(effect: Effect.Effect<A, TrackerFailed>) =>
    call(Effect.flatMap(Clock.currentTimeMillis, (at) => Effect.tap(effect, () => void writes.push(at))))

  const keptOf = (id: string): Kept => {
    const kept = issues.get(id)
    if (kept === undefined) throw new Error(`there is no issue ${id}`)
    return kept
  }

  const changed = (id: string, change: (kept: Kept, at: DateTime.Utc) => Partial<IssueSnapshot>) =>
    Effect.map(second, (updatedAt) => {
      const kept = keptOf(id)
      kept.snapshot = { ...kept.snapshot, ...change(kept, updatedAt), updatedAt }
      return kept.snapshot
    })

  /** An issue as a project shows it; without its board there is no status. */
  const shownAt = ({ board }: Project, snapshot: IssueSnapshot): IssueSnapshot =>
    board === undefined ? { ...snapshot, status: null, statusSince: null } : snapshot

  const statusOf = ({ status, statusSince }: IssueSnapshot) => ({ status, statusSince })

  const open = (
    by: IssuePerson,
    issue: { readonly title: string; readonly body?: string; readonly labels?: ReadonlyArray<string> }
  ) =>
    Effect.map(second, (updatedAt) => {
      const id = `i${++made}`
      const labels = issue.labels ?? []
      const snapshot: IssueSnapshot = {
        id,
        key: `#${made}`,
        url: `https://tracker.example.com/issues/${made}`,
        title: issue.title,
        body: issue.body ?? "",
        closed: null,
        labels,
        status: null,
        statusSince: null,
        author: by.name,
        updatedAt
      }
      const labelled = new Map(labels.map((label) => [label, { by, at: updatedAt }]))
      issues.set(id, { snapshot, gone: null, labelled, moved: null, foreignEdit: null, comments: new Map() })
      return snapshot
    })

  /** Acts of people. */
  const people = {
    open,
    edit: (by: IssuePerson, id: string, text: { readonly title?: string; readonly body?: string }) =>
      changed(id, (kept, at) => {
        if (!by.mayWrite) kept.foreignEdit = { by, at }
        return text
      }),
    label: (by: IssuePerson, id: string, label: string) =>
      changed(id, (kept, at) => {
        if (kept.snapshot.labels.includes(label)) return {}
        kept.labelled.set(label, { by, at })
        return { labels: [...kept.snapshot.labels, label] }
      }),
    unlabel: (id: string, label: string) =>
      changed(id, ({ snapshot }) => ({ labels: snapshot.labels.filter((one) => one !== label) })),
    close: (id: string, closed: CloseReason | null) => changed(id, () => ({ closed })),
    /** Moves an issue on the board, which is no change of the issue. Moves by null are not recorded. */
    move: (by: IssuePerson | null, id: string, status: string | null) =>
      Effect.map(second, (at) => {
        const kept = keptOf(id)
        if (kept.snapshot.status === status) return
        kept.moved = by && { by, at }
        kept.snapshot = { ...kept.snapshot, status, statusSince: status === null ? null : at }
      }),
    leave: (id: string, gone: GoneReason | null) =>
      changed(id, (kept) => {
        kept.gone = gone
        return {}
      })
  }

  const found = ({ id }: IssueRef): Kept | Gone => {
    const kept = issues.get(id)
    if (kept === undefined || kept.gone !== null) return { gone: kept?.gone ?? "deleted" }
    return kept
  }

  /** Issues by the time of their change; the cursor is the place behind the last one. */
  const listed = ({ cursor, since }: PageRequest) => {
    const place = ({ id, updatedAt }: IssueSnapshot) =>
      `${String(updatedAt.epochMillis).padStart(15, "0")} ${id.slice(1).padStart(9, "0")}`
    const all = [...issues.values()]
      .filter(
        ({ gone, snapshot }) => gone === null && (since === null || snapshot.updatedAt.epochMillis >= since.epochMillis)
      )
      .map(({ snapshot }) => snapshot)
      .toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
    const rest = cursor === null ? all : all.filter((one) => place(one) > cursor)
    const shown = rest.slice(0, pageSize)
    const last = shown.at(-1)
    const next = last === undefined || rest.length === shown.length ? null : place(last)
    const etag = shown.length < pageSize ? JSON.stringify(shown.map(place)) : null
    return { issues: shown, next, until: last?.updatedAt ?? null, etag }
  }

  const tracker: Tracker = {
    platform: "github",
    pace: Duration.seconds(1),
    own: () => call(Effect.succeed(own.name)),
    inspect: ({ board, project }) =>
      call(
        Effect.succeed({
          project,
          url: "https://tracker.example.com",
          labels: known,
          statuses: board === undefined ? [] : statuses,
          missing: []
        })
      ),
    page: (at, request) =>
      call(
        Effect.sync(() => {
          const page = listed(request)
          if (request.unless != null && request.unless === page.etag) return null
          const total =
            request.isCounted === true ? [...issues.values()].filter(({ gone }) => gone === null).length : null
          return { ...page, total, issues: page.issues.map((issue) => shownAt(at, issue)) }
        })
      ),
    get: (at, issue) =>
      call(
        Effect.sync(() => {
          const kept = found(issue)
          return "snapshot" in kept ? shownAt(at, kept.snapshot) : kept
        })
      ),
    statuses: (at, refs) =>
      call(
        Effect.sync(
          () =>
            new Map(
              refs.flatMap((ref) => {
                const kept = found(ref)
                return "snapshot" in kept ? [[ref.id, statusOf(shownAt(at, kept.snapshot))] as const] : []
              })
            )
        )
      ),
    trail: (at, { id }, marks) =>
      call(
        Effect.sync(() => {
          const { foreignEdit, labelled, moved: set, snapshot: whole } = keptOf(id)
          const snapshot = shownAt(at, whole)
          const has = (kind: Mark["kind"], name: string) =>
            marks.some((mark) => mark.kind === kind && isSameName(mark.name, name))
          const acts = [
            ...snapshot.labels.filter((label) => has("label", label)).flatMap((label) => labelled.get(label) ?? []),
            ...(snapshot.status !== null && has("status", snapshot.status) && set !== null ? [set] : [])
          ]
          const readied = acts.toSorted((a, b) => b.at.epochMillis - a.at.epochMillis)[0] ?? null
          return { readied, foreignEdit, text: { title: snapshot.title, body: snapshot.body } }
        })
      ),
    find: (_, marker) =>
      call(
        Effect.sync(() => {
          const kept = [...issues.values()].find(
            ({ gone, snapshot }) => gone === null && snapshot.body.includes(marker)
          )
          return kept?.snapshot ?? null
        })
      ),
    create: (_, issue) => creating(open(own, issue)),
    update: (where, issue, change) =>
      creating(
        Effect.suspend((): Effect.Effect<IssueSnapshot | Gone> => {
          const kept = found(issue)
          if (!("snapshot" in kept)) return Effect.succeed(kept)
          const { status } = change
          const updated = changed(issue.id, ({ labelled, snapshot }, at) => {
            for (const label of change.addLabels)
              if (!snapshot.labels.includes(label)) labelled.set(label, { by: own, at })
            const labels = new Set([...snapshot.labels, ...change.addLabels])
            for (const label of change.removeLabels) labels.delete(label)
            if (status !== undefined) kept.moved = { by: own, at }
            return {
              labels: [...labels],
              ...(change.closed !== undefined && { closed: change.closed }),
              ...(status !== undefined && { status, statusSince: status === null ? null : at })
            }
          })
          return Effect.map(updated, (snapshot) => shownAt(where, snapshot))
        })
      ),
    comment: (_, issue, { body, id, marker }) =>
      creating(
        Effect.sync(() => {
          const kept = found(issue)
          if (!("snapshot" in kept)) return kept
          const known = [...kept.comments].find(([one, text]) => one === id || text.includes(marker))?.[0]
          const at = known ?? `${issue.id}-c${kept.comments.size + 1}`
          kept.comments.set(at, body)
          return at
        })
      )
  }

  return { tracker, people, writes, state, issues }
}
