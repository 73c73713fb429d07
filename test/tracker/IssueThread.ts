import { Effect } from "effect"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import { usualMapping } from "../../domain/tracker/Mapping.ts"
import type { Kind } from "../../domain/work/Decision.ts"
import { agent, bindTo, killAt, live, type Moment, pending, runnerOf, until } from "../codehost/LiveGitHub.ts"
import { runnerHome } from "../runner/Rig.ts"
import * as Seed from "../support/Seed.ts"
import { session } from "../support/Sessions.ts"
import { browser } from "../web/Visiting.ts"

/** Course of a thread. */
export interface Course {
  /** Requests of which GitHub has one when an instance is killed. */
  readonly killedAt?: ReadonlyArray<string>
  /** Prefix of the story's key. */
  readonly prefix?: string
  readonly policy?: object
  /** Settings of the runner for its agents. */
  readonly runner?: (home: string) => Readonly<Record<string, string>>
  /** Answers of people, in turn: the kind of the decision, the option and a note. */
  readonly answers?: ReadonlyArray<readonly [Kind, string, string]>
  /** Words of the agent that the comment shows. */
  readonly words?: string
}

/**
 * From an issue that is labelled ready to its close: two instances of the service, a runner with an agent, git, and a
 * GitHub of our own. One instance is killed when GitHub has the request, and another one takes its place.
 */
export const thread = ({
  answers = [
    ["plan_approval", "approve_plan", ""],
    ["merge_approval", "merge", ""]
  ],
  killedAt = [],
  policy: given = { executor: "custom", planApproval: "always" },
  prefix = "PAY",
  runner: agents = () => ({ RUNNER_CUSTOM_COMMAND: agent }),
  words = "Write a file."
}: Course) =>
  Effect.gen(function* () {
    const { at, hub, serve, workspace } = yield* live
    const { repository, server } = hub
    const home = runnerHome()
    const first = yield* Effect.promise(() => serve())
    let other = yield* Effect.promise(() => serve())
    let kills = 0
    const moments = killedAt.map((operation): Moment => [operation, "after"])
    killAt(server, moments, async () => {
      other.service.signal("SIGKILL")
      await at.gone(other.service)
      other = await serve()
      kills++
    })
    const policy = { preset: "autonomous", mergePolicy: "manual", ...given }
    const { id, person, slug } = yield* Effect.promise(() => workspace({ team: { keyPrefix: prefix, policy } }))
    yield* Effect.promise(() => at.run(bindTo(id, person, "github", usualMapping)))
    const { value } = yield* Effect.promise(() => at.run(Seed.token(slug)))
    const runner = runnerOf(at, first.url, value, "issue-thread", { RUNNER_DIR: join(home, "runner"), ...agents(home) })
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        for (const program of [runner, first.service, other.service]) program.signal("SIGKILL")
        rmSync(home, { recursive: true, force: true })
      })
    )
    const programs = () => [first.service, other.service, runner]
    const member = browser(first.url, `gatehouse=${yield* Effect.promise(() => at.run(session(slug, "member")))}`)
    const answer = (kind: Kind, option: string, note: string) =>
      Effect.gen(function* () {
        const { key } = yield* until(`the ${kind}`, programs, () => pending(at, id, kind))
        const { status, text } = yield* Effect.promise(() => member.post(`/${slug}/decisions/${key}`, { option, note }))
        assert.oneOf(status, [200, 303], text)
        return key
      })

    const body = "Fees are cut.\n\n## Acceptance criteria\n\n- [ ] Fees are rounded\n\n## Demonstrate\n\n1. Pay 10"
    yield* hub.ana("POST", "/issues", { title: "Round the fees", body, labels: ["ready"] })
    const keys = yield* Effect.forEach(answers, (one) => answer(...one))
    const issue = yield* until("the closed issue", programs, async () => {
      const found = hub.kept.issues.find((one) => one.pull === null && one.title === "Round the fees")
      const comment = found?.comments[0]?.body ?? ""
      return found?.state === "closed" && comment.includes("is done") ? found : undefined
    })
    // GitHub holds its answer back for the kill, and the last comment may be the first one.
    yield* until("the kills", programs, async () => (kills === killedAt.length ? true : undefined))
    assert.strictEqual(issue.stateReason, "completed")
    assert.strictEqual(issue.comments.length, 1)
    const [comment] = issue.comments
    for (const part of [...keys, "/pull/", words]) assert.include(comment?.body, part)
    assert.strictEqual(issue.body, body)
    assert.strictEqual(repository.git("rev-list", "--count", "--merges", "main"), "1")
    assert.deepStrictEqual(server.violations, [])
  }).pipe(Effect.scoped)
