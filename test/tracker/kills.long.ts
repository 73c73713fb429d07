import { Effect } from "effect"
import { assert, it } from "vitest"
import * as Connections from "../../application/codehost/Connections.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { byOf } from "../../application/workspace/Authorization.ts"
import type { BindingId } from "../../domain/tracker/Binding.ts"
import * as ChangeBinding from "../../domain/tracker/ChangeBinding.ts"
import { gitHub } from "../codehost/GitHubPlace.ts"
import { certificate } from "../runner/GitServer.ts"
import { station } from "../signals/Station.ts"
import * as People from "../support/People.ts"
import { random } from "../support/Random.ts"
import * as Seed from "../support/Seed.ts"
import { content, mapping, stories, team } from "./Place.ts"

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
  () =>
    Effect.gen(function* () {
      const hub = yield* gitHub("app")
      const at = yield* Effect.acquireRelease(
        Effect.promise(() => station()),
        (one) => Effect.promise(() => one.close())
      )
      const settings = { DEMO: "off", NODE_EXTRA_CA_CERTS: certificate, OUTGOING_ALLOW: "127.0.0.0/8, ::1/128" }
      const serve = Effect.promise(() => at.serve(settings))
      let instances = [yield* serve, yield* serve]
      /** A workspace that mirrors the project. */
      const mirror = Effect.promise(() =>
        at.run(
          Effect.gen(function* () {
            const { id, slug } = yield* Seed.workspace
            yield* Seed.load(slug, { teams: [{ slug: team, name: "Payments", keyPrefix: "PAY" }] })
            const owner = yield* People.person(slug)
            yield* Connections.create(owner, {
              name: "tracker",
              kind: "github",
              baseUrl: hub.server.origin,
              secret: hub.access.credentials.secret,
              installation: hub.access.connection.installation,
              webhookSecret: null
            })
            const binding = {
              id: crypto.randomUUID() as string as BindingId,
              connection: "tracker",
              platform: "github" as const,
              project: "acme/pay",
              mapping
            }
            yield* (yield* TrackerStore).change(id, team, ChangeBinding.bind(byOf(owner), binding))
            return { id }
          })
        )
      )

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
        killed.service.signal("SIGKILL")
        yield* Effect.promise(() => at.gone(killed.service))
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
    }).pipe(Effect.scoped, Effect.runPromise),
  600_000
)
