import { type DateTime, Effect, Schema } from "effect"
import { HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import type { TrackerFailed } from "../../application/ports/tracker/Trackers.ts"
import { type Board, isSameName } from "../../domain/tracker/Mapping.ts"
import { printable } from "../../domain/value/Text.ts"
import type { GitHubRepository } from "./GitHubRepository.ts"
import { ask, problemOf, type Problem } from "./GraphQl.ts"

/** A board is a project of an organization or a person, with its number. */
const boardName = /^(?<login>[A-Za-z0-9][A-Za-z0-9-]*)\/(?<number>[1-9]\d{0,8})$/

/** The board is asked for with its items: without the right to see it, an issue has no items, as if it were on no board. */
const boardPart = `repositoryOwner(login: $login) {
    ... on ProjectV2Owner {
      projectV2(number: $number) {
        id
        url
        viewerCanUpdate
        field(name: $field) { __typename ... on ProjectV2SingleSelectField { id options { id name } } }
      }
    }
  }`

const itemsPart = `projectItems(first: 50, after: $after, includeArchived: true) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          isArchived
          project { id }
          fieldValueByName(name: $field) { ... on ProjectV2ItemFieldSingleSelectValue { name updatedAt } }
        }
      }`

const variablesPart = "$login: String!, $number: Int!, $field: String!"

const boardQuery = `query(${variablesPart}) { ${boardPart} }`

const Found = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  viewerCanUpdate: Schema.Boolean,
  field: Schema.NullOr(
    Schema.Struct({
      __typename: Schema.String,
      id: Schema.optional(Schema.String),
      options: Schema.optional(Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })))
    })
  )
})

const Owner = Schema.NullOr(Schema.Struct({ projectV2: Schema.optional(Schema.NullOr(Found)) }))

const Item = Schema.Struct({
  id: Schema.String,
  isArchived: Schema.Boolean,
  project: Schema.Struct({ id: Schema.String }),
  fieldValueByName: Schema.NullOr(
    Schema.Struct({
      name: Schema.optional(Schema.NullOr(Schema.String)),
      updatedAt: Schema.optional(Schema.DateTimeUtc)
    })
  )
})

const Issue = Schema.NullOr(
  Schema.Struct({
    id: Schema.String,
    projectItems: Schema.NullOr(
      Schema.Struct({
        pageInfo: Schema.Struct({ hasNextPage: Schema.Boolean, endCursor: Schema.NullOr(Schema.String) }),
        nodes: Schema.Array(Schema.NullOr(Item))
      })
    )
  })
)

const WithIssues = Schema.Struct({
  repositoryOwner: Owner,
  repository: Schema.NullOr(Schema.Record({ key: Schema.String, value: Issue }))
})

/** A board as GitHub has it. */
interface FoundBoard {
  readonly id: string
  readonly url: string
  readonly mayWrite: boolean
  readonly field: string
  readonly options: ReadonlyArray<{ readonly id: string; readonly name: string }>
}

/** An issue on a board; without an item it is not on it. */
export interface BoardPlace {
  /** Id of the issue. */
  readonly issue: string
  readonly item: { readonly id: string; readonly isArchived: boolean } | null
  readonly status: string | null
  readonly statusSince: DateTime.Utc | null
}

export interface BoardPlaces {
  readonly board: FoundBoard
  readonly places: ReadonlyMap<number, BoardPlace>
  readonly time: number | null
}

const failed = (reason: string) => new HostFailed({ reason, isFinal: false })

const rights =
  "Give the App the organization permission 'Projects: read and write', or the token the scope 'project'; only a classic token reaches the project of a person."

const refusing = /INSUFFICIENT_SCOPES|FORBIDDEN/

/** The board of an answer; a board that is missing or hidden is a failure with the way out. */
const boardOf = (
  { field, name }: Board,
  owner: typeof Owner.Type,
  problems: ReadonlyArray<Problem>
): Effect.Effect<FoundBoard, HostFailed> => {
  const found = owner?.projectV2 ?? null
  if (found === null) {
    const refusal = problems.find(({ type }) => refusing.test(type ?? ""))
    return refusal === undefined
      ? failed(
          `GitHub has no project ${name} that the connection may see. Name it as OWNER/NUMBER, as its address ends with. ${rights}`
        )
      : failed(`The connection may not see the project ${name}: ${refusal.message} ${rights}`)
  }
  if (found.field === null)
    return failed(`The project ${name} has no field '${field}'. Create it at ${found.url}/settings, or name another.`)
  const { id, options } = found.field
  if (id === undefined || options === undefined)
    return failed(`The field '${field}' of the project ${name} is no single select. Name one that is, such as Status.`)
  return Effect.succeed({ id: found.id, url: found.url, mayWrite: found.viewerCanUpdate, field: id, options })
}

const variablesOf = ({ field, name }: Board): Effect.Effect<Readonly<Record<string, unknown>>, HostFailed> => {
  const { login, number } = boardName.exec(name)?.groups ?? {}
  return login === undefined
    ? failed(`'${name}' is no project of GitHub. Name it as OWNER/NUMBER, such as acme/7.`)
    : Effect.succeed({ login, number: Number(number), field })
}

/** The board with its options; a board that cannot be written is a failure, too. */
export const inspect = (repository: GitHubRepository, board: Board) =>
  Effect.gen(function* () {
    const schema = Schema.Struct({ repositoryOwner: Owner })
    const { data, problems } = yield* ask(repository, boardQuery, yield* variablesOf(board), schema)
    const found = yield* boardOf(board, data?.repositoryOwner ?? null, problems)
    if (!found.mayWrite) return yield* failed(`The connection may not write to the project ${board.name}. ${rights}`)
    return found.options.map(({ name }) => printable(name))
  })

/** Numbers of issues with the place at which their items go on. */
type Asked = ReadonlyMap<number, string | null>

const queryOf = (asked: Asked) => {
  const parts = [...asked].map(
    ([number, after]) =>
      `i${number}: issue(number: ${number}) { id ${itemsPart.replace("$after", JSON.stringify(after))} }`
  )
  return `query($owner: String!, $name: String!, ${variablesPart}) {
    ${boardPart}
    repository(owner: $owner, name: $name) { ${parts.join("\n")} }
  }`
}

/** Places of issues on the board, in one call unless one of them is on more than fifty. Missing issues are left out. */
export const places = (
  repository: GitHubRepository,
  board: Board,
  numbers: ReadonlyArray<number>
): Effect.Effect<BoardPlaces, HostFailed> =>
  Effect.gen(function* () {
    const { name, owner } = repository.of
    const variables = { owner, name, ...(yield* variablesOf(board)) }
    const found = new Map<number, BoardPlace>()
    let asked: Asked = new Map(numbers.map((number) => [number, null]))
    for (;;) {
      const { data, problems, time } = yield* ask(repository, queryOf(asked), variables, WithIssues)
      const at = yield* boardOf(board, data?.repositoryOwner ?? null, problems)
      const other = problems.find(({ type }) => type !== "NOT_FOUND")
      if (other !== undefined) return yield* problemOf(repository.shown, other)
      const next = new Map<number, string | null>()
      for (const number of asked.keys()) {
        const issue = data?.repository?.[`i${number}`] ?? null
        if (issue === null) continue
        const item = issue.projectItems?.nodes.find((one) => one?.project.id === at.id) ?? null
        const { endCursor = null, hasNextPage = false } = issue.projectItems?.pageInfo ?? {}
        if (item === null && hasNextPage) next.set(number, endCursor)
        const value = item === null || item.isArchived ? null : item.fieldValueByName
        found.set(number, {
          issue: issue.id,
          item,
          status: value?.name == null ? null : printable(value.name),
          statusSince: value?.name == null ? null : (value.updatedAt ?? null)
        })
      }
      if (next.size === 0) return { board: at, places: found, time }
      asked = next
    }
  })

const mutation = (name: string, input: string, payload: string) =>
  `mutation($input: ${input}!) { ${name}(input: $input) { ${payload} { id } } }`

const add = mutation("addProjectV2ItemById", "AddProjectV2ItemByIdInput", "item")
const unarchive = mutation("unarchiveProjectV2Item", "UnarchiveProjectV2ItemInput", "item")
const set = mutation("updateProjectV2ItemFieldValue", "UpdateProjectV2ItemFieldValueInput", "projectV2Item")
const clear = mutation("clearProjectV2ItemFieldValue", "ClearProjectV2ItemFieldValueInput", "projectV2Item")

const Changed = Schema.Record({
  key: Schema.String,
  value: Schema.NullOr(
    Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.Struct({ id: Schema.String })) })
  )
})

/** Sends a mutation and returns the id of the item. */
const changed = (repository: GitHubRepository, document: string, input: Readonly<Record<string, unknown>>) =>
  Effect.gen(function* () {
    const { data, problems } = yield* ask(repository, document, { input }, Changed)
    const [problem] = problems
    if (problem !== undefined)
      return yield* problemOf(repository.shown, problem, /FORBIDDEN|UNPROCESSABLE/.test(problem.type ?? ""))
    const [payload] = Object.values(data ?? {})
    const [item] = Object.values(payload ?? {})
    return item?.id ?? (yield* failed(`${repository.shown}: GitHub did not change the project.`))
  })

/** Sets the status of an issue, which is added to the board, or taken out of its archive, if need be. */
export const setStatus = (
  repository: GitHubRepository,
  spend: Effect.Effect<void, TrackerFailed>,
  board: Board,
  number: number,
  status: string | null
): Effect.Effect<void, HostFailed | TrackerFailed> =>
  Effect.gen(function* () {
    const found = yield* places(repository, board, [number])
    const { field, id: projectId, options } = found.board
    const place = found.places.get(number)
    if (place === undefined || (place.item === null && status === null)) return
    const option = status === null ? null : options.find(({ name }) => isSameName(printable(name), status))
    if (option === undefined)
      return yield* new HostFailed({
        reason: `The field '${board.field}' of the project ${board.name} has no option '${status}'. Create it at ${found.board.url}/settings, or bind the team with another.`,
        isFinal: true
      })
    if (place.status === null ? status === null : status !== null && isSameName(place.status, status)) return
    const change = (document: string, input: Readonly<Record<string, unknown>>) =>
      Effect.zipRight(spend, changed(repository, document, { projectId, ...input }))
    const itemId =
      place.item === null
        ? yield* change(add, { contentId: place.issue })
        : place.item.isArchived
          ? yield* change(unarchive, { itemId: place.item.id })
          : place.item.id
    yield* option === null
      ? change(clear, { itemId, fieldId: field })
      : change(set, { itemId, fieldId: field, value: { singleSelectOptionId: option.id } })
  })
