import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "vitest"
import * as Connections from "../../application/codehost/Connections.ts"
import { PullRequestStore } from "../../application/ports/codehost/PullRequestStore.ts"
import { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import * as Json from "../../application/ports/Json.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Runs from "../../application/work/Runs.ts"
import { DecisionView, type Kind } from "../../domain/work/Decision.ts"
import { RunView } from "../../domain/work/Run.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import { certificate } from "../runner/GitServer.ts"
import { runnerHome } from "../runner/Rig.ts"
import { station } from "../signals/Station.ts"
import * as People from "../support/People.ts"
import { eventually, type Program } from "../support/Process.ts"
import * as Seed from "../support/Seed.ts"
import { gitHub } from "./GitHubPlace.ts"

const agent = `cat > /dev/null
case "$GATEHOUSE_STEP" in
plan) echo "Write a file." ;;
spec) mkdir -p ".kanman/acceptance/$GATEHOUSE_STORY"
  printf '#!/bin/sh\\ntest -f done.txt\\n' > ".kanman/acceptance/$GATEHOUSE_STORY/check"
  chmod +x ".kanman/acceptance/$GATEHOUSE_STORY/check" ;;
*) echo "$GATEHOUSE_RUN" > done.txt; env > seen.txt ;;
esac`

/** A moment at which the service is killed: when GitHub has this request, before or after its effect. */
export type Moment = readonly [operation: string, when: "before" | "after"]

const decodeRun = Json.decoder(RunView)
const decodeDecision = Json.decoder(DecisionView)

/**
 * From Ready to merged, red, and reverted: a real service, runner and git, and a GitHub of our own. At each moment the
 * service is killed and started again.
 */
export const way = (moments: ReadonlyArray<Moment>) =>
  Effect.gen(function* () {
    const hub = yield* gitHub("app")
    const { repository, server } = hub
    repository.commit("main", {
      ".kanman/gates.json": JSON.stringify({ gates: [{ name: "test", command: ["sh", "-c", "test -f done.txt"] }] })
    })
    const home = runnerHome()
    const at = yield* Effect.acquireRelease(
      Effect.promise(() => station()),
      (one) => Effect.promise(() => one.close())
    )
    const settings = {
      DEMO: "off",
      NODE_EXTRA_CA_CERTS: certificate,
      OUTGOING_ALLOW: "127.0.0.0/8, ::1/128"
    }
    let { service, url } = yield* Effect.promise(() => at.serve(settings))
    const port = new URL(url).port
    let kills = 0
    const killed = async () => {
      kills++
      service.signal("SIGKILL")
      await at.gone(service)
      ;({ service, url } = await at.serve({ ...settings, PORT: port }))
    }
    for (const [operation, when] of moments) {
      let end: () => void = () => {}
      const until = new Promise<void>((resolve) => (end = resolve))
      let isMet = false
      server.moods.next(
        (request) => {
          if (request.operation !== operation || isMet) return false
          isMet = true
          setTimeout(() => void killed().then(end), when === "after" ? 300 : 0)
          return true
        },
        when === "after" ? { kind: "late", until } : { kind: "cut" }
      )
    }
    const { id, slug } = yield* Effect.promise(() => at.run(Seed.workspace))
    yield* Effect.promise(() =>
      at.run(
        Seed.load(slug, {
          teams: [
            {
              slug: "payments",
              name: "Payments",
              keyPrefix: "PAY",
              policy: { preset: "autonomous", executor: "custom", mergePolicy: "manual" },
              repositories: [hub.address]
            }
          ],
          stories: [{ key: "PAY-1", team: "payments", title: "Round the fees", column: { role: "ready" } }]
        })
      )
    )
    const person = yield* Effect.promise(() => at.run(People.person(slug)))
    const { connection } = yield* Effect.promise(() =>
      at.run(
        Connections.create(person, {
          name: "github",
          kind: "github",
          baseUrl: server.origin,
          secret: hub.access.credentials.secret,
          installation: hub.access.connection.installation,
          webhookSecret: null
        })
      )
    )
    const { value } = yield* Effect.promise(() => at.run(Seed.token(slug)))
    const runner: Program = at.launch(process.execPath, ["dist/main.js", "runner"], {
      SERVICE_URL: url,
      SERVICE_API_KEY: value,
      RUNNER_NAME: "github-way",
      RUNNER_DIR: home,
      RUNNER_CUSTOM_COMMAND: agent,
      GIT_SSL_CAINFO: certificate
    })
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        runner.signal("SIGKILL")
        service.signal("SIGKILL")
        rmSync(home, { recursive: true, force: true })
      })
    )

    const until = <A>(what: string, look: () => Promise<A | undefined>) =>
      Effect.promise(async () => {
        const deadline = performance.now() + 600_000
        for (;;) {
          const found = await look()
          if (found !== undefined) return found
          if (performance.now() > deadline) throw new Error(`${what}: ${service.err()}${runner.out()}${runner.err()}`)
          await new Promise((resolve) => setTimeout(resolve, 200))
        }
      })
    const hint = () =>
      at.run(Effect.flatMap(ConnectionStore, (store) => store.receive(id, connection.id, crypto.randomUUID(), true)))
    const pending = async (kind: Kind) => {
      const filter = { status: "pending", team: null, run: null } as const
      const { items } = await at.run(
        Effect.flatMap(DecisionStore, (store) => store.page(id, filter, { limit: 10, before: null }))
      )
      return Json.each(items)
        .map(decodeDecision)
        .find((one) => one.kind === kind)
    }
    const answer = (kind: Kind, optionId: string) =>
      Effect.flatMap(
        until(`the ${kind}`, () => pending(kind)),
        ({ key }) =>
          Effect.promise(() =>
            at.run(Decisions.answer(person, { decision: key, optionId, note: null, idempotency: null }))
          )
      )

    const { run } = yield* Effect.promise(() => at.run(Runs.start(person, "PAY-1" as StoryKey)))
    yield* answer("merge_approval", "merge")
    yield* until("the end of the run", async () => {
      const view = decodeRun(await at.run(Effect.flatMap(RunStore, (store) => store.get(id, run.key))))
      return view.status === "succeeded" ? view : undefined
    })
    const merge = repository.head("main")
    yield* hub.ana("POST", `/statuses/${merge}`, { state: "failure", context: "ci" })
    yield* Effect.promise(hint)
    yield* answer("revert_approval", "open_revert")
    const revert = yield* until("the revert", async () => {
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
