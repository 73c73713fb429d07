import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Cause, Effect, Option, Schema } from "effect"
import { parseKey } from "../../../domain/value/IncidentKey.ts"
import { WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { misrouted, refused } from "../server/JsonErrors.ts"
import { acceptsHtml, type Application, pathOf } from "../server/Host.ts"
import { Exchange } from "../server/RequestNotes.ts"
import { errorPage, home, incidentPage } from "./HomePage.ts"

const slugOf = Schema.decodeOption(WorkspaceSlug)

/** The page at a path. A command to copy shows only a slug and a key; any other text has no page. */
const pageAt = (path: string): Option.Option<string> => {
  const [first, slug = "", key = "", ...rest] = path.slice(1).split("/")
  if (path === "/") return Option.some(home)
  if (first !== "incidents" || rest.length > 0) return Option.none()
  return Option.map(Option.all([slugOf(slug), parseKey(key)]), ([workspace, incident]) =>
    incidentPage(workspace, incident)
  )
}

/** Pages for people, open to everybody. A browser gets errors as pages, every other client as the API's JSON. */
export const web: Application<never> = {
  segments: ["", "incidents"],
  app: Effect.gen(function* () {
    const { headers, method, url } = yield* HttpServerRequest.HttpServerRequest
    const path = pathOf(url)
    const page = pageAt(path)
    const wrong = misrouted(Option.isSome(page) ? ["GET", "HEAD"] : [], method, path)
    if (wrong === null) return HttpServerResponse.html(Option.getOrElse(page, () => ""))
    const response = yield* refused(Cause.fail(wrong), yield* Exchange, method, path)
    return acceptsHtml(headers["accept"])
      ? HttpServerResponse.setStatus(HttpServerResponse.html(errorPage(response.status)), response.status)
      : response
  })
}
