import { Effect } from "effect"
import { assert, it } from "vitest"
import { random } from "../support/Random.ts"
import { mirrorStation } from "./MirrorStation.ts"
import { content, stories } from "./Place.ts"

const pick = <A>(all: ReadonlyArray<A>): A => all[Math.floor(random() * all.length)] as A

const labels = ["ready", "refining", "doing", "review", "size/l", "expedite", "bug"]
const bodies = [
  "Plain.",
  "Why.\n\n## Acceptance criteria\n\n- [ ] It pays",
  "## Demonstrate\n\n1. Pay\n\n## Test plan\n\nTwice."
]

const [acts, kills] = [120, 8]

it(
  `${acts} changes of issues, while one of two instances is killed ${kills} times, end as a fresh mirror`,
  ({ task }) =>
    Effect.gen(function* () {
      const { at, hub, kill, mirror, serve } = yield* mirrorStation
      let instances = [yield* serve, yield* serve]
      const first = yield* mirror
      let opened = 0
      const act = Effect.gen(function* () {
        if (opened < 3 || (opened < 30 && random() < 0.3)) {
          opened++
          return yield* hub.ana("POST", "/issues", {
            title: `Issue ${opened}`,
            body: pick(bodies),
            labels: [pick(labels)]
          })
        }
        const path = `/issues/${1 + Math.floor(random() * opened)}`
        const roll = random()
        if (roll < 0.3) return yield* hub.ana("PATCH", path, { body: pick(bodies) })
        if (roll < 0.4) return yield* hub.ana("PATCH", path, { title: pick(["Pay", "Refund"]) })
        if (roll < 0.6) return yield* hub.ana("PATCH", path, { state: pick(["open", "closed"]) })
        return yield* hub.ana("PUT", `${path}/labels`, { labels: [pick(labels), pick(labels)] })
      })
      for (let turn = 0; turn < acts; turn++) {
        yield* act
        if (turn % Math.floor(acts / kills) !== 0) continue
        const [killed, ...others] = instances
        if (killed === undefined) break
        yield* kill(killed)
        instances = [...others, yield* serve]
      }
      const second = yield* mirror
      const seen = (of: typeof first) =>
        Effect.promise(() => at.run(Effect.map(stories(of), (all) => all.map(content))))
      const look = Effect.zip(seen(first), seen(second))
      const isSame = ([one, other]: Effect.Effect.Success<typeof look>) =>
        one.length === opened && JSON.stringify(one) === JSON.stringify(other)
      const [one, other] = yield* Effect.repeat(Effect.delay(look, "1 second"), { until: isSame, times: 400 })
      assert.deepStrictEqual(one, other)
      assert.strictEqual(one.length, opened)
      assert.deepStrictEqual(hub.server.violations, [])
      task.meta.figures = `${acts} changes of ${opened} issues, ${kills} kills: both mirrors have the same stories`
    }).pipe(Effect.scoped, Effect.runPromise),
  600_000
)
