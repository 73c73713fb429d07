import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { inject, it as proof } from "vitest"
import { JobStore } from "../../application/ports/JobStore.ts"
import type { Job } from "../../domain/work/Job.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as Engine from "../jobs/Engine.ts"
import * as Equipment from "../support/Equipment.ts"
import { scopedWorkshop } from "../support/Process.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ann, desk } from "./Desk.ts"
import * as Json from "../../application/ports/Json.ts"
import { once, postsOf, receivers, settleIn } from "./Receivers.ts"
import { long } from "../support/Long.ts"
import { isRequired } from "../support/Optional.ts"

const [incidents, kills, settings] = inject("full") ? ([60, 5, {}] as const) : ([6, 1, { LEASE: "5 seconds" }] as const)

/** Seconds until everything is sent. */
const patience = inject("full") ? 240 : 60

/** The long form runs them one by one. */
const concurrent = !inject("full")

const scopedReceivers = Effect.acquireRelease(Effect.promise(receivers), ({ leave }) => Effect.promise(leave))

const key = Buffer.alloc(32, 7).toString("base64")

const jobsOf = (workspace: WorkspaceId) =>
  Effect.map(
    Effect.flatMap(JobStore, (store) => store.page(workspace, { status: null }, { limit: 10_000, before: null })),
    ({ items }) => Json.each(items).map((item) => JSON.parse(item) as typeof Job.Encoded)
  )

/** True when all jobs are done, except jobs due later. */
const isDone = (jobs: ReadonlyArray<typeof Job.Encoded>) =>
  jobs.every(({ dueAt, status }) => status === "done" || (status === "queued" && dueAt !== null))

const figures: Array<string> = []

suite(Equipment.layer, { timeout: "60 seconds", excludeTestServices: true })("channels", (it) => {
  const scene = (processes: number) =>
    Effect.gen(function* () {
      const { layer, url } = yield* TestPostgres.addressed
      const context = yield* Layer.build(layer)
      const outside = yield* scopedReceivers
      const { worker } = yield* scopedWorkshop
      const env = { DATABASE_URL: url, SECRET_KEY: key, ...outside.settings, ...settings }
      const start = () => Effect.promise(() => worker("following", env))
      const one = yield* desk("pagerduty").pipe(Effect.provide(context))
      yield* Effect.provide(settleIn(one, outside), context)
      yield* Effect.provide(one.set({ notify: [ann, "owner@acme.test"], acknowledgeInSource: true }), context)
      const names = Array.from({ length: incidents }, (_, index) => `Q${index}`)
      for (const name of names) outside.pager.incidents.set(name, "triggered")
      const workers = yield* Effect.replicateEffect(start(), processes)
      return { context, one, outside, start, names, workers }
    })

  it.scoped(
    `that are down, with kill -9 in between, get everything afterwards, in order, and what comes twice has one id`,
    () =>
      Effect.gen(function* () {
        const { context, names, one, outside, start, workers } = yield* scene(1)
        let [worker] = workers
        yield* Effect.promise(outside.leave)
        yield* Effect.forEach(names, (name) => one.fires(name, { environment: name })).pipe(Effect.provide(context))
        const jobs = Effect.provide(jobsOf(one.workspace), context)
        yield* Engine.eventually(jobs, (all) => all.filter(({ error }) => error !== null).length >= incidents)
        for (let kill = 0; kill < kills; kill++) {
          worker?.signal("SIGKILL")
          worker = yield* start()
          if (kill === 0) yield* Effect.promise(outside.comeBack)
          const later = names.slice((kill * incidents) / kills, ((kill + 1) * incidents) / kills)
          yield* Effect.forEach(later, (name) => one.recovers(name, { environment: name })).pipe(
            Effect.provide(context)
          )
        }
        const isSent = () =>
          [once(postsOf(outside)), once(outside.mail.mails)].every((all) => all.length === 4 * incidents) &&
          [...outside.pager.incidents.values()].every((status) => status === "resolved")
        yield* Engine.eventually(jobs, (all) => isDone(all) && isSent(), patience)

        const keys = (yield* Effect.provide(one.incidents, context)).map(({ key }) => key)
        const posts = postsOf(outside)
        for (const place of ["/ops", "/chat"])
          for (const incident of keys)
            assert.deepStrictEqual(
              once(posts)
                .filter((post) => post.path === place && post.incident === incident)
                .map(({ event }) => event),
              ["opened", "resolved"],
              `${place} of ${incident}`
            )
        const { mails } = outside.mail
        assert.deepStrictEqual(
          once(mails)
            .map(({ subject, to }) => `${to} ${subject.split(" ")[0]}`)
            .toSorted(),
          [ann, "owner@acme.test"]
            .flatMap((to) => names.flatMap(() => [`${to} [critical]`, `${to} [resolved]`]))
            .toSorted()
        )
        assert.deepStrictEqual([...new Set(outside.pager.incidents.values())], ["resolved"])
        assert.deepStrictEqual(outside.pager.reopened, [])
        const again = posts.length - once(posts).length + mails.length - once(mails).length
        figures.push(
          `${incidents} incidents, ${kills} kills: ${once(posts).length} posts and ${once(mails).length} mails, ${again} of them twice under one id`
        )
        worker?.signal("SIGTERM")
      }),
    { timeout: 600_000, concurrent }
  )

  long(() => {
    it.scoped(
      "get nothing twice from two instances",
      () =>
        Effect.gen(function* () {
          const { context, names, one, outside, workers } = yield* scene(2)
          yield* Effect.forEach(names, (name) => one.fires(name, { environment: name })).pipe(Effect.provide(context))
          const jobs = Effect.provide(jobsOf(one.workspace), context)
          yield* Engine.eventually(jobs, (all) => all.length >= 7 * incidents && isDone(all))
          yield* Effect.forEach(names, (name) => one.recovers(name, { environment: name })).pipe(
            Effect.provide(context)
          )
          yield* Engine.eventually(jobs, (all) => all.length >= 13 * incidents && isDone(all), patience)
          const [posts, { mails }] = [postsOf(outside), outside.mail]
          assert.deepStrictEqual([posts.length, mails.length], [4 * incidents, 4 * incidents])
          assert.deepStrictEqual([once(posts).length, once(mails).length], [posts.length, mails.length])
          assert.strictEqual(outside.pager.written().length, 2 * incidents)
          figures.push(`two instances: ${posts.length} posts, ${mails.length} mails, each once`)
          for (const worker of workers) worker.signal("SIGTERM")
        }),
      { timeout: 300_000, concurrent }
    )
  })
})

proof("what was sent", ({ task }) => {
  assert.lengthOf(figures, inject("full") || isRequired ? 2 : 1)
  task.meta.figures = figures.join("; ")
})
