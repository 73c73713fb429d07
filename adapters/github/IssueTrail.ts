import { type DateTime, Effect, Schema } from "effect"
import { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import type { IssueAct, IssueTrail } from "../../domain/tracker/TrackerIssue.ts"
import { refused } from "./GitHubClient.ts"
import { decoded, type GitHubRepository } from "./GitHubRepository.ts"
import { shownText } from "./IssueShape.ts"
import { Actor, type PersonOf } from "./Permission.ts"

/** The REST interface does not name the editors of a description. */
const query = `query($owner: String!, $name: String!, $number: Int!, $events: String, $edits: String, $hasEvents: Boolean!, $hasEdits: Boolean!) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      title
      body
      createdAt
      lastEditedAt
      editor { __typename login }
      labels(first: 100) { nodes { name } }
      timelineItems(last: 100, before: $events, itemTypes: [LABELED_EVENT, RENAMED_TITLE_EVENT]) @include(if: $hasEvents) {
        pageInfo { hasPreviousPage startCursor }
        nodes {
          __typename
          ... on LabeledEvent { createdAt actor { __typename login } label { name } }
          ... on RenamedTitleEvent { createdAt actor { __typename login } }
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
  label: Schema.optional(Schema.Struct({ name: Schema.String }))
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

const Answered = Schema.Struct({
  data: Schema.optional(
    Schema.NullOr(Schema.Struct({ repository: Schema.NullOr(Schema.Struct({ issue: Schema.NullOr(Issue) })) }))
  ),
  errors: Schema.optional(Schema.Array(Schema.Struct({ type: Schema.optional(Schema.String), message: Schema.String })))
})

/** Pages of a hundred that are read; the newest come first. */
const mostPages = 10

const asked = (
  repository: GitHubRepository,
  variables: Readonly<Record<string, unknown>>
): Effect.Effect<typeof Issue.Type | null, HostFailed> =>
  Effect.gen(function* () {
    const answer = yield* repository.client.call(repository.access, {
      method: "POST",
      path: "graphql",
      repository: repository.of,
      body: { query, variables: { owner: repository.of.owner, name: repository.of.name, ...variables } }
    })
    if (answer.status !== 200) return yield* refused(answer, repository.shown)
    const { data, errors } = yield* decoded(answer, Answered, repository.shown)
    const problem = errors?.find(({ type }) => type !== "NOT_FOUND")
    if (problem !== undefined)
      return yield* new HostFailed({
        reason: `${repository.shown}: ${problem.message}`,
        isFinal: false,
        isWait: problem.type === "RATE_LIMITED"
      })
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
  /** Edits of title and description; the opening is none. */
  readonly edits: ReadonlyArray<Act>
}

const actsOf = (repository: GitHubRepository, number: number): Effect.Effect<Acts, HostFailed> =>
  Effect.gen(function* () {
    let labels: ReadonlyArray<string> = []
    let text: IssueTrail["text"] = { title: "", body: "" }
    const labelled: Array<Acts["labelled"][number]> = []
    const edits: Array<Act> = []
    let [hasEvents, hasEdits] = [true, true]
    let [events, edited]: [string | null, string | null] = [null, null]
    for (let page = 0; page < mostPages && (hasEvents || hasEdits); page++) {
      const issue: typeof Issue.Type | null = yield* asked(repository, {
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
      for (const { actor, createdAt: at, label } of issue.timelineItems?.nodes.toReversed() ?? [])
        if (label === undefined) edits.push({ at, actor })
        else labelled.push({ at, actor, label: label.name })
      if (issue.lastEditedAt !== null) edits.push({ at: issue.lastEditedAt, actor: issue.editor })
      for (const { editedAt: at, editor: actor } of issue.userContentEdits?.nodes ?? [])
        if (at.epochMillis > issue.createdAt.epochMillis) edits.push({ at, actor })
      hasEvents = issue.timelineItems?.pageInfo.hasPreviousPage ?? false
      hasEdits = issue.userContentEdits?.pageInfo.hasNextPage ?? false
      events = issue.timelineItems?.pageInfo.startCursor ?? null
      edited = issue.userContentEdits?.pageInfo.endCursor ?? null
    }
    return { text, labels, labelled, edits }
  })

const newestFirst = (a: Act, b: Act) => b.at.epochMillis - a.at.epochMillis

/** Who made an issue Ready, and who edited it without the right to write. */
export const trail = (
  repository: GitHubRepository,
  personOf: PersonOf,
  number: number,
  marks: ReadonlyArray<string>
): Effect.Effect<IssueTrail, HostFailed> =>
  Effect.gen(function* () {
    const { edits, labelled, labels, text } = yield* actsOf(repository, number)
    const lower = (names: ReadonlyArray<string>) => names.map((name) => name.toLowerCase())
    const counting = new Set(lower(marks).filter((mark) => lower(labels).includes(mark)))
    const last = labelled.toSorted(newestFirst).find(({ label }) => counting.has(label.toLowerCase()))
    const readied: IssueAct | null =
      last === undefined ? null : { by: yield* personOf(repository, last.actor), at: last.at }
    for (const { actor, at } of edits.toSorted(newestFirst)) {
      const by = yield* personOf(repository, actor)
      if (!by.mayWrite) return { readied, foreignEdit: { by, at }, text }
    }
    return { readied, foreignEdit: null, text }
  })
