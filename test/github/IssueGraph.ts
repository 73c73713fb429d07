/** Issues as GraphQL shows them, with their editors, whom the REST interface does not name. */
import { repositoryPage } from "./Shapes.ts"
import * as State from "./State.ts"
import type { World } from "./World.ts"

/** Bots have no suffix here, as REST adds it; an account that was deleted is null. */
export const actorShape = (world: World, user: State.User) =>
  world.users.has(user.login.toLowerCase())
    ? {
        __typename: user.type === "Bot" ? "Bot" : "User",
        id: State.nodeId("U", user.id),
        login: user.login.replace(/\[bot\]$/, "")
      }
    : null

export interface Page {
  readonly first?: number | null
  readonly last?: number | null
  readonly after?: string | null
  readonly before?: string | null
}

/** A slice of a list; cursors are places in it. */
export const connection = <A>(
  all: ReadonlyArray<A>,
  { after, before, first, last }: Page,
  shape: (one: A) => unknown
) => {
  const most = first ?? last ?? 0
  if (most < 1 || most > 100) throw new Error("first or last must be from 1 to 100")
  const from = after == null ? 0 : Number(after)
  const to = before == null ? all.length : Number(before)
  const start = first == null ? Math.max(from, to - most) : from
  const end = first == null ? to : Math.min(to, from + most)
  return {
    totalCount: all.length,
    filteredCount: all.length,
    nodes: all.slice(start, end).map(shape),
    pageInfo: {
      startCursor: String(start),
      endCursor: String(end),
      hasPreviousPage: start > 0,
      hasNextPage: end < all.length
    }
  }
}

const kinds: Readonly<Record<string, string>> = {
  labeled: "LABELED_EVENT",
  renamed: "RENAMED_TITLE_EVENT",
  project_v2_item_status_changed: "PROJECT_V2_ITEM_STATUS_CHANGED_EVENT"
}

/** Boards as the caller sees them. */
export interface IssueBoards {
  readonly projectItems: (issue: State.Issue, page: Page & { readonly includeArchived?: boolean }) => unknown
  readonly project: (id: unknown) => unknown
}

const eventShape = (
  world: World,
  repository: State.Repository,
  boards: IssueBoards,
  { actor, createdAt, event, id, more }: State.IssueEvent
) => {
  const shared = { id: State.nodeId("IE", id), actor: actorShape(world, actor), createdAt: State.timestamp(createdAt) }
  if (event === "renamed") {
    const { from, to } = more["rename"] as { readonly from: string; readonly to: string }
    return { __typename: "RenamedTitleEvent", ...shared, previousTitle: from, currentTitle: to }
  }
  if (event === "project_v2_item_status_changed") {
    const { board, previousStatus, status } = more
    const project = boards.project(board)
    return {
      __typename: "ProjectV2ItemStatusChangedEvent",
      ...shared,
      previousStatus,
      status,
      project,
      wasAutomated: false
    }
  }
  const { name } = more["label"] as { readonly name: string }
  const label = repository.labels.find((one) => one.name === name)
  return { __typename: "LabeledEvent", ...shared, label: { id: State.nodeId("LA", label?.id ?? 0), name } }
}

export const issueShape = (world: World, repository: State.Repository, issue: State.Issue, boards: IssueBoards) => {
  const last = issue.edits.at(-1)
  return {
    id: State.nodeId("I", issue.id),
    number: issue.number,
    url: `${repositoryPage(world, repository)}/issues/${issue.number}`,
    title: issue.title,
    body: issue.body ?? "",
    state: issue.state.toUpperCase(),
    author: actorShape(world, issue.user),
    editor: last === undefined ? null : actorShape(world, last.by),
    lastEditedAt: State.timeOrNull(last?.at ?? null),
    createdAt: State.timestamp(issue.createdAt),
    updatedAt: State.timestamp(issue.updatedAt),
    labels: (page: Page) => connection(issue.labels, page, ({ id, name }) => ({ id: State.nodeId("LA", id), name })),
    timelineItems: ({ itemTypes, ...page }: Page & { readonly itemTypes?: ReadonlyArray<string> | null }) =>
      connection(
        issue.events.filter(({ event }) => itemTypes?.includes(kinds[event] ?? "") ?? event in kinds),
        page,
        (one) => eventShape(world, repository, boards, one)
      ),
    projectItems: (page: Page) => boards.projectItems(issue, page),
    // The newest is first, and the last one is the opening.
    userContentEdits: (page: Page) =>
      connection(
        issue.edits.length === 0 ? [] : [{ by: issue.user, at: issue.createdAt }, ...issue.edits].toReversed(),
        page,
        ({ at, by }) => ({
          id: State.nodeId("UCE", at),
          editedAt: State.timestamp(at),
          editor: actorShape(world, by)
        })
      )
  }
}
