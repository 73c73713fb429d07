import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { inject } from "vitest"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as Idle from "../support/Idle.ts"
import * as ManyEntries from "../support/ManyEntries.ts"
import * as Plan from "../support/Plan.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

const [few, many] = inject("full") ? [10_000, 1_000_000] : [1000, 10_000]

const at = (seq: number) => DateTime.unsafeMake(ManyEntries.writtenAt(seq))

/** Filters and cursors on a log of `count` entries: common, rare, old or absent, alone and together. */
const pages = (count: number): Readonly<Record<string, readonly [filter: object, before: number | null]>> => ({
  "no filter": [{}, null],
  "no filter, far back": [{}, 100],
  "a team": [{ team: "a" }, null],
  "a team, far back": [{ team: "a" }, 200],
  "a team without entries": [{ team: "quiet" }, null],
  "an actor": [{ actor: "human" }, null],
  "an actor, far back": [{ actor: "human" }, 200],
  "an event": [{ event: "story_moved" }, null],
  "an event of the oldest": [{ event: "workspace_created" }, null],
  "an event that never was": [{ event: "team_deleted" }, null],
  "a run": [{ run: "run-0007" }, null],
  "a run that never was": [{ run: "run-zzzz" }, null],
  "the newest from a time on": [{ from: at(count - 100) }, null],
  "all from a time on": [{ from: at(10) }, null],
  "from a time to come": [{ from: at(count + 100) }, null],
  "up to an old time": [{ to: at(100) }, null],
  "up to half": [{ to: at(count / 2) }, null],
  "up to a time before all": [{ to: at(-100) }, null],
  "a short while": [{ from: at(count / 2 - 50), to: at(count / 2) }, null],
  "a long while": [{ from: at(count / 4), to: at(count / 2) }, null],
  "a long while, far back": [{ from: at(count / 4), to: at(count / 2) }, count / 4 + 100],
  "a team and its event": [{ team: "a", event: "story_moved" }, null],
  "a team and another's event": [{ team: "a", event: "team_created" }, null],
  "a team and an actor": [{ team: "b", actor: "human" }, null],
  "an actor and an event": [{ actor: "human", event: "story_moved" }, null],
  "an actor, a team and another's event": [{ actor: "human", team: "b", event: "story_moved" }, null],
  "an actor for a long while": [{ actor: "human", from: at(count / 4), to: at(count / 2) }, null],
  "a team up to an old time": [{ team: "a", to: at(200) }, null],
  "an event up to half": [{ event: "story_moved", to: at(count / 2) }, null],
  "a team in a run": [{ team: "a", run: "run-0007" }, null],
  "everything at once": [
    { team: "a", actor: "human", event: "story_moved", run: "run-0007", from: at(10), to: at(count / 2) },
    count
  ]
})

/** The median time of some reads in milliseconds. */
const timed = <E>(read: Effect.Effect<unknown, E>) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    while (times.length < 15) {
      const before = performance.now()
      yield* read
      times.push(performance.now() - before)
    }
    return times.toSorted((a, b) => a - b)[7] ?? 0
  })

it.layer(Layer.provide(TestPostgres.layer, Plan.explaining), { timeout: "60 seconds" })(
  "pages of a long audit log",
  (it) => {
    it.effect(
      "cost what those of a short one cost, whatever is filtered",
      ({ task }) =>
        Effect.gen(function* () {
          const log = yield* AuditLog
          const logOf = Effect.fnUntraced(function* (count: number) {
            const { id } = yield* Seed.workspace
            yield* ManyEntries.write(id, count)
            return (name: string) => {
              const [filter, before] = pages(count)[name] ?? [{}, null]
              const request = { limit: 25, before: before === null ? null : BigInt(before) }
              return log.page(id, { ...Seed.anyEntry, ...filter }, request)
            }
          })
          const short = yield* logOf(few)
          const long = yield* logOf(many)
          const names = Object.keys(pages(many))
          const most = { rows: 0, buffers: 0, usual: 0 }
          for (const name of names) {
            const usual = yield* Plan.planOf(short(name))
            const plan = yield* Plan.planOf(long(name))
            const steps = `${name}: ${plan.map((node) => node["Node Type"]).join(", ")}`
            assert.isAtMost(Plan.rowsRead(plan), 26, `rows for ${steps}`)
            assert.isAtMost(Plan.buffers(plan), Plan.buffers(usual) + 8, `buffers for ${steps}`)
            most.rows = Math.max(most.rows, Plan.rowsRead(plan))
            most.buffers = Math.max(most.buffers, Plan.buffers(plan))
            most.usual = Math.max(most.usual, Plan.buffers(usual))
          }
          // Time is asserted only where the difference would be a hundredfold.
          const times = { short: 0, long: 0 }
          for (const name of inject("full") ? names : []) {
            const [usual, time] = [yield* timed(short(name)), yield* timed(long(name))]
            Idle.isBelow(time, 3 * usual + 2, name)
            times.short = Math.max(times.short, usual)
            times.long = Math.max(times.long, time)
          }
          task.meta.figures =
            `${names.length} filters and cursors; the dearest page of ${few.toLocaleString("en")} entries touches ${most.usual} buffers and takes ` +
            `${times.short.toFixed(1)} ms, of ${many.toLocaleString("en")} entries ${most.buffers} buffers, ${most.rows} rows and ${times.long.toFixed(1)} ms`
        }),
      600_000
    )
  }
)
