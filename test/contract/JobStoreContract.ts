import { assert, it } from "@effect/vitest"
import * as SqlClient from "@effect/sql/SqlClient"
import { DateTime, Duration, Effect, Exit, type Layer, Option, TestClock } from "effect"
import * as Decisions from "../../application/Decisions.ts"
import * as Json from "../../application/Json.ts"
import { type Errand, JobStore } from "../../application/ports/JobStore.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Workspaces from "../../application/Workspaces.ts"
import { bySystem } from "../../domain/Actor.ts"
import type { DecisionKey } from "../../domain/Decision.ts"
import { Job, type JobId, JobKind } from "../../domain/Job.ts"
import * as Queue from "../jobs/Queue.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"

const everyKind = JobKind.literals

/** Takes what waits, and answers what was begun. */
const take = (handled: ReadonlyArray<JobKind> = everyKind, limit = 1000) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const begun: Array<Errand> = []
    const count = yield* store.take(handled, limit, (errands) => Effect.sync(() => void begun.push(...errands)))
    assert.strictEqual(count, begun.length)
    return begun
  })

const ids = (errands: ReadonlyArray<Errand>) => errands.map(({ job }) => job.id)

const statuses = (workspace: Parameters<typeof Queue.all>[0]) =>
  Effect.map(Queue.all(workspace), (jobs) => jobs.map((job) => job.status).toReversed())

type Place = Effect.Effect.Success<typeof Queue.workspace>

/** Puts a job for each lane; null is none. */
const putIn = (
  place: Pick<Place, "slug">,
  lanes: ReadonlyArray<string | null>,
  more: Partial<Pick<Job, "status" | "dueAt">> = {},
  kind: JobKind = "tell_agent"
) =>
  Effect.forEach(lanes, (lane) => {
    const fields = { days: 0, lane, ...more }
    return Effect.map(Queue.put(place, [kind], fields), ([id]) => id as JobId)
  })

/** So many minutes from now, by the clock of the store. */
const inMinutes = ({ id }: Pick<Place, "id">, minutes: number) =>
  Effect.map(
    Effect.flatMap(OnCallStore, (store) => store.look(id)),
    ({ now }) => DateTime.add(now, { minutes })
  )

/** Lets minutes pass for jobs. */
const pass = (minutes: number) =>
  Effect.flatMap(
    Effect.serviceOption(SqlClient.SqlClient),
    Option.match({
      onNone: () => TestClock.adjust(Duration.minutes(minutes)),
      onSome: (sql) =>
        Effect.orDie(
          sql.unsafe(`
            UPDATE jobs SET due_at = due_at - interval '${minutes} minutes',
              created_at = created_at - interval '${minutes} minutes'`)
        )
    })
  )

const finish = ({ id }: Pick<Place, "id">, job: JobId | undefined) =>
  Effect.flatMap(JobStore, (store) => store.note(id, job ?? assert.fail("no job"), { status: "done", tries: 1 }))

export const jobStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`JobStore (${adapter})`, (it) => {
    /** Jobs wait for one engine whosever they are, so a test begins with none left of the others. */
    const place = Effect.zipRight(take(), Queue.workspace)

    it.effect("lists jobs newest first, a page at a time, of all or one status", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const [first, second, third] = yield* Queue.put({ slug }, ["tell_agent", "write_story", "open_revert"])
        yield* take(["write_story"])
        const store = yield* JobStore
        const { items, next } = yield* store.page(id, { status: null }, { limit: 2, before: null })
        const read = Json.decoder(Job)
        assert.deepStrictEqual(
          Json.each(items).map((item) => read(item).id),
          [third, second]
        )
        assert.deepStrictEqual(
          Json.each(items),
          Json.each(items).map((item) => Json.encoder(Job)(read(item)))
        )
        const rest = yield* store.page(id, { status: null }, { limit: 2, before: next })
        assert.deepStrictEqual([Json.each(rest.items).map((item) => read(item).id), rest.next], [[first], null])
        assert.deepStrictEqual(
          (yield* Queue.all(id, "running")).map((job) => job.id),
          [second]
        )
        assert.deepStrictEqual(
          (yield* Queue.all(id, "no_adapter")).map((job) => job.id),
          [third, first]
        )
      })
    )

    it.effect("hands out jobs oldest first and no more than asked for, and marks them running", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const put = yield* Queue.put({ slug }, ["tell_agent", "write_story", "open_revert"])
        const begun = yield* take(everyKind, 2)
        assert.deepStrictEqual(ids(begun), put.slice(0, 2))
        assert.deepStrictEqual([begun[0]?.workspace, begun[0]?.job.status], [id, "running"])
        assert.deepStrictEqual(begun[0]?.job.payload, { number: 0 })
        assert.deepStrictEqual(yield* statuses(id), ["running", "running", "queued"])
        assert.deepStrictEqual(ids(yield* take()), put.slice(2))
        assert.deepStrictEqual(yield* take(), [])
      })
    )

    it.effect("while a team's main branch is red its merges wait, and go once that is answered", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const options = [
          { id: "revert", label: "Revert", action: "open_revert" },
          { id: "leave", label: "Leave", action: "decline_proposal" }
        ]
        const red = { key: "dec-aaaa", kind: "main_red_incident", title: "Red", recommendation: "revert", options }
        yield* Seed.load(slug, { decisions: [{ ...red, team: "payments" }] })
        const [merge, tell] = yield* Queue.put({ slug }, ["merge_pull_request", "tell_agent"])
        assert.deepStrictEqual(ids(yield* take()), [tell])
        const owner = yield* People.person(slug)
        const answer = { decision: "dec-aaaa" as DecisionKey, optionId: "leave", note: null, idempotency: null }
        yield* Decisions.answer(owner, answer)
        assert.deepStrictEqual([ids(yield* take()), yield* statuses(id)], [[merge], ["running", "running"]])
      })
    )

    it.effect("a job that nobody can do rests until somebody can, and then goes before younger ones", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const [resting, other] = yield* Queue.put({ slug }, ["tell_agent", "write_story"])
        assert.deepStrictEqual(yield* take([]), [])
        assert.deepStrictEqual(yield* statuses(id), ["no_adapter", "no_adapter"])
        const [young] = yield* Queue.put({ slug }, ["tell_agent"])
        assert.deepStrictEqual(ids(yield* take(["tell_agent"], 1)), [resting])
        assert.deepStrictEqual(ids(yield* take(["tell_agent"])), [young])
        assert.deepStrictEqual(yield* statuses(id), ["running", "no_adapter", "running"])
        assert.deepStrictEqual(ids(yield* take(["write_story"])), [other])
      })
    )

    it.effect("when beginning fails, nothing has changed", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        yield* Queue.put({ slug }, ["tell_agent", "write_story"])
        const store = yield* JobStore
        const exit = yield* Effect.exit(store.take(["tell_agent"], 10, () => Effect.dieMessage("no engine")))
        assert.isTrue(Exit.isFailure(exit))
        assert.deepStrictEqual(yield* statuses(id), ["queued", "queued"])
      })
    )

    it.effect("of many takers at once exactly one begins each job", () =>
      Effect.gen(function* () {
        const { slug } = yield* place
        // Later rounds find the connections already open, so the takers truly overlap.
        for (let round = 0; round < 10; round++) {
          const put = yield* Queue.put(
            { slug },
            Array.from({ length: 20 }, () => "tell_agent" as const)
          )
          const takers = yield* Effect.replicateEffect(take(everyKind, 5), 8, { concurrency: "unbounded" })
          const begun = [...takers.flat(), ...(yield* take())]
          assert.deepStrictEqual(ids(begun).toSorted(), put.toSorted())
        }
      })
    )

    it.effect("a job of a deleted workspace is neither found nor begun", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const store = yield* JobStore
        const [put] = yield* Queue.put({ slug }, ["tell_agent"])
        assert.isDefined(put)
        assert.deepStrictEqual([yield* store.find(id, put)], yield* Queue.all(id))
        yield* Workspaces.remove(bySystem, { slug, confirm: slug })
        assert.strictEqual(yield* store.find(id, put), null)
        assert.deepStrictEqual(yield* take(), [])
        const [job] = yield* Queue.all(id)
        assert.deepStrictEqual([job?.status, job?.error], ["failed", "The workspace was deleted."])
      })
    )

    it.effect("keeps what became of each try, and what is done stays done", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const [job] = yield* Queue.put({ slug }, ["tell_agent"])
        assert.isDefined(job)
        yield* take()
        const store = yield* JobStore
        const seen = Effect.map(Queue.all(id), ([row]) => [row?.status, row?.tries, row?.error])
        yield* store.note(id, job, { status: "running", tries: 1, error: "busy" })
        assert.deepStrictEqual(yield* seen, ["running", 1, "busy"])
        yield* store.note(id, job, { status: "failed", tries: 2, error: "gone" })
        assert.deepStrictEqual(yield* seen, ["failed", 2, "gone"])
        yield* store.note(id, job, { status: "done", tries: 3 })
        assert.deepStrictEqual(yield* seen, ["done", 3, null])
        yield* store.note(id, job, { status: "failed", tries: 4, error: "late" })
        yield* store.note(id, job, { status: "running", tries: 4, error: null })
        assert.deepStrictEqual(yield* seen, ["done", 3, null])
        assert.deepStrictEqual(yield* take(), [])
      })
    )

    it.effect("a job whose adapter went away in the middle is taken again with its tries", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const [job] = yield* Queue.put({ slug }, ["tell_agent"])
        assert.isDefined(job)
        yield* take()
        const store = yield* JobStore
        yield* store.note(id, job, { status: "no_adapter", tries: 3 })
        const [again] = yield* take()
        assert.deepStrictEqual([again?.job.id, again?.job.tries, again?.job.status], [job, 3, "running"])
      })
    )

    it.effect("forgets what was done long ago, and nothing else", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        yield* Queue.put({ slug }, ["tell_agent"], { days: 8, status: "done" })
        yield* Queue.put({ slug }, ["tell_agent"], { days: 6, status: "done" })
        for (const status of ["failed", "no_adapter", "running", "queued"] as const)
          yield* Queue.put({ slug }, ["tell_agent"], { days: 8, status })
        const store = yield* JobStore
        yield* store.purge(7)
        assert.deepStrictEqual(yield* statuses(id), ["done", "failed", "no_adapter", "running", "queued"])
      })
    )

    it.effect("tells how long the oldest queued job has waited", () =>
      Effect.gen(function* () {
        const { slug } = yield* place
        const store = yield* JobStore
        assert.deepStrictEqual(yield* store.lag, Duration.zero)
        yield* Queue.put({ slug }, ["tell_agent"], { days: 2 })
        yield* Queue.put({ slug }, ["tell_agent"], { days: 1 })
        assert.approximately(Duration.toSeconds(yield* store.lag), 2 * 24 * 3600, 60)
        yield* take([])
        assert.deepStrictEqual(yield* store.lag, Duration.zero)
      })
    )

    it.effect(
      "jobs of one lane are begun one after the other, oldest first, and those of none or another at once",
      () =>
        Effect.gen(function* () {
          const here = yield* place
          const [a1, a2, a3, b1, n1, n2] = yield* putIn(here, ["a", "a", "a", "b", null, null])
          assert.deepStrictEqual(ids(yield* take()), [a1, b1, n1, n2])
          assert.deepStrictEqual(yield* take(), [])
          yield* finish(here, b1)
          assert.deepStrictEqual(yield* take(), [])
          yield* finish(here, a1)
          assert.deepStrictEqual(ids(yield* take()), [a2])
          const [a4] = yield* putIn(here, ["a"])
          assert.deepStrictEqual(yield* take(), [])
          yield* finish(here, a2)
          assert.deepStrictEqual(ids(yield* take()), [a3])
          yield* finish(here, a3)
          assert.deepStrictEqual(ids(yield* take()), [a4])
        })
    )

    it.effect("a lane waits while one of it is tried again and again, and goes on once that failed for good", () =>
      Effect.gen(function* () {
        const here = yield* place
        const store = yield* JobStore
        const [first, second] = yield* putIn(here, ["a", "a"])
        assert.isDefined(first)
        assert.deepStrictEqual(ids(yield* take()), [first])
        yield* store.note(here.id, first, { status: "running", tries: 3, error: "busy" })
        assert.deepStrictEqual(yield* take(), [])
        yield* store.note(here.id, first, { status: "failed", tries: 4, error: "gone" })
        assert.deepStrictEqual(ids(yield* take()), [second])
      })
    )

    for (const status of ["failed", "done", "no_adapter"] as const)
      it.effect(`a lane does not wait for one that is ${status}`, () =>
        Effect.gen(function* () {
          const here = yield* place
          yield* putIn(here, ["a"], { status }, "write_story")
          const [after] = yield* putIn(here, ["a"])
          assert.deepStrictEqual(ids(yield* take(["tell_agent"])), [after])
        })
      )

    it.effect("a lane is of one workspace", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* place, yield* place]
        const [first, second] = yield* putIn(one, ["a", "a"])
        const [third] = yield* putIn(other, ["a"])
        assert.deepStrictEqual(ids(yield* take()), [first, third])
        yield* finish(other, third)
        assert.deepStrictEqual(yield* take(), [])
        yield* finish(one, first)
        assert.deepStrictEqual(ids(yield* take()), [second])
      })
    )

    it.effect("a job is begun when it is due, not before, and nobody of its lane waits for it until then", () =>
      Effect.gen(function* () {
        const here = yield* place
        const [later] = yield* putIn(here, ["a"], { dueAt: yield* inMinutes(here, 10) })
        const [soon] = yield* putIn(here, ["a"])
        assert.deepStrictEqual(ids(yield* take()), [soon])
        yield* finish(here, soon)
        assert.deepStrictEqual(yield* take(), [])
        yield* pass(9)
        assert.deepStrictEqual(yield* take(), [])
        yield* pass(2)
        const [last] = yield* putIn(here, ["a"])
        assert.deepStrictEqual(ids(yield* take()), [later])
        yield* finish(here, later)
        assert.deepStrictEqual(ids(yield* take()), [last])
        assert.deepStrictEqual(yield* statuses(here.id), ["done", "done", "running"])
      })
    )

    it.effect("a job that is not due yet does not rest when nobody can do it", () =>
      Effect.gen(function* () {
        const here = yield* place
        yield* putIn(here, [null], { dueAt: yield* inMinutes(here, 10) })
        yield* take([])
        assert.deepStrictEqual(yield* statuses(here.id), ["queued"])
        yield* pass(11)
        yield* take([])
        assert.deepStrictEqual(yield* statuses(here.id), ["no_adapter"])
      })
    )

    it.effect("what is not due yet, or waits for its lane, does not count as waiting", () =>
      Effect.gen(function* () {
        const here = yield* place
        const store = yield* JobStore
        yield* putIn(here, [null], { dueAt: yield* inMinutes(here, 10) })
        assert.deepStrictEqual(yield* store.lag, Duration.zero)
        yield* pass(13)
        assert.approximately(Duration.toSeconds(yield* store.lag), 3 * 60, 30)
        yield* take()
        assert.deepStrictEqual(yield* store.lag, Duration.zero)
        const [running] = yield* putIn(here, ["a"])
        yield* take()
        yield* putIn(here, ["a"])
        yield* pass(5)
        assert.deepStrictEqual(yield* store.lag, Duration.zero)
        yield* finish(here, running)
        assert.isAbove(Duration.toSeconds(yield* store.lag), 4 * 60)
      })
    )

    it.effect("of many takers at once, none begins one of a lane while another of it runs", () =>
      Effect.gen(function* () {
        const here = yield* place
        const lanes = ["a", "b", "c", "d"]
        const put = new Map<string, ReadonlyArray<JobId>>()
        for (const lane of lanes)
          put.set(
            lane,
            yield* putIn(
              here,
              Array.from({ length: 8 }, () => lane)
            )
          )
        const [running, begun] = [new Map<string, JobId>(), new Map<string, Array<JobId>>()]
        const store = yield* JobStore
        const round = Effect.gen(function* () {
          const errands = yield* take(everyKind, 3)
          for (const { job } of errands) {
            const lane = job.lane ?? ""
            assert.strictEqual(running.get(lane), undefined, `${lane} runs already`)
            running.set(lane, job.id)
            begun.set(lane, [...(begun.get(lane) ?? []), job.id])
          }
          // Somebody else may come between.
          yield* Effect.forEach(errands, ({ job }) => store.find(here.id, job.id))
          for (const { job } of errands) {
            running.delete(job.lane ?? "")
            yield* store.note(here.id, job.id, { status: "done", tries: 1 })
          }
          return errands.length
        })
        yield* Effect.replicateEffect(Effect.repeatN(round, 19), 8, { concurrency: "unbounded" })
        while ((yield* round) > 0);
        assert.deepStrictEqual(begun, put)
      })
    )

    it.effect("jobs of a lane that rested are begun one after the other too, once somebody can do them", () =>
      Effect.gen(function* () {
        const here = yield* place
        const [first, second] = yield* putIn(here, ["a", "a"])
        yield* take([])
        yield* take([])
        const [third] = yield* putIn(here, ["a"])
        for (const job of [first, second, third]) {
          assert.deepStrictEqual(ids(yield* take()), [job])
          yield* finish(here, job)
        }
      })
    )
  })
