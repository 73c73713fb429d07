import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { ReadAccess } from "./AccessApi.ts"
import * as Parameters from "./Parameters.ts"
import * as Refusal from "./OperationErrors.ts"

const unused = Schema.Null.annotations({ description: "Always null: teams have none." })
const at = Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } })
const listed = {
  id: Schema.UUID.annotations({ description: "Team id." }),
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  icon: unused,
  accent_color: unused,
  created_at: at,
  updated_at: Schema.NullOr(at)
}
const Board = Schema.Struct(listed).annotations({ identifier: "Board" })
const BoardDetail = Schema.Struct({
  ...listed,
  background_color: unused,
  layout_preference: Schema.Literal("kanban")
}).annotations({ identifier: "BoardDetail" })

export const Boards = Schema.Struct({ boards: Schema.Array(Board) })
export const OneBoard = Schema.Struct({ board: BoardDetail })

const list = <Name extends string>(name: Name, path: "/boards" | "/v1/boards") =>
  HttpApiEndpoint.get(name, path)
    .addSuccess(Boards)
    .annotate(OpenApi.Summary, "The workspace's teams in the shape of the first API version")
    .annotate(OpenApi.Deprecated, true)

/** The first version of this API served teams as boards. */
export class BoardsApi extends HttpApiGroup.make("boards")
  .add(list("listBoards", "/boards"))
  .add(list("listBoardsV1", "/v1/boards"))
  .add(
    HttpApiEndpoint.get("getBoard")`/boards/${Parameters.board}`
      .addSuccess(OneBoard)
      .addError(Refusal.BoardNotFound)
      .annotate(OpenApi.Summary, "One team in the shape of the first API version")
      .annotate(OpenApi.Deprecated, true)
  )
  .add(
    HttpApiEndpoint.get("getBoardV1")`/v1/boards/${Parameters.board}`
      .addSuccess(OneBoard)
      .addError(Refusal.BoardNotFound)
      .annotate(OpenApi.Summary, "One team in the shape of the first API version")
      .annotate(OpenApi.Deprecated, true)
  )
  .middleware(ReadAccess)
  .annotate(OpenApi.Description, "Legacy; /v1/teams replaces it.") {}
