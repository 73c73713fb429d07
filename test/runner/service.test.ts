import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect } from "effect"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { grace } from "../../adapters/runner/process/Child.ts"
import { renewSeconds } from "../../domain/work/Lease.ts"
import { keyRefusedCode } from "../../adapters/runner/Runner.ts"
import { eventually, gates, git, processesNaming, repository, rig, running } from "./Rig.ts"
import { long } from "../support/Long.ts"
import { grantOf } from "./ScriptedService.ts"

const run = "run-7f3k"
const files = { "README.md": "Hi\n", ".kanman/gates.json": gates("true") }
const unplanned = { run: { stage: "implementing" }, policy: { acceptanceSpecRequired: false } }

/** An agent that works until a test is done with it, in a process of its own that forks away. */
const lasting = (mark: string) =>
  `echo half > half.txt; setsid sh -c ": ${mark}; sleep 1000" & env -i setsid sh -c ": ${mark}; sleep 1000" & echo begun; sleep 1000; : ${mark}`

const begun = (mark: string) =>
  eventually(
    () => "the agent begins",
    () => processesNaming(mark).length >= 3
  )

const gone = (mark: string) =>
  eventually(
    () => `the end of ${processesNaming(mark).join("\n")}`,
    () => processesNaming(mark).length === 0
  )

describe("a lease", () => {
  it.scopedLive("that is lost stops the agent with all that forked away, and keeps its files", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { service } = bench
      const mark = `lost-${crypto.randomUUID()}`
      service.state.queue.push(grantOf(repository(bench.base, files), unplanned))
      const runner = yield* running(bench, lasting(mark))
      yield* begun(mark)
      service.state.fault = (call) => (call === "lease held" ? "lost" : null)
      yield* runner.says(/the lease is lost: Lease 1 is over: another runner holds it/)
      yield* gone(mark)
      yield* runner.says(/run-7f3k-1-1 is kept: .*half.txt/)
      assert.isTrue(existsSync(join(bench.folder, "work/run-7f3k-1/tree-1/half.txt")))
    })
  )

  long(() => {
    it.scopedLive("that is lost leaves the tree of the next lease of its run alone", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        const repo = repository(bench.base, files)
        const [first, second] = [
          grantOf(repo, unplanned),
          grantOf(repo, { ...unplanned, fence: 2, run: { ...unplanned.run, attempt: 2 } })
        ]
        service.state.queue.push(first)
        const work = `test "$GATEHOUSE_ATTEMPT" = 1 && sleep 1000; until test -e "$TMPDIR/go"; do sleep 0.05; done; echo world > hello.txt`
        const runner = yield* running(bench, work, { RUNNER_SLOTS: "2" })
        yield* runner.says(/attempt 1 begins/)
        service.state.queue.push(second)
        const folder = join(bench.folder, "work/run-7f3k-2")
        yield* eventually(
          () => "the tree of attempt 2",
          () =>
            existsSync(join(folder, "tree-2")) &&
            runner.lines.filter((line) => line.includes("step implement")).length === 2
        )
        service.state.leased.delete(first.id)
        yield* runner.says(/the lease is lost/)
        yield* eventually(
          () => "the tree of attempt 1 is settled",
          () => !existsSync(join(bench.folder, "work/run-7f3k-1/tree-1"))
        )
        assert.isTrue(existsSync(join(folder, "tree-2")))
        writeFileSync(join(folder, "tmp", "go"), "")
        yield* runner.says(/handed off/)
        assert.strictEqual(git(repo, "show", "gatehouse/PAY-1-run-7f3k:hello.txt"), "world")
      })
    )
  })

  long(() => {
    it.scopedLive("that ends has its whole log, also where a gate printed much at the end", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        const gate = gates("seq 1 30000; echo reason $((40 + 2)); exit 1")
        service.state.queue.push(grantOf(repository(bench.base, { ".kanman/gates.json": gate }), unplanned))
        service.state.holds = (facts) => !facts.some(({ type }) => type === "verification")
        const runner = yield* running(bench, "echo world > hello.txt")
        yield* runner.says(/waits for/)
        assert.include(service.logOf(run), "reason 42")
      })
    )
  })

  long(() => {
    it.scopedLive("survives a service that is gone for a while: the agent works on, and reports arrive in order", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        service.state.intervals = { pollMs: 1000, renewMs: 200, leaseMs: 30_000 }
        const repo = repository(bench.base, files)
        service.state.queue.push(grantOf(repo, unplanned))
        const runner = yield* running(
          bench,
          "echo begun; while [ ! -f done.txt ]; do sleep 0.1; [ -f hello.txt ] && touch done.txt; echo world > hello.txt; done; echo ended"
        )
        yield* eventually(
          () => "the first log",
          () => service.logOf(run).includes("step implement begins")
        )
        let tries = 0
        service.state.fault = () => (tries++ < 8 ? "away" : null)
        yield* runner.says(/handed off/)
        assert.isAbove(tries, 8)
        assert.deepStrictEqual(
          service.state.sent.map(({ seq }) => seq),
          service.state.sent.map((_, index) => index + 1)
        )
        assert.match(service.logOf(run), /begun[^]*ended/)
      })
    )
  })

  long(() => {
    it.scopedLive("ends by the runner's own clock when the service stays away, however its times are set", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        service.state.intervals = { pollMs: 1000, renewMs: 100, leaseMs: 1500 }
        service.state.queue.push(grantOf(repository(bench.base, files), unplanned))
        const runner = yield* running(bench, "echo half > half.txt; sleep 1000")
        yield* runner.says(/step implement/)
        service.state.fault = () => "away"
        yield* runner.says(/The service cannot be reached: Come back later. The agent works on/)
        yield* runner.says(/the lease is lost: the service could not be reached for 2 s/)
        yield* runner.says(/is kept: it has changes/)
      })
    )
  })
})

it.scopedLive("a revoked key ends the runner with 77, says why, and leaves no process", () =>
  Effect.gen(function* () {
    const bench = yield* rig
    const { service } = bench
    const mark = `revoked-${crypto.randomUUID()}`
    service.state.queue.push(grantOf(repository(bench.base, files), unplanned))
    const runner = yield* running(bench, lasting(mark), { RUNNER_SLOTS: "2" })
    yield* begun(mark)
    const before = service.state.tries
    service.state.fault = () => "revoked"
    assert.strictEqual(yield* runner.ended, keyRefusedCode)
    yield* gone(mark)
    assert.include(runner.lines.at(-1), "The token was revoked by Olga.")
    assert.isBelow(service.state.tries - before, 100)
  })
)

long(() => {
  it.scopedLive("a stop of the run ends its agent, and the work is pushed", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { service } = bench
      const mark = `stopped-${crypto.randomUUID()}`
      const repo = repository(bench.base, files)
      service.state.queue.push(grantOf(repo, unplanned))
      const runner = yield* running(bench, lasting(mark))
      yield* begun(mark)
      // One renewal that says so ends it: a stop takes one interval, and the grace of processes that ignore it.
      let stops = 0
      service.state.renewal = () => ({ action: stops++ === 0 ? "stop" : "continue", inputs: [] })
      yield* runner.says(/the run was stopped/)
      yield* gone(mark)
      assert.isAtMost(renewSeconds + Duration.toSeconds(grace), 30)
      yield* eventually(
        () => "the push",
        () => git(repo, "branch", "--list", "gatehouse/*") !== ""
      )
      assert.deepStrictEqual(service.state.finished, [])
    })
  )
})

long(() => {
  describe("draining", () => {
    it.scopedLive("lets attempts finish and leases nothing more", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        const repo = repository(bench.base, files)
        service.state.queue.push(grantOf(repo, unplanned))
        const runner = yield* running(bench, "echo begun; sleep 1; echo world > hello.txt")
        yield* runner.says(/step implement/)
        yield* Deferred.succeed(runner.signals.drain, undefined)
        service.state.queue.push(grantOf(repo, { ...unplanned, run: { key: "run-0000", stage: "implementing" } }))
        assert.strictEqual(yield* runner.ended, 0)
        assert.strictEqual(service.state.queue.length, 1)
        assert.match(runner.lines.join("\n"), /1 attempt has 5m to finish[^]*handed off[^]*has ended/)
      })
    )

    it.scopedLive("for a person, finishes what takes longer than the limit of a signal, and says why it ends", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        const repo = repository(bench.base, files)
        service.state.queue.push(grantOf(repo, unplanned))
        const wait = "echo begun; while [ ! -e ../go ]; do sleep 0.05; done; echo world > hello.txt"
        const runner = yield* running(bench, wait.replace("../go", `${bench.base}/go`), { RUNNER_DRAIN_SECONDS: "1" })
        yield* runner.says(/step implement/)
        service.state.renewal = () => ({ action: "drain", inputs: [] })
        yield* runner.says(/A person drains this runner: it leases nothing more, and ends after 1 attempt/)
        service.state.queue.push(grantOf(repo, { ...unplanned, run: { key: "run-0000", stage: "implementing" } }))
        const { renewals } = service.state
        // Renewals every 200 ms: the limit of a signal has passed.
        yield* eventually(
          () => "renewals",
          () => service.state.renewals > renewals + 10
        )
        writeFileSync(`${bench.base}/go`, "")
        assert.strictEqual(yield* runner.ended, 0)
        assert.strictEqual(service.state.queue.length, 1)
        assert.strictEqual(service.state.goodbyes, 1)
        assert.match(runner.lines.join("\n"), /A person drains[^]*handed off[^]*has ended/)
      })
    )

    it.scopedLive("for a person, ends one that waits for a run", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const runner = yield* running(bench, "true")
        yield* runner.says(/Online/)
        bench.service.state.fault = (call) => (call === "lease" ? "draining" : null)
        assert.strictEqual(yield* runner.ended, 0)
        assert.match(runner.lines.join("\n"), /A person drains this runner: it leases nothing more\n[^]*has ended/)
        assert.strictEqual(bench.service.state.hellos.length, 1)
        assert.strictEqual(bench.service.state.goodbyes, 1)
      })
    )

    it.scopedLive("ends attempts at its limit, with their work pushed and the leases given back", () =>
      Effect.gen(function* () {
        const bench = yield* rig
        const { service } = bench
        const mark = `drained-${crypto.randomUUID()}`
        const repo = repository(bench.base, files)
        service.state.queue.push(grantOf(repo, unplanned))
        const runner = yield* running(bench, lasting(mark), { RUNNER_DRAIN_SECONDS: "1" })
        yield* begun(mark)
        service.state.renewal = () => ({ action: "drain", inputs: [] })
        yield* runner.says(/A person drains/)
        yield* Deferred.succeed(runner.signals.drain, undefined)
        assert.strictEqual(yield* runner.ended, 0)
        yield* gone(mark)
        assert.strictEqual(git(repo, "show", "gatehouse/PAY-1-run-7f3k:half.txt"), "half")
        assert.strictEqual(service.state.goodbyes, 1)
      })
    )
  })
})
