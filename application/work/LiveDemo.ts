import { Effect } from "effect"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as SetTeam from "../../domain/workspace/SetTeam.ts"
import type { Person } from "../workspace/Authorization.ts"
import * as Tokens from "../workspace/Tokens.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { TeamStore } from "../ports/TeamStore.ts"
import * as Import from "./Import.ts"
import * as Runs from "./Runs.ts"
import * as Stories from "./Stories.ts"

export const team = "live" as TeamSlug

const document = (repository: string) => ({
  teams: [
    {
      slug: team,
      name: "Live demo",
      keyPrefix: "LIVE",
      policy: { preset: "standard", executor: "custom", planApproval: "always" },
      repositories: [repository]
    }
  ]
})

const story = {
  team,
  title: "Greet people by name",
  description: "`greet.sh` says the same to everybody. It should say the name that it is given.",
  acceptanceCriteria: ["greet.sh Ana prints Hello, Ana!"],
  demonstrate: ["Run sh greet.sh Ana"],
  testPlan: "sh test.sh",
  size: "s",
  column: "ready",
  draft: false
} as const

/** Prepares a team with a repository, a story that is ready, its run, and a token for a runner. */
export const prepare = Effect.fn("LiveDemo.prepare")(function* (person: Person, repository: string) {
  const teams = yield* TeamStore
  yield* teams.get(person.workspace, team).pipe(
    Effect.zipRight(teams.change(person.workspace, team, SetTeam.setTeam(bySystem, { repositories: [repository] }))),
    Effect.catchTags({
      TeamUnchanged: () => Effect.void,
      TeamNotFound: () => Import.write(bySystem, person.workspaceSlug, document(repository), {})
    })
  )
  const { key } = yield* Stories.create(person, story)
  const { run } = yield* Runs.start(person, key)
  const { prefix, token } = yield* Tokens.create(bySystem, {
    workspace: person.workspaceSlug,
    member: "owner@demo.test",
    name: "live demo",
    permissions: ["read"],
    lifetime: "30d"
  })
  return { story: key, run: run.key, token, prefix }
})
