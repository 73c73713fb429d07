/** Projects (v2) of organizations and people: boards whose fields show the status of issues. */
import type { Act } from "./Issues.ts"
import type * as State from "./State.ts"
import { addUser, type World } from "./World.ts"

export const boardPage = (world: World, { number, owner }: State.Board) =>
  `${world.origin}/${owner.type === "Organization" ? "orgs" : "users"}/${owner.login}/projects/${number}`

/** A board with the field Status and a field of text. */
export const addBoard = (
  world: World,
  owner: string,
  options: ReadonlyArray<string>,
  type: "User" | "Organization" = "Organization"
): State.Board => {
  const number = [...world.boards].filter((one) => one.owner.login === owner).length + 1
  const board: State.Board = {
    id: world.nextId(),
    owner: addUser(world, owner, type),
    number,
    fields: [
      { id: world.nextId(), name: "Status", options: options.map((name) => ({ id: `o${world.nextId()}`, name })) },
      { id: world.nextId(), name: "Notes", options: null }
    ],
    members: new Set(["ana"]),
    items: [],
    records: true
  }
  world.boards.push(board)
  return board
}

export const itemOf = (board: State.Board, issue: State.Issue) => board.items.find((one) => one.issue === issue)

/** The item of an issue, which is added when it is new. */
export const addItem = (world: World, board: State.Board, issue: State.Issue): State.BoardItem => {
  const known = itemOf(board, issue)
  if (known !== undefined) return known
  const item: State.BoardItem = { id: world.nextId(), issue, isArchived: false, values: new Map() }
  board.items.push(item)
  return item
}

/** Sets a field of an issue; null clears it. The issue itself is not touched, and only changes of the status are recorded. */
export const setField = (
  { app, user, world }: Pick<Act, "app" | "user" | "world">,
  board: State.Board,
  item: State.BoardItem,
  name: string,
  option: string | null
) => {
  const now = world.clock.now()
  const before = item.values.get(name)?.option ?? ""
  if (option === null) item.values.delete(name)
  else item.values.set(name, { option, at: now })
  if (name !== "Status" || !board.records || before === (option ?? "")) return
  item.issue.events.push({
    id: world.nextId(),
    actor: user,
    app,
    event: "project_v2_item_status_changed",
    createdAt: now,
    more: { board: board.id, status: option ?? "", previousStatus: before }
  })
}

/** Moves an issue to a status, as people do on the page of the board. */
export const moveIssue = (act: Act, board: State.Board, issue: State.Issue, status: string | null) =>
  setField(act, board, addItem(act.world, board, issue), "Status", status)

export const removeItem = (board: State.Board, issue: State.Issue) => {
  const item = itemOf(board, issue)
  if (item !== undefined) board.items.splice(board.items.indexOf(item), 1)
}
