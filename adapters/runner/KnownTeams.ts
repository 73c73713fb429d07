import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Effect, Redacted, Schema } from "effect"
import type { RunnerSettings } from "../RunnerSettings.ts"
import type { Say } from "./Output.ts"

const TeamList = Schema.Struct({ data: Schema.Array(Schema.Struct({ slug: Schema.String })) })

const listed = (url: string, key: Redacted.Redacted) =>
  HttpClientRequest.get(`${url}/v1/teams`).pipe(
    HttpClientRequest.bearerToken(Redacted.value(key)),
    HttpClient.execute,
    Effect.flatMap(HttpClientResponse.filterStatusOk),
    Effect.flatMap(HttpClientResponse.schemaBodyJson(TeamList)),
    Effect.timeout("15 seconds"),
    Effect.map(({ data }) => data.map(({ slug }) => slug))
  )

/** Warns of teams in RUNNER_TEAMS that the workspace does not have; they may be created later. */
export const warnOfUnknown = Effect.fn("KnownTeams.warnOfUnknown")(function* (
  { teams, url }: Pick<RunnerSettings, "teams" | "url">,
  key: Redacted.Redacted,
  say: Say
) {
  const known = yield* Effect.option(listed(url, key))
  if (known._tag === "None")
    return yield* say(
      "teams_unchecked",
      "RUNNER_TEAMS is not compared with the teams of the workspace, since the token may not read them"
    )
  const unknown = teams.filter((team) => !known.value.includes(team))
  if (unknown.length > 0)
    yield* say(
      "unknown_teams",
      `RUNNER_TEAMS names ${unknown.join(", ")}, which the workspace does not have. Its teams: ${known.value.join(", ") || "none"}`,
      { teams: unknown }
    )
})
