import { DateTime, Effect, Schema } from "effect"
import type { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import { type Board, isSameName, type Mark } from "../../domain/tracker/Mapping.ts"
import type { IssueAct, IssueTrail } from "../../domain/tracker/TrackerIssue.ts"
import type { GitHubRepository } from "./GitHubRepository.ts"
import { ask, problemOf } from "./GraphQl.ts"
import { places } from "./IssueBoard.ts"
import { shownText } from "./IssueShape.ts"
import { Actor, type PersonOf } from "./Permission.ts"

/** Older servers know no events of boards. */
const statusType = ", PROJECT_V2_ITEM_STATUS_CHANGED_EVENT"
const statusPart = `
          ... on ProjectV2ItemStatusChangedEvent { createdAt wasAutomated status actor { __typename login } project { id } }`

/** The REST interface does not name the editors of a description. */
const queryOf = (
  hasBoard: boolean
) => `query($owner: String!, $name: String!, $number: Int!, $events: String, $edits: String, $hasEvents: Boolean!, $hasEdits: Boolean!) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      title
      body
      createdAt
      lastEditedAt
      editor { __typename login }
      labels(first: 100) { nodes { name } }
      timelineItems(last: 100, before: $events, itemTypes: [LABELED_EVENT, RENAMED_TITLE_EVENT${hasBoard ? statusType : ""}]) @include(if: $hasEvents) {
        pageInfo { hasPreviousPage startCursor }
        nodes {
          __typename
          ... on LabeledEvent { createdAt actor { __typename login } label { name } }
          ... on RenamedTitleEvent { createdAt actor { __typename login } }${hasBoard ? statusPart : ""}
        }
      }
      userContentEdits(first: 100, after: $edits) @include(if: $hasEdits) {
        pageInfo { hasNextPage endCursor }
        nodes { editedAt editor { __typename login } }
      }
    }
  }
}`

const Cursor = Schema.NullOr(Schema.String)

const Event = Schema.Struct({
  __typename: Schema.String,
  createdAt: Schema.DateTimeUtc,
  actor: Actor,
  label: Schema.optional(Schema.Struct({ name: Schema.String })),
  status: Schema.optional(Schema.String),
  wasAutomated: Schema.optional(Schema.Boolean),
  project: Schema.optional(Schema.NullOr(Schema.Struct({ id: Schema.String })))
})

const Edit = Schema.Struct({ editedAt: Schema.DateTimeUtc, editor: Actor })

const Issue = Schema.Struct({
  title: Schema.String,
  body: Schema.String,
  createdAt: Schema.DateTimeUtc,
  lastEditedAt: Schema.NullOr(Schema.DateTimeUtc),
  editor: Actor,
  labels: Schema.NullOr(Schema.Struct({ nodes: Schema.Array(Schema.Struct({ name: Schema.String })) })),
  timelineItems: Schema.optional(
    Schema.Struct({
      pageInfo: Schema.Struct({ hasPreviousPage: Schema.Boolean, startCursor: Cursor }),
      nodes: Schema.Array(Event)
    })
  ),
  userContentEdits: Schema.optional(
    Schema.NullOr(
      Schema.Struct({
        pageInfo: Schema.Struct({ hasNextPage: Schema.Boolean, endCursor: Cursor }),
        nodes: Schema.Array(Edit)
      })
    )
  )
})

const Answered = Schema.Struct({ repository: Schema.NullOr(Schema.Struct({ issue: Schema.NullOr(Issue) })) })

/** Pages of a hundred that are read; the newest come first. */
const mostPages = 10

const asked = (
  repository: GitHubRepository,
  query: string,
  variables: Readonly<Record<string, unknown>>
): Effect.Effect<typeof Issue.Type | null, HostFailed> =>
  Effect.gen(function* () {
    const { name, owner } = repository.of
    const { data, problems } = yield* ask(repository, query, { owner, name, ...variables }, Answered)
    const problem = problems.find(({ type }) => type !== "NOT_FOUND")
    if (problem !== undefined) return yield* problemOf(repository.shown, problem)
    return data?.repository?.issue ?? null
  })

interface Act {
  readonly at: DateTime.Utc
  readonly actor: Actor
}

interface Acts {
  readonly text: IssueTrail["text"]
  readonly labels: ReadonlyArray<string>
  readonly labelled: ReadonlyArray<Act & { readonly label: string }>
  /** Changes of the status on boards. */
  readonly moved: ReadonlyArray<Act & { readonly status: string; readonly board: string | null }>
  /** Edits of title and description; the opening is none. */
  readonly edits: ReadonlyArray<Act>
}

const actsOf = (repository: GitHubRepository, number: number, hasBoard: boolean): Effect.Effect<Acts, HostFailed> =>
  Effect.gen(function* () {
    const query = queryOf(hasBoard)
    let labels: ReadonlyArray<string> = []
    let text: IssueTrail["text"] = { title: "", body: "" }
    const labelled: Array<Acts["labelled"][number]> = []
    const moved: Array<Acts["moved"][number]> = []
    const edits: Array<Act> = []
    let [hasEvents, hasEdits] = [true, true]
    let [events, edited]: [string | null, string | null] = [null, null]
    for (let page = 0; page < mostPages && (hasEvents || hasEdits); page++) {
      const issue: typeof Issue.Type | null = yield* asked(repository, query, {
        number,
        events,
        edits: edited,
        hasEvents,
        hasEdits
      })
      if (issue === null) break
      if (page === 0) text = shownText(issue)
      labels = issue.labels?.nodes.map(({ name }) => name) ?? []
      // Of two acts in one second the later one stays first.
      for (const event of issue.timelineItems?.nodes.toReversed() ?? []) {
        const { actor, createdAt: at, label, project, status, wasAutomated } = event
        if (label !== undefined) labelled.push({ at, actor, label: label.name })
        // A workflow acts for anybody who can start it.
        else if (status !== undefined)
          moved.push({ at, actor: wasAutomated === true ? null : actor, status, board: project?.id ?? null })
        else edits.push({ at, actor })
      }
      if (issue.lastEditedAt !== null) edits.push({ at: issue.lastEditedAt, actor: issue.editor })
      for (const { editedAt: at, editor: actor } of issue.userContentEdits?.nodes ?? [])
        if (at.epochMillis > issue.createdAt.epochMillis) edits.push({ at, actor })
      hasEvents = issue.timelineItems?.pageInfo.hasPreviousPage ?? false
      hasEdits = issue.userContentEdits?.pageInfo.hasNextPage ?? false
      events = issue.timelineItems?.pageInfo.startCursor ?? null
      edited = issue.userContentEdits?.pageInfo.endCursor ?? null
    }
    return { text, labels, labelled, moved, edits }
  })

/** Seconds by which the time of a status and of the act that set it may differ. */
const mostLag = 5000
/** Time within which GitHub records who set a status. */
const recordedWithin = 30_000

/**
 * The act that gave the issue the status that it has. GitHub does not record all of them, so an older act that set the
 * same status is none.
 */
const statusAct = (
  repository: GitHubRepository,
  board: Board,
  number: number,
  moved: Acts["moved"],
  marks: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const found = yield* places(repository, board, [number])
    const place = found.places.get(number)
    const { status = null, statusSince: since = null } = place ?? {}
    if (since === null || status === null || !marks.some((mark) => isSameName(mark, status)))
      return { act: null, isEarly: false }
    const last = moved.find((one) => one.board === found.board.id)
    const isIt =
      last !== undefined &&
      isSameName(last.status, status) &&
      last.at.epochMillis + mostLag >= since.epochMillis &&
      last.actor !== null
    const now = found.time ?? (yield* DateTime.now).epochMillis
    return { act: isIt ? last : null, isEarly: !isIt && now - since.epochMillis < recordedWithin }
  })

const newestFirst = (a: Act, b: Act) => b.at.epochMillis - a.at.epochMillis

/** Who made an issue Ready, and who edited it without the right to write. */
export const trail = (
  repository: GitHubRepository,
  personOf: PersonOf,
  number: number,
  marks: ReadonlyArray<Mark>,
  board: Board | undefined
): Effect.Effect<IssueTrail, HostFailed> =>
  Effect.gen(function* () {
    const named = (kind: Mark["kind"]) => marks.flatMap((mark) => (mark.kind === kind ? [mark.name] : []))
    const statuses = board === undefined ? [] : named("status")
    const { edits, labelled, labels, moved, text } = yield* actsOf(repository, number, statuses.length > 0)
    const lower = (names: ReadonlyArray<string>) => names.map((name) => name.toLowerCase())
    const counting = new Set(lower(named("label")).filter((mark) => lower(labels).includes(mark)))
    const label = labelled.toSorted(newestFirst).find((one) => counting.has(one.label.toLowerCase()))
    const { act, isEarly } =
      board === undefined || statuses.length === 0
        ? { act: null, isEarly: false }
        : yield* statusAct(repository, board, number, moved.toSorted(newestFirst), statuses)
    const [last] = [label ?? [], act ?? []].flat().toSorted(newestFirst)
    const readied: IssueAct | null =
      last === undefined ? null : { by: yield* personOf(repository, last.actor), at: last.at }
    const known = { readied, text, ...(isEarly && readied === null && { isEarly }) }
    for (const { actor, at } of edits.toSorted(newestFirst)) {
      const by = yield* personOf(repository, actor)
      if (!by.mayWrite) return { ...known, foreignEdit: { by, at } }
    }
    return { ...known, foreignEdit: null }
  })
