import { Either } from "effect"
import { assert, describe, it } from "vitest"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import { setTeam, type TeamChange } from "../../../domain/workspace/SetTeam.ts"
import * as Sample from "../Sample.ts"

const tracker = { platform: "github", project: "acme/pay" } as const
const has = ["acme/pay", "/srv/pay.git"]
const web = "https://git.acme.test/web"
const bound = Sample.team(null, { repositories: has, trackerProject: tracker })
const set = (change: TeamChange) => setTeam(Sample.ana, change)({ now: Sample.now, team: bound })

describe("a team", () => {
  it.each([
    ["another repository", { repositories: [web] }, [web], tracker],
    ["a repository named twice", { repositories: [web, web, "acme/pay"] }, [web, "acme/pay"], tracker],
    ["a repository beside a path that it has", { repositories: ["/srv/pay.git", web] }, ["/srv/pay.git", web], tracker],
    ["no repository", { repositories: [] }, [], tracker]
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
    ["what it has", { repositories: has }, "TeamUnchanged"],
    ["nothing", {}, "TeamUnchanged"],
    ["an empty repository", { repositories: [""] }, "InvalidTeam"],
    ["a repository that has no address", { repositories: ["acme/web"] }, "InvalidTeam"],
    ["a path by a member", { repositories: ["/srv/web.git"] }, "InvalidTeam"]
  ] as const)("is refused %s", (_, change, tag) =>
    assert.strictEqual(Either.match(set(change), { onLeft: ({ _tag }) => _tag, onRight: () => "" }), tag)
  )

  it("gets a path by the operator alone", () => {
    const decide = setTeam(bySystem, { repositories: ["/srv/web.git"] })
    assert.isTrue(Either.isRight(decide({ now: Sample.now, team: bound })))
    const refused = Either.getOrThrow(Either.flip(set({ repositories: ["/srv/web.git"] })))
    assert.match(refused.message, /^repositories: is a path .* only the operator .* got '\/srv\/web.git'/)
  })
})
