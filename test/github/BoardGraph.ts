/** Boards as GraphQL shows them. */
import { GraphQLError } from "graphql"
import { isAtLeast } from "./Auth.ts"
import { addItem, boardPage, setField } from "./Boards.ts"
import { connection, type Page } from "./IssueGraph.ts"
import * as State from "./State.ts"
import type { World } from "./World.ts"

type Arguments = Readonly<Record<string, unknown>>

const typed = (type: string, message: string) => new GraphQLError(message, { extensions: { type } })

const missing = (id: unknown) => typed("NOT_FOUND", `Could not resolve to a node with the global id of '${String(id)}'`)

/** Rights of a token on a board: an App needs a permission of the organization, and no fine-grained token reaches the board of a person. */
const rightsOf = (token: State.Token, { members, owner }: State.Board): State.Level => {
  const isMember = members.has(token.user.login.toLowerCase()) || owner.id === token.user.id
  if (token.installation !== null)
    return token.installation.account.id === owner.id
      ? (token.permissions?.["organization_projects"] ?? "none")
      : "none"
  if (!isMember) return "none"
  if (token.permissions === null) return "write"
  return owner.type === "Organization" ? (token.permissions["organization_projects"] ?? "none") : "none"
}

const fieldShape = ({ id, name, options }: State.BoardField) => ({
  __typename: options === null ? "ProjectV2Field" : "ProjectV2SingleSelectField",
  id: State.nodeId("PVTF", id),
  name,
  ...(options !== null && { options: () => options })
})

const boardShape = (world: World, token: State.Token, board: State.Board) => ({
  id: State.nodeId("PVT", board.id),
  number: board.number,
  title: `Board ${board.number}`,
  url: boardPage(world, board),
  viewerCanUpdate: isAtLeast(rightsOf(token, board), "write"),
  field: ({ name }: Arguments) => {
    const field = board.fields.find((one) => one.name === name)
    return field === undefined ? null : fieldShape(field)
  }
})

const valueShape = (field: State.BoardField | undefined, item: State.BoardItem) => {
  const value = field && item.values.get(field.name)
  if (value === undefined) return null
  return {
    __typename: "ProjectV2ItemFieldSingleSelectValue",
    id: State.nodeId("PVTFSV", item.id),
    name: value.option,
    optionId: field?.options?.find(({ name }) => name === value.option)?.id,
    updatedAt: State.timestamp(value.at)
  }
}

/** Boards as the holder of a token sees them. */
export const boardView = (world: World, token: State.Token) => {
  const scoped = (needs: string) => {
    const { scopes } = token
    if (scopes === undefined || scopes.includes("project") || (needs === "read:project" && scopes.includes(needs)))
      return
    throw typed(
      "INSUFFICIENT_SCOPES",
      `Your token has not been granted the required scopes to execute this query. The 'projectV2' field requires one of the following scopes: ['${needs}'].`
    )
  }
  const seen = (board: State.Board) => isAtLeast(rightsOf(token, board), "read")
  const itemShape = (board: State.Board, item: State.BoardItem) => ({
    id: State.nodeId("PVTI", item.id),
    isArchived: item.isArchived,
    project: boardShape(world, token, board),
    fieldValueByName: ({ name }: Arguments) =>
      valueShape(
        board.fields.find((one) => one.name === name),
        item
      )
  })
  const board = (login: string, number: unknown) => {
    scoped("read:project")
    const found = world.boards.find((one) => one.owner.login.toLowerCase() === login && one.number === number)
    if (found !== undefined && seen(found)) return boardShape(world, token, found)
    if (found !== undefined && token.installation !== null && found.owner.id === token.installation.account.id)
      throw typed("FORBIDDEN", "Resource not accessible by integration")
    throw typed("NOT_FOUND", `Could not resolve to a ProjectV2 with the number ${String(number)}.`)
  }
  /** The board and item of a mutation, which the token may change. */
  const meant = (input: Arguments) => {
    scoped("project")
    const found = world.boards.find(({ id }) => State.nodeId("PVT", id) === input["projectId"])
    if (found === undefined || !seen(found)) throw missing(input["projectId"])
    if (!isAtLeast(rightsOf(token, found), "write")) throw typed("FORBIDDEN", "Resource not accessible by integration")
    return found
  }
  const meantItem = (input: Arguments) => {
    const found = meant(input)
    const item = found.items.find(({ id }) => State.nodeId("PVTI", id) === input["itemId"])
    if (item === undefined) throw missing(input["itemId"])
    return { board: found, item }
  }
  const act = { world, user: token.user, app: token.installation?.app ?? null }
  const change = (input: Arguments, option: (field: State.BoardField) => string | null) => {
    const { board: found, item } = meantItem(input)
    const field = found.fields.find(({ id }) => State.nodeId("PVTF", id) === input["fieldId"])
    if (field === undefined) throw missing(input["fieldId"])
    if (item.isArchived) throw typed("UNPROCESSABLE", "The item is archived and cannot be updated")
    setField(act, found, item, field.name, option(field))
    return { clientMutationId: input["clientMutationId"] ?? null, projectV2Item: itemShape(found, item) }
  }
  return {
    issue: {
      projectItems: (issue: State.Issue, { includeArchived, ...page }: Page & { readonly includeArchived?: boolean }) =>
        connection(
          world.boards
            .filter(seen)
            .flatMap((one) => one.items.filter((item) => item.issue === issue).map((item) => ({ one, item })))
            .filter(({ item }) => includeArchived !== false || !item.isArchived),
          page,
          ({ item, one }) => itemShape(one, item)
        ),
      project: (id: unknown) => {
        const found = world.boards.find((one) => one.id === id)
        return found !== undefined && seen(found) ? boardShape(world, token, found) : null
      }
    },
    root: {
      repositoryOwner: ({ login }: Arguments) => {
        const user = world.users.get(String(login).toLowerCase())
        if (user === undefined || user.type === "Bot") return null
        return {
          __typename: user.type,
          id: State.nodeId("O", user.id),
          login: user.login,
          projectV2: ({ number }: Arguments) => board(user.login.toLowerCase(), number)
        }
      },
      addProjectV2ItemById: ({ input }: { readonly input: Arguments }) => {
        const found = meant(input)
        const issue = [...world.repositories.values()]
          .flatMap(({ issues }) => issues)
          .find(({ id }) => State.nodeId("I", id) === input["contentId"])
        if (issue === undefined) throw missing(input["contentId"])
        return { clientMutationId: null, item: itemShape(found, addItem(world, found, issue)) }
      },
      unarchiveProjectV2Item: ({ input }: { readonly input: Arguments }) => {
        const { board: found, item } = meantItem(input)
        item.isArchived = false
        return { clientMutationId: null, item: itemShape(found, item) }
      },
      updateProjectV2ItemFieldValue: ({ input }: { readonly input: Arguments }) =>
        change(input, ({ options }) => {
          const { singleSelectOptionId } = input["value"] as Arguments
          const option = options?.find(({ id }) => id === singleSelectOptionId)
          if (option === undefined)
            throw typed("UNPROCESSABLE", "The single select option Id does not belong to the field")
          return option.name
        }),
      clearProjectV2ItemFieldValue: ({ input }: { readonly input: Arguments }) => change(input, () => null)
    }
  }
}
