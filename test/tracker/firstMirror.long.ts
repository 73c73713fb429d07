import { Effect } from "effect"
import { assert, inject, it } from "vitest"
import * as Json from "../../application/ports/Json.ts"
import { Board, StoryStore } from "../../application/ports/StoryStore.ts"
import * as Issues from "../github/Issues.ts"
import { addUser } from "../github/World.ts"
import { mirrorStation } from "./MirrorStation.ts"
import { team } from "./Place.ts"

const issues = inject("full") ? 10_000 : 2000

/** Every fiftieth issue shows Review, so that the acts on it are asked for. */
const reviewed = issues / 50

const pageSize = 100

const decodeBoard = Json.decoder(Board)

it(
  `${issues} issues are first mirrored within the limits; the progress is shown, and a killed service goes on where it was`,
  ({ task }) =>
    Effect.gen(function* () {
      const { at, hub, kill, mirror, serve, stateOf } = yield* mirrorStation
      const { kept: repository, server } = hub
      const { world } = server
      const act: Issues.Act = { world, repository, user: addUser(world, "ana"), app: null }
      for (let number = 0; number < issues; number++) {
        const labels = number % 50 === 0 ? ["review"] : []
        yield* Effect.promise(() => Issues.openIssue(act, `Issue ${number}`, `Text of ${number}.`, labels))
        if (number % 10 === 9) world.clock.advance(1000)
      }
      const first = yield* serve
      const began = performance.now()
      const bound = yield* mirror
      const seen: Array<number> = []
      const looked = Effect.tap(stateOf(bound), ({ sync }) => void seen.push(sync.sweep?.read ?? 0))
      const until = (isEnough: (state: Effect.Effect.Success<typeof looked>) => boolean) =>
        Effect.repeat(Effect.delay(looked, "500 millis"), { until: isEnough, times: 2400 })
      const half = yield* until(({ sync }) => sync.sweptAt !== null || (sync.sweep?.read ?? 0) >= issues / 2)
      assert.isNull(half.sync.sweptAt)
      yield* kill(first)
      const { sync: left } = yield* stateOf(bound)
      yield* serve
      const whole = yield* until(({ sync }) => sync.sweptAt !== null)
      const seconds = (performance.now() - began) / 1000
      assert.strictEqual(whole.mirrored, issues)
      assert.isNull(whole.sync.trouble)
      const { columns } = yield* Effect.promise(() =>
        at.run(Effect.flatMap(StoryStore, (store) => Effect.map(store.board(bound.id, team, 1), decodeBoard)))
      )
      assert.deepStrictEqual(
        columns.filter(({ count }) => count > 0).map(({ count, role }) => [role, count]),
        [
          ["backlog", issues - reviewed],
          ["review", reviewed]
        ]
      )
      // A page begins again with the last second of the one before; the kill costs one at most.
      const [pages, acts] = [server.count("issues/list-for-repo"), server.requests.length]
      assert.isAtMost(pages, issues / (pageSize - 10) + 5)
      assert.isAtMost(acts, pages + 2 * reviewed + 50)
      assert.deepStrictEqual(server.violations, [])
      assert.deepStrictEqual(server.creations(), [])
      assert.isAtLeast(new Set(seen).size, 3)
      const read = (left.sweep?.read ?? 0).toLocaleString("en")
      task.meta.figures = `${issues.toLocaleString("en")} issues in ${seconds.toFixed(0)} s and ${acts} requests, ${pages} of them for pages; killed after ${read} issues, and went on there`
    }).pipe(Effect.scoped, Effect.runPromise),
  1_800_000
)
