import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"
import { Effect, Schema } from "effect"
import * as Json from "../../../application/ports/Json.ts"
import { TeamStore } from "../../../application/ports/TeamStore.ts"
import { TeamView } from "../../../domain/workspace/Team.ts"
import { format, formatOrNull } from "../../../domain/value/Timestamp.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { Caller } from "../../api/AccessApi.ts"
import { Api } from "../../api/Api.ts"
import { type Boards, type OneBoard } from "../../api/BoardsApi.ts"
import { BoardNotFound } from "../../api/HttpErrors.ts"
import * as Responses from "./Responses.ts"

const decode = Json.decoder(Schema.Array(TeamView))

/** Date of the deprecation, as a Unix time. */
const legacy = { deprecation: "@1767225600", link: '</v1/teams>; rel="successor-version"' }

const boardOf = (team: TeamView): (typeof Boards.Type)["boards"][number] => ({
  id: team.id,
  name: team.name,
  description: team.description,
  icon: null,
  accent_color: null,
  created_at: format(team.createdAt),
  updated_at: formatOrNull(team.updatedAt)
})

export const layer = HttpApiBuilder.group(Api, "boards", (handlers) =>
  Effect.gen(function* () {
    const teams = yield* TeamStore
    const read = (workspace: WorkspaceId) => Effect.map(teams.list(workspace), (all) => decode(all).map(boardOf))

    const list = Effect.gen(function* () {
      const { workspace } = yield* Caller
      return Responses.json(JSON.stringify({ boards: yield* read(workspace) } satisfies typeof Boards.Type), legacy)
    })
    const get = ({
      path,
      request
    }: {
      readonly path: { readonly board: string }
      readonly request: HttpServerRequest
    }) =>
      Effect.gen(function* () {
        const { workspace } = yield* Caller
        const found = (yield* read(workspace)).find((board) => board.id === path.board.toLowerCase())
        if (found === undefined) return yield* new BoardNotFound({ board: path.board })
        const board = { ...found, background_color: null, layout_preference: "kanban" as const }
        return Responses.resource(JSON.stringify({ board } satisfies typeof OneBoard.Type), request.headers, legacy)
      })
    return handlers
      .handle("listBoards", () => list)
      .handle("listBoardsV1", () => list)
      .handle("getBoard", get)
      .handle("getBoardV1", get)
  })
)
