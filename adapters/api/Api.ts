import * as HttpApi from "@effect/platform/HttpApi"
import { AuditApi } from "./AuditApi.ts"
import { BoardsApi } from "./BoardsApi.ts"
import { DecisionsApi } from "./DecisionsApi.ts"
import * as Description from "./openapi/Description.ts"
import { RunsApi } from "./RunsApi.ts"
import { SignalsApi } from "./SignalsApi.ts"
import { StoriesApi } from "./StoriesApi.ts"
import { SystemApi } from "./SystemApi.ts"
import { TeamsApi } from "./TeamsApi.ts"

export class Api extends HttpApi.make("gatehouse")
  .add(TeamsApi)
  .add(StoriesApi)
  .add(RunsApi)
  .add(DecisionsApi)
  .add(AuditApi)
  .add(SignalsApi)
  .add(BoardsApi)
  .add(SystemApi)
  .annotateContext(Description.annotations) {}
