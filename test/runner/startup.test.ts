import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Memory from "../../adapters/memory/Memory.ts"
import { openPlaces, requireAgent } from "../../adapters/runner/Startup.ts"
import * as Seed from "../support/Seed.ts"
import * as World from "../support/World.ts"
import { nobody } from "./Program.ts"
import { eventually, isRoot, repository, rig, running } from "./Rig.ts"
import { grantOf } from "./ScriptedService.ts"

const account = isRoot ? { uid: nobody, gid: nobody } : undefined
const who = isRoot ? "the user of the agents, nobody," : "the user of this runner"

const problemOf = (customCommand: string) =>
  requireAgent({ agents: ["custom"], customCommand, user: "nobody" }, { account }).pipe(
    Effect.match({ onFailure: ({ message }) => message, onSuccess: () => null })
  )

describe("the command of the agent", () => {
  it.scopedLive("is refused at the start if the user of the agents cannot execute it", () =>
    Effect.gen(function* () {
      const { base } = yield* rig
      const put = (name: string, mode: number, text = "#!/bin/sh\n") => {
        writeFileSync(join(base, name), text)
        chmodSync(join(base, name), mode)
        return join(base, name)
      }
      const closed = join(base, "closed")
      mkdirSync(closed)
      const hidden = put("closed/agent", 0o755)
      chmodSync(closed, isRoot ? 0o700 : 0o600)
      const unreadable = put("unreadable", 0o311)
      const refused = [join(base, "missing"), put("plain", 0o644), hidden, base, ...(isRoot ? [unreadable] : [])]
      for (const path of refused) {
        const problem = yield* problemOf(`${path} --prompt-file /dev/stdin`)
        assert.include(problem, `RUNNER_CUSTOM_COMMAND begins with '${path}', which ${who} cannot execute. Install it`)
        if (isRoot) assert.include(problem, "or set RUNNER_USER to a user who can")
      }
      chmodSync(closed, 0o755)
      assert.include(yield* problemOf("no-such-agent"), `'no-such-agent', which ${who} does not find in PATH`)
      assert.isNull(yield* problemOf(put("good", 0o755)))
      assert.isNull(yield* problemOf(" sh -c true"))
    })
  )

  it.effect.each([
    "cat > prompt; no-such-agent",
    "X=1 no-such",
    "./agent.sh",
    "'/no/such agent'",
    "if true; then a; fi"
  ])("is not checked where only a shell can tell: %s", (command) => Effect.map(problemOf(command), assert.isNull))

  it.scopedLive("ends the start of the runner", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const runner = yield* running(bench, join(bench.base, "missing"))
      const error = yield* Effect.flip(runner.ended)
      assert.include(error.message, "RUNNER_CUSTOM_COMMAND begins with")
      assert.deepStrictEqual(bench.service.state.hellos, [])
    })
  )

  it.scopedLive("says what a shell line could not run when it fails", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      bench.service.state.queue.push(grantOf(repository(bench.base, { "README.md": "Hi\n" })))
      const runner = yield* running(bench, "cat > /dev/null; no-such-agent")
      const failure = yield* eventually(
        () => `a failure in\n${runner.lines.join("\n")}`,
        () => bench.service.factsOf("run-7f3k").find((fact) => fact.type === "failure")
      )
      assert.include(failure.error, "The shell could not find a program of RUNNER_CUSTOM_COMMAND")
    })
  )
})

it.scopedLive("a RUNNER_DIR that cannot be made is named in one line", () =>
  Effect.gen(function* () {
    const { base } = yield* rig
    writeFileSync(join(base, "file"), "")
    const { message } = yield* Effect.flip(openPlaces(join(base, "file", "runner")))
    assert.include(message, `RUNNER_DIR '${join(base, "file", "runner")}' cannot be made or written: ENOTDIR`)
    assert.notInclude(message, "\n")
  })
)

describe("RUNNER_TEAMS", () => {
  const started = (names: string, permission: "read" | "write") =>
    Effect.gen(function* () {
      const world = yield* Effect.acquireRelease(
        Effect.promise(() => World.start(Memory.layer)),
        ({ close }) => Effect.promise(close)
      )
      const value = yield* Effect.promise(() =>
        world.run(
          Effect.gen(function* () {
            const { slug } = yield* Seed.workspace
            const teams = ["payments", "web"].map((team) => ({
              slug: team,
              name: team,
              keyPrefix: team.slice(0, 3).toUpperCase()
            }))
            yield* Seed.load(slug, { teams })
            return (yield* Seed.token(slug, [permission])).value
          })
        )
      )
      const bench = yield* rig
      return yield* running({ ...bench, service: { ...bench.service, url: world.url } }, "true", {
        SERVICE_API_KEY: value,
        RUNNER_TEAMS: names
      })
    })

  it.scopedLive("that the workspace does not have are named at the start, with those it has", () =>
    Effect.gen(function* () {
      const runner = yield* started("web,paymets", "read")
      const line = yield* runner.says(/RUNNER_TEAMS/)
      assert.include(line, "RUNNER_TEAMS names paymets, which the workspace does not have. Its teams: payments, web")
    })
  )

  it.scopedLive("are not compared if the token may not read teams", () =>
    Effect.gen(function* () {
      const runner = yield* started("web", "write")
      yield* runner.says(/RUNNER_TEAMS is not compared/)
    })
  )
})
