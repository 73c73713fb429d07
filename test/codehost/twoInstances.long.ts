import { Effect, Redacted } from "effect"
import { assert, it } from "vitest"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import * as Runs from "../../application/work/Runs.ts"
import { usualMapping } from "../../domain/tracker/Mapping.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { bindTo, live, team, until } from "./LiveGitHub.ts"

const letters = ["a", "b", "c", "d", "e", "f", "g", "h"]
const keyOf = (letter: string) => `run-${letter.repeat(4)}` as RunKey

it(`${letters.length} changes and ${letters.length} issues over two instances, with webhooks to both and polls at once: each is opened, merged and commented on once`, async ({
  task
}) => {
  const figures = await Effect.gen(function* () {
    const { at, hub, serve, workspace } = yield* live
    const { kept, repository, server } = hub
    const instances = yield* Effect.promise(() => Promise.all([serve(), serve()]))
    const programs = () => instances.map(({ service }) => service)
    const { connection, id, person, webhookSecret } = yield* Effect.promise(() =>
      workspace({
        team: { policy: { preset: "autonomous", mergePolicy: "verified", maxConcurrency: 20 } },
        stories: letters.map((letter, index) => ({
          key: `PAY-${index + 1}`,
          team,
          title: `Change ${letter}`,
          column: { role: "in_progress" }
        })),
        runs: letters.map((letter, index) => ({
          key: keyOf(letter),
          story: `PAY-${index + 1}`,
          status: "running",
          stage: "verifying",
          startedAt: "2026-01-01T00:00:00Z"
        }))
      })
    )
    for (const { url } of instances)
      kept.hooks.push({
        id: server.world.nextId(),
        url: `${url}/hooks/github/${connection.token}`,
        secret: Redacted.value(webhookSecret),
        events: null
      })
    yield* Effect.promise(() => at.run(bindTo(id, person, "github", usualMapping)))
    yield* Effect.forEach(letters, (letter) =>
      hub.ana("POST", "/issues", { title: `Issue ${letter}`, body: "Text.", labels: ["ready"] })
    )
    const handedOff = letters.map((letter) => {
      const branch = `gatehouse/PAY-${letters.indexOf(letter) + 1}-${keyOf(letter)}`
      const head = repository.commit(branch, { [`${letter}.txt`]: letter }, { from: "main", message: letter })
      return { branch, head, letter }
    })
    yield* Effect.promise(() =>
      Promise.all(
        handedOff.map(({ branch, head, letter }) =>
          at.run(
            Runs.report({ workspace: id }, keyOf(letter), [
              {
                type: "handed_off",
                repository: hub.address,
                branch,
                head,
                base: "main",
                title: `Change ${letter}`,
                summary: "All gates passed."
              }
            ])
          )
        )
      )
    )
    const issues = () => kept.issues.filter((issue) => issue.pull === null)
    const merges = () => Number(repository.git("rev-list", "--count", "--merges", "main"))
    yield* until("the merges and comments", programs, async () =>
      merges() >= letters.length && issues().every(({ comments }) => comments.length > 0) ? true : undefined
    )
    // Acts of people go on, and raise webhooks to both, while nothing is left to do.
    for (const { number } of issues()) yield* hub.ana("POST", `/issues/${number}/comments`, { body: "Thanks." })
    yield* until("the webhooks", programs, async () =>
      server.world.deliveries.every(({ status }) => status === 202) ? true : undefined
    )
    yield* until("the end of all writes", programs, async () => {
      const [bound] = await at.run(Effect.flatMap(TrackerStore, (store) => store.list(id)))
      return bound?.unwritten === 0 ? true : undefined
    })
    const own = (body: string) => body !== "Thanks."
    assert.deepStrictEqual(
      {
        merges: merges(),
        opened: server.count("pulls/create"),
        checks: server.count("checks/create"),
        comments: server.count("issues/create-comment"),
        commentsOfIssues: issues().map(({ comments }) => comments.filter(({ body }) => own(body)).length)
      },
      {
        merges: letters.length,
        opened: letters.length,
        checks: letters.length,
        comments: 2 * letters.length,
        commentsOfIssues: letters.map(() => 1)
      }
    )
    assert.deepStrictEqual(server.violations, [])
    const merged = server.count("pulls/merge")
    return `${letters.length} pull requests and ${letters.length} issues, ${server.world.deliveries.length} webhooks, ${merged} merge calls`
  }).pipe(Effect.scoped, Effect.runPromise)
  task.meta.figures = figures
}, 900_000)
