import { Either } from "effect"
import { assert, describe, it } from "vitest"
import { setTeam, type TeamChange } from "../../../domain/workspace/SetTeam.ts"
import * as Sample from "../Sample.ts"

const tracker = { platform: "github", project: "acme/pay" } as const
const bound = Sample.team(null, { repositories: ["acme/pay"], trackerProject: tracker })
const set = (change: TeamChange) => setTeam(Sample.ana, change)({ now: Sample.now, team: bound })

describe("a team", () => {
  it.each([
    ["another repository", { repositories: ["acme/web"] }, ["acme/web"], tracker],
    ["a repository named twice", { repositories: ["a", "a", "b"] }, ["a", "b"], tracker],
    ["no repository", { repositories: [] }, [], tracker],
    [
      "another tracker",
      { trackerProject: { platform: "jira", project: "PAY" } },
      ["acme/pay"],
      { platform: "jira", project: "PAY" }
    ],
    ["no tracker", { trackerProject: null }, ["acme/pay"], null]
  ] as const)("gets %s and keeps the rest", (_, change, repositories, trackerProject) => {
    const { answer, change: written } = Either.getOrThrow(set(change))
    const team = Either.getOrThrow(answer)
    assert.deepStrictEqual([team.repositories, team.trackerProject], [repositories, trackerProject])
    assert.deepStrictEqual([team.updatedAt, team.name], [Sample.now, bound.name])
    const [fact] = written.audit
    assert.deepStrictEqual([fact.event, fact.team], ["team_changed", bound.slug])
    assert.deepStrictEqual(Object.keys(Object(fact.details["after"])), Object.keys(change))
  })

  it.each([
    ["what it has", { repositories: ["acme/pay"], trackerProject: tracker }, "TeamUnchanged"],
    ["nothing", {}, "TeamUnchanged"],
    ["an empty repository", { repositories: [""] }, "InvalidTeam"],
    ["a project without a name", { trackerProject: { platform: "jira", project: "" } }, "InvalidTeam"]
  ] as const)("is refused %s", (_, change, tag) =>
    assert.strictEqual(Either.match(set(change), { onLeft: ({ _tag }) => _tag, onRight: () => "" }), tag)
  )
})
