import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "vitest"
import { PullRequestStore } from "../../application/ports/codehost/PullRequestStore.ts"
import { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import * as Json from "../../application/ports/Json.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Runs from "../../application/work/Runs.ts"
import type { Kind } from "../../domain/work/Decision.ts"
import { RunView } from "../../domain/work/Run.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import { runnerHome } from "../runner/Rig.ts"
import { ownPort } from "../support/Port.ts"
import { eventually } from "../support/Process.ts"
import * as Seed from "../support/Seed.ts"
import { agent, killAt, live, type Moment, pending, runnerOf, team, until } from "./LiveGitHub.ts"

const decodeRun = Json.decoder(RunView)

/**
 * From Ready to merged, red, and reverted: a real service, runner and git, and a GitHub of our own. At each moment the
 * service is killed and started again.
 */
export const way = (moments: ReadonlyArray<Moment>) =>
  Effect.gen(function* () {
    const { at, hub, serve, workspace } = yield* live
    const { repository, server } = hub
    const home = runnerHome()
    const own = { PORT: String(yield* Effect.promise(ownPort)) }
    let { service, url } = yield* Effect.promise(() => serve(own))
    let kills = 0
    killAt(server, moments, async () => {
      kills++
      service.signal("SIGKILL")
      await at.gone(service)
      ;({ service, url } = await serve(own))
    })
    const { connection, id, person, slug } = yield* Effect.promise(() =>
      workspace({
        team: { policy: { preset: "autonomous", executor: "custom", mergePolicy: "manual" } },
        stories: [{ key: "PAY-1", team, title: "Round the fees", column: { role: "ready" } }]
      })
    )
    const { value } = yield* Effect.promise(() => at.run(Seed.token(slug)))
    const runner = runnerOf(at, url, value, "github-way", { RUNNER_DIR: home, RUNNER_CUSTOM_COMMAND: agent })
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        runner.signal("SIGKILL")
        service.signal("SIGKILL")
        rmSync(home, { recursive: true, force: true })
      })
    )

    const programs = () => [service, runner]
    const hint = () =>
      at.run(Effect.flatMap(ConnectionStore, (store) => store.receive(id, connection.id, crypto.randomUUID(), true)))
    const answer = (kind: Kind, optionId: string) =>
      Effect.flatMap(
        until(`the ${kind}`, programs, () => pending(at, id, kind)),
        ({ key }) =>
          Effect.promise(() =>
            at.run(Decisions.answer(person, { decision: key, optionId, note: null, idempotency: null }))
          )
      )

    const { run } = yield* Effect.promise(() => at.run(Runs.start(person, "PAY-1" as StoryKey)))
    yield* answer("merge_approval", "merge")
    yield* until("the end of the run", programs, async () => {
      const view = decodeRun(await at.run(Effect.flatMap(RunStore, (store) => store.get(id, run.key))))
      return view.status === "succeeded" ? view : undefined
    })
    const merge = repository.head("main")
    yield* hub.ana("POST", `/statuses/${merge}`, { state: "failure", context: "ci" })
    yield* Effect.promise(hint)
    yield* answer("revert_approval", "open_revert")
    const revert = yield* until("the revert", programs, async () => {
      const found = await at.run(Effect.flatMap(PullRequestStore, (store) => store.opened(id, hub.address)))
      return found[0]
    })
    yield* Effect.promise(() =>
      eventually(
        () => `${kills} kills of ${moments.length}`,
        () => (kills === moments.length ? true : undefined)
      )
    )

    assert.strictEqual(server.moods.waiting(), 0)
    assert.strictEqual(repository.git("rev-list", "--count", "--merges", "main"), "1")
    const pulls = hub.kept.issues.filter((issue) => "pull" in issue)
    assert.deepStrictEqual(
      pulls.map(({ number }) => number),
      [pulls[0]?.number, revert.hostNumber]
    )
    assert.deepStrictEqual(
      hub.kept.checkRuns.map(({ conclusion, name }) => [name, conclusion]),
      [["gatehouse", "success"]]
    )
    assert.strictEqual(repository.file(revert.head, "README.md"), "Pay")
    assert.deepStrictEqual(server.violations, [])
    const tokens = [...server.world.tokens.values()].filter(({ installation }) => installation !== null)
    const pushing = tokens.filter(({ permissions }) => permissions?.["pull_requests"] === undefined)
    assert.isNotEmpty(pushing)
    for (const one of pushing) {
      assert.deepStrictEqual(one.permissions, { metadata: "read", contents: "write" })
      assert.deepStrictEqual([...(one.repositories ?? [])], [hub.kept.id])
    }
    // Neither the agent, any output nor a file of the runner has a credential.
    const forms = tokens.flatMap(({ value: text }) => [text, Buffer.from(`x-access-token:${text}`).toString("base64")])
    const texts = [repository.file("main", "seen.txt"), service.err(), service.out(), runner.out(), runner.err()]
    for (const text of texts) for (const form of [value, ...forms]) assert.notInclude(text, form)
    const patterns = join(tmpdir(), `gatehouse-test-patterns-${process.pid}`)
    writeFileSync(patterns, forms.join("\n"))
    assert.strictEqual(spawnSync("grep", ["-rlsaF", "-f", patterns, home], { encoding: "utf8" }).stdout, "")
    rmSync(patterns)
    return { kills }
  }).pipe(Effect.scoped)
