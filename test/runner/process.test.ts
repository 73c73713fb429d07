import { assert, describe, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Fiber } from "effect"
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { promisify } from "node:util"
import * as Child from "../../adapters/runner/process/Child.ts"
import { familyOf, type Seen } from "../../adapters/runner/process/Survivors.ts"
import { eventually, isRoot, processesNaming } from "./Rig.ts"
import { long } from "../support/Long.ts"

const command = (script: string, more: Partial<Child.Command> = {}): Child.Command => ({
  argv: ["/bin/sh", "-c", script],
  cwd: "/",
  env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
  input: "",
  isolation: { account: undefined, prefix: [] },
  clocks: { total: Duration.seconds(120) },
  onLine: () => {},
  onStart: () => {},
  ...more
})

const seen = (pid: number, parent: number): Seen => ({ pid, parent, group: 1, session: 1, identity: `${pid}.0` })

describe("the processes of a command", () => {
  it.live("are ended when the runner cannot record them", () =>
    Effect.gen(function* () {
      const name = `unrecorded-${randomUUID()}`
      const onStart = () => {
        throw new Error("ENOSPC: no space left on device, write")
      }
      const exit = yield* Effect.exit(Child.run(command(`: ${name}; sleep 1000; :`, { onStart })))
      assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", "ENOSPC")
      yield* eventually(
        () => processesNaming(name).join("\n"),
        () => processesNaming(name).length === 0
      )
    })
  )

  it("are found in a chain of 20,000, each once and no others", () => {
    const chain = Array.from({ length: 20_000 }, (_, index) => seen(index + 10, index + 9))
    const others = Array.from({ length: 100 }, (_, index) => seen(index + 50_000, 1))
    const all = [...chain.toReversed(), ...others]
    const family = familyOf(all, chain.slice(0, 2))
    assert.strictEqual(family.size, chain.length)
    assert.isFalse(others.some((one) => family.has(one)))
  })

  it("are found where ids were read while they changed, so that two name each other as parent", () => {
    const pair = [seen(10, 11), seen(11, 10)]
    assert.strictEqual(familyOf(pair, pair.slice(0, 1)).size, 2)
  })

  long(() => {
    it.live("are ended in a chain of several hundred", () =>
      Effect.gen(function* () {
        const name = `chain-${randomUUID()}`
        const depth = 400
        const script = `[ "$1" = 0 ] && { echo deep; sleep 1000; exit; }; /bin/sh -c "$0" "$0" $(($1 - 1)) ${name}; :`
        let isDeep = false
        const argv = ["/bin/sh", "-c", script, script, `${depth}`, name] as const
        const fiber = yield* Effect.fork(Child.run(command("", { argv, onLine: () => (isDeep = true) })))
        yield* eventually(
          () => "the end of the chain",
          () => isDeep
        )
        assert.isAtLeast(processesNaming(name).length, depth)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(processesNaming(name), [])
      })
    )
  })

  it.live("are ended by their mark where they left their parent, group and session", () =>
    Effect.gen(function* () {
      const account = isRoot ? { uid: 65_534, gid: 65_534 } : undefined
      const name = `away-${randomUUID()}`
      const script = `(setsid /bin/sh -c ': ${name}; echo away; sleep 1000; :' &) | head -n 1`
      const ending = yield* Child.run(command(script, { isolation: { account, prefix: [] } }))
      assert.deepStrictEqual(ending, { type: "exited", code: 0, signal: null })
      assert.deepStrictEqual(processesNaming(name), [])
    })
  )

  long(() => {
    it.live("are watched and ended while the runner has no free file descriptor, which does not end the runner", () =>
      Effect.gen(function* () {
        const name = `crowded-${randomUUID()}`
        const program = `
        import { Duration, Effect } from "effect"
        import { openSync } from "node:fs"
        import * as Git from "./adapters/runner/git/Git.ts"
        import * as Child from "./adapters/runner/process/Child.ts"
        const fill = () => { try { for (;;) openSync("/dev/null", "r") } catch {} }
        const command = {
          argv: ["/bin/sh", "-c", ": ${name}; echo ready; sleep 1000; :"], cwd: "/", env: { PATH: "/usr/bin:/bin" }, input: "",
          isolation: { account: undefined, prefix: [] }, clocks: { total: Duration.seconds(2) }, onLine: fill, onStart: () => {}
        }
        const first = await Effect.runPromise(Child.run(command))
        const second = await Effect.runPromise(Child.run(command))
        const git = await Effect.runPromise(Effect.flip(Git.git({ args: ["version"], env: command.env })))
        console.log(Child.described(first) + "; " + Child.described(second) + "; " + git.message)`
        const argv = [
          "-c",
          'ulimit -n 1000; exec "$0" --import tsx --input-type=module -e "$1"',
          process.execPath,
          program
        ]
        const { stdout } = yield* Effect.promise(() => promisify(execFile)("/bin/sh", argv))
        assert.include(
          stdout,
          "it did not end within 2 s; it could not be started: spawn /bin/sh EMFILE; git version failed: spawn git EMFILE"
        )
        assert.deepStrictEqual(processesNaming(name), [])
      })
    )
  })
})
